"""Prints expression trees: with placeholders for a request, or readable for worksheets and messages."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from singletable.expressions.tree import (
    And,
    Arithmetic,
    BetweenBounds,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Parameter,
    Path,
)


class Placeholders:
    """The placeholders of a printed expression: attribute names and values by placeholder."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def name(self, attribute: str) -> str:
        """Return the placeholder of an attribute name; equal names share one placeholder."""
        for placeholder, known in self.names.items():
            if known == attribute:
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value: Any) -> str:
        """Return a new placeholder for a value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder


class Printer:
    """Prints expression trees.

    `attribute` returns the stored name of an attribute. `resolve` returns the value of a constant or parameter.
    """

    def __init__(
        self,
        placeholders: Placeholders,
        attribute: Callable[[str], str],
        resolve: Callable[[Constant | Parameter], Any],
    ) -> None:
        self._placeholders = placeholders
        self._attribute = attribute
        self._resolve = resolve

    def condition(self, node: Condition) -> str:
        """Print a condition, filter or key condition."""
        match node:
            case Compare(comparator, left, right):
                return f"{self.operand(left)} {comparator} {self.operand(right)}"
            case BetweenBounds(operand, low, high):
                return f"{self.operand(operand)} BETWEEN {self.operand(low)} AND {self.operand(high)}"
            case In(operand, options):
                return f"{self.operand(operand)} IN ({self._operands(options)})"
            case Function():
                return self.operand(node)
            case And(parts):
                return " AND ".join(self._nested(part, (And, Or)) for part in parts)
            case Or(parts):
                return " OR ".join(self._nested(part, (Or,)) for part in parts)
            case Not(part):
                return f"NOT {self._nested(part, (And, Or))}"

    def _nested(self, node: Condition, parenthesised: tuple[type, ...]) -> str:
        text = self.condition(node)
        return f"({text})" if isinstance(node, parenthesised) else text

    def update(self, changes: Iterable[Change], printed: Mapping[str, list[str]] | None = None) -> str:
        """Print an update with its clauses in the usual order.

        `printed` has further changes as text, by clause (such as SET). They come first in their clause.
        """
        clauses = {action: list(texts) for action, texts in (printed or {}).items()}
        for change in changes:
            action, text = self._change(change)
            clauses.setdefault(action, []).append(text)
        order = [action for action in ("SET", "ADD", "REMOVE", "DELETE") if action in clauses]
        return " ".join(f"{action} {', '.join(clauses[action])}" for action in order)

    def _change(self, change: Change) -> tuple[str, str]:
        path = self.operand(change.path)
        if change.action == "REMOVE" or change.value is None:
            return "REMOVE", path
        value = self.operand(change.value)
        if change.action in ("ADD", "DELETE"):
            return change.action, f"{path} {value}"
        if change.action == "APPEND":
            return "SET", f"{path} = list_append({path}, {value})"
        return "SET", f"{path} = {value}"

    def projection(self, paths: Iterable[Path]) -> str:
        """Print a projection."""
        return self._operands(paths)

    def _operands(self, operands: Iterable[Operand]) -> str:
        return ", ".join(self.operand(operand) for operand in operands)

    def operand(self, operand: Operand) -> str:
        """Print an operand of a condition or an update."""
        match operand:
            case Path(steps):
                return self._path(steps)
            case Function(name, arguments):
                return f"{name}({self._operands(arguments)})"
            case Arithmetic(operator, left, right):
                return f"{self.operand(left)} {operator} {self.operand(right)}"
            case _:
                return self._placeholders.value(self._resolve(operand))

    def _path(self, steps: tuple[str | int, ...]) -> str:
        first, *others = steps
        text = self._placeholders.name(self._attribute(str(first)))
        for step in others:
            text += f"[{step}]" if isinstance(step, int) else f".{self._placeholders.name(step)}"
        return text


class _Readable(Placeholders):
    """Prints attribute names and values themselves instead of placeholders."""

    def name(self, attribute: str) -> str:
        return attribute

    def value(self, value: object) -> str:
        return str(value)


def readable_condition(condition: Condition) -> str:
    """Return a condition as readable text, with attribute names instead of placeholders and parameters in braces."""

    def shown(source: Constant | Parameter) -> str:
        return f"{{{source.name}}}" if isinstance(source, Parameter) else _shown(source.value)

    return Printer(_Readable(), lambda name: name, shown).condition(condition)


def _shown(value: object) -> str:
    """Return a value as text, close to its stored form: an enum member appears as its value."""
    if isinstance(value, enum.Enum):
        return _shown(value.value)
    if isinstance(value, Decimal):
        return str(value)
    return repr(value.isoformat() if isinstance(value, date) else str(value) if isinstance(value, UUID) else value)
