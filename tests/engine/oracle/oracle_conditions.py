"""Conditions that can print themselves as DynamoDB expressions and evaluate themselves for an item."""

from __future__ import annotations

import base64
import operator
from dataclasses import dataclass, field
from typing import Any

from tests.engine.oracle.oracle_values import Item, Path, Value, at, kind_of, ordered, same, sort_key

ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass
class Placeholders:
    """The placeholders that all expressions of a request share."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    def path(self, path: Path) -> str:
        text = ""
        for step in path:
            text += f"[{step}]" if isinstance(step, int) else f".{self._name(step)}"
        return text.removeprefix(".")

    def _name(self, name: str) -> str:
        for placeholder, known in self.names.items():
            if known == name:
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = name
        return placeholder

    def value(self, value: Value) -> str:
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder


class Expression:
    """An expression that prints itself into a request."""

    def text(self, placeholders: Placeholders) -> str:
        raise NotImplementedError


def printed(request: Any) -> Any:
    """Return the request to send, with expressions as text and their placeholders."""
    if isinstance(request, list):
        return [printed(each) for each in request]
    if not isinstance(request, dict):
        return request
    placeholders = Placeholders()
    sent = {
        name: value.text(placeholders) if isinstance(value, Expression) else printed(value)
        for name, value in request.items()
        if value is not None
    }
    if placeholders.names:
        sent["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        sent["ExpressionAttributeValues"] = placeholders.values
    return sent


class Operand(Expression):
    """A value in a condition."""

    def of(self, item: Item) -> Value | None:
        raise NotImplementedError


@dataclass(frozen=True)
class At(Operand):
    path: Path

    def text(self, placeholders: Placeholders) -> str:
        return placeholders.path(self.path)

    def of(self, item: Item) -> Value | None:
        return at(item, self.path)


@dataclass(frozen=True)
class Literal(Operand):
    value: Value

    def text(self, placeholders: Placeholders) -> str:
        return placeholders.value(self.value)

    def of(self, item: Item) -> Value | None:
        return self.value


@dataclass(frozen=True)
class Size(Operand):
    path: Path

    def text(self, placeholders: Placeholders) -> str:
        return f"size({placeholders.path(self.path)})"

    def of(self, item: Item) -> Value | None:
        value = at(item, self.path)
        if value is None or kind_of(value) in ("N", "BOOL", "NULL"):
            return None
        ((kind, content),) = value.items()
        if kind == "S":
            # Captured from AWS: characters outside the basic plane count twice.
            return {"N": str(sum(2 if ord(character) > 0xFFFF else 1 for character in content))}
        return {"N": str(len(base64.b64decode(content) if kind == "B" else content))}


class Condition(Expression):
    """A condition on an item."""

    def holds(self, item: Item) -> bool:
        raise NotImplementedError

    def paths(self) -> list[Path]:
        raise NotImplementedError


def _paths(*operands: Operand) -> list[Path]:
    return [operand.path for operand in operands if isinstance(operand, At | Size)]


@dataclass(frozen=True)
class Compare(Condition):
    comparator: str
    left: Operand
    right: Operand

    def text(self, placeholders: Placeholders) -> str:
        return f"{self.left.text(placeholders)} {self.comparator} {self.right.text(placeholders)}"

    def holds(self, item: Item) -> bool:
        left, right = self.left.of(item), self.right.of(item)
        if self.comparator == "=":
            return same(left, right)
        if self.comparator == "<>":
            return not same(left, right)
        if left is None or right is None or not ordered(left, right):
            return False
        return bool(ORDERS[self.comparator](sort_key(left), sort_key(right)))

    def paths(self) -> list[Path]:
        return _paths(self.left, self.right)


@dataclass(frozen=True)
class Between(Condition):
    operand: Operand
    low: Operand
    high: Operand

    def text(self, placeholders: Placeholders) -> str:
        operand, low, high = (each.text(placeholders) for each in (self.operand, self.low, self.high))
        return f"{operand} BETWEEN {low} AND {high}"

    def holds(self, item: Item) -> bool:
        return Compare(">=", self.operand, self.low).holds(item) and Compare("<=", self.operand, self.high).holds(item)

    def paths(self) -> list[Path]:
        return _paths(self.operand, self.low, self.high)


@dataclass(frozen=True)
class In(Condition):
    operand: Operand
    options: tuple[Operand, ...]

    def text(self, placeholders: Placeholders) -> str:
        operand = self.operand.text(placeholders)
        return f"{operand} IN ({', '.join(option.text(placeholders) for option in self.options)})"

    def holds(self, item: Item) -> bool:
        return any(same(self.operand.of(item), option.of(item)) for option in self.options)

    def paths(self) -> list[Path]:
        return _paths(self.operand, *self.options)


@dataclass(frozen=True)
class Exists(Condition):
    path: Path
    is_expected: bool = True

    def text(self, placeholders: Placeholders) -> str:
        return f"attribute_{'' if self.is_expected else 'not_'}exists({placeholders.path(self.path)})"

    def holds(self, item: Item) -> bool:
        return (at(item, self.path) is not None) == self.is_expected

    def paths(self) -> list[Path]:
        return [self.path]


@dataclass(frozen=True)
class OfType(Condition):
    path: Path
    kind: str

    def text(self, placeholders: Placeholders) -> str:
        return f"attribute_type({placeholders.path(self.path)}, {placeholders.value({'S': self.kind})})"

    def holds(self, item: Item) -> bool:
        value = at(item, self.path)
        return value is not None and kind_of(value) == self.kind

    def paths(self) -> list[Path]:
        return [self.path]


@dataclass(frozen=True)
class BeginsWith(Condition):
    path: Path
    start: Value

    def text(self, placeholders: Placeholders) -> str:
        return f"begins_with({placeholders.path(self.path)}, {placeholders.value(self.start)})"

    def holds(self, item: Item) -> bool:
        value = at(item, self.path)
        if value is None or kind_of(value) != kind_of(self.start):
            return False
        return bool(sort_key(value).startswith(sort_key(self.start)))

    def paths(self) -> list[Path]:
        return [self.path]


@dataclass(frozen=True)
class Contains(Condition):
    path: Path
    part: Value

    def text(self, placeholders: Placeholders) -> str:
        return f"contains({placeholders.path(self.path)}, {placeholders.value(self.part)})"

    def holds(self, item: Item) -> bool:
        value = at(item, self.path)
        if value is None:
            return False
        ((kind, content),) = value.items()
        part_kind = kind_of(self.part)
        if kind == "L":
            return any(same(element, self.part) for element in content)
        if kind in ("SS", "NS", "BS"):
            return part_kind == kind[0] and any(same({part_kind: member}, self.part) for member in content)
        return kind in ("S", "B") and part_kind == kind and sort_key(self.part) in sort_key(value)

    def paths(self) -> list[Path]:
        return [self.path]


@dataclass(frozen=True)
class Both(Condition):
    """AND or OR, with or without redundant parentheses."""

    word: str
    left: Condition
    right: Condition
    is_bare: bool = False

    def text(self, placeholders: Placeholders) -> str:
        return f"{self._side(self.left, placeholders)} {self.word} {self._side(self.right, placeholders)}"

    def _side(self, side: Condition, placeholders: Placeholders) -> str:
        is_closer = isinstance(side, Both) and self.word in (side.word, "OR")
        return side.text(placeholders) if self.is_bare and is_closer else _bracketed(side, placeholders)

    def holds(self, item: Item) -> bool:
        left, right = self.left.holds(item), self.right.holds(item)
        return (left and right) if self.word == "AND" else (left or right)

    def paths(self) -> list[Path]:
        return [*self.left.paths(), *self.right.paths()]


@dataclass(frozen=True)
class Not(Condition):
    part: Condition

    def text(self, placeholders: Placeholders) -> str:
        return f"NOT {_bracketed(self.part, placeholders)}"

    def holds(self, item: Item) -> bool:
        return not self.part.holds(item)

    def paths(self) -> list[Path]:
        return self.part.paths()


def _bracketed(condition: Condition, placeholders: Placeholders) -> str:
    text = condition.text(placeholders)
    return f"({text})" if isinstance(condition, Both) else text


@dataclass(frozen=True)
class KeyCondition(Expression):
    """Equality of all partition attributes and the first sort attributes, and a test of the next one."""

    equal: tuple[tuple[str, Value], ...]
    test: Condition | None = None

    def text(self, placeholders: Placeholders) -> str:
        tests = [Compare("=", At((name,)), Literal(value)).text(placeholders) for name, value in self.equal]
        return " AND ".join([*tests, self.test.text(placeholders)] if self.test else tests)

    def holds(self, item: Item) -> bool:
        return all(same(item.get(name), value) for name, value in self.equal) and (
            self.test is None or self.test.holds(item)
        )


def is_empty_range(test: Condition | None) -> bool:
    """Return whether a BETWEEN has reversed bounds, which DynamoDB rejects."""
    if not isinstance(test, Between) or not isinstance(test.low, Literal) or not isinstance(test.high, Literal):
        return False
    return bool(sort_key(test.low.value) > sort_key(test.high.value))
