"""Values, conditions and changes as Python source text. Text from other sources is always quoted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID

from singletable.errors import DesignError, Problem
from singletable.expressions.tree import (
    And,
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
from singletable.importers.draft import PythonCode
from singletable.importers.names import is_name

_FUNCTIONS = {"attribute_exists": "exists", "begins_with": "begins_with", "contains": "contains"}
_COMPARATORS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_CHANGES = {"SET": "set", "ADD": "add", "APPEND": "append", "REMOVE": "remove"}


def quoted(value: str) -> str:
    """Return a string literal in double quotes."""
    inner = repr(value)[1:-1]
    if repr(value)[0] == "'":
        inner = inner.replace("\\'", "'").replace('"', '\\"')
    return f'"{inner}"'


def value_text(value: Any) -> str:
    """Return a value as Python source. Raise DesignError for a value that a model cannot contain."""
    match value:
        case PythonCode():
            return value.text
        case str():
            return quoted(value)
        case Decimal() | UUID():
            return f"{type(value).__name__}({quoted(str(value))})"
        case datetime() | date():
            return f"{type(value).__name__}.fromisoformat({quoted(value.isoformat())})"
        case list():
            return f"[{', '.join(map(value_text, value))}]"
        case tuple():
            return f"({', '.join(map(value_text, value))}{',' if len(value) == 1 else ''})"
        case set() | frozenset():
            inner = ", ".join(sorted(map(value_text, value)))
            elements = f"{{{inner}}}" if inner else ""
            is_set = isinstance(value, set) and elements
            return elements if is_set else f"{type(value).__name__}({elements})"
        case Mapping():
            return f"{{{', '.join(f'{value_text(name)}: {value_text(each)}' for name, each in value.items())}}}"
        case bytes():
            inner = "".join(
                chr(each) if 32 <= each < 127 and each not in b'"\\' else f"\\x{each:02x}" for each in value
            )
            return f'b"{inner}"'
        case float() if not isfinite(value):
            raise DesignError(Problem(f"{value} is not a number that a model can contain"))
        case None | bool() | int() | float():
            return repr(value)
        case _:
            raise DesignError(Problem(f"{value!r} is not a value that a model can contain"))


def is_mutable(value: Any) -> bool:
    """Return whether every object needs a copy of the value."""
    return isinstance(value, list | dict | set) or (isinstance(value, PythonCode) and value.is_mutable)


def default_text(value: Any, *, is_hidden: bool = False) -> str:
    """Return the default of a field. With `is_hidden`, a field of the class has a name that the value uses."""
    text = value_text(value)
    if is_hidden:  # the code in a function resolves names outside the class
        return f"dataclass_field(default_factory=lambda: {text})"
    if not is_mutable(value):
        return text
    if isinstance(value, PythonCode):
        return f"dataclass_field(default_factory=partial(deepcopy, {text}))"
    if not value:
        return f"dataclass_field(default_factory={type(value).__name__})"
    is_deep = any(map(is_mutable, value.values() if isinstance(value, dict) else value))
    return f"dataclass_field(default_factory={f'partial(deepcopy, {text})' if is_deep else f'{text}.copy'})"


class ConditionText:
    """Writes conditions, paths and changes of one entity as lambdas.

    `classes` contains the type texts of the fields of every class. They decide between `item.address.city` for a nested
    class and `item.address["city"]` for a map, and where a type checker needs `present(...)`.
    """

    def __init__(
        self, classes: Mapping[str, Mapping[str, tuple[str, bool]]], entity: str, parameters: Sequence[str]
    ) -> None:
        self._classes = classes
        self._entity = entity
        self._parameters = parameters
        self._item = next(name for name in _candidates("item") if name not in parameters)

    def condition(self, condition: Condition) -> str:
        """Return the lambda of a condition."""
        return f"lambda {self._item}: {self._condition(condition)}"

    def path(self, path: Path) -> str:
        """Return the lambda of a path."""
        return f"lambda {self._item}: {self._place(path)[0]}"

    def change(self, change: Change) -> str:
        """Return a change of an update."""
        if change.action not in _CHANGES or (change.value is None) != (change.action == "REMOVE"):
            raise _unsupported(f"the change {change.action}")
        value = "" if change.value is None else self._operand(change.value)
        return f"field({self._entity}, {self.path(change.path)}).{_CHANGES[change.action]}({value})"

    def parameter(self, name: str) -> str:
        """Return the name of a parameter of the pattern."""
        if name not in self._parameters:
            raise DesignError(Problem(f"the body uses {name!r}, which is not one of its parameters"))
        return name

    def _condition(self, condition: Condition) -> str:
        match condition:
            case And() | Or():
                if len(condition.parts) < 2:
                    raise _unsupported("a list of one condition")
                sign = " & " if isinstance(condition, And) else " | "
                return sign.join(f"({self._condition(each)})" for each in condition.parts)
            case Not():
                return f"not_({self._condition(condition.part)})"
            case In():
                return f"one_of({', '.join(map(self._operand, (condition.operand, *condition.options)))})"
            case Function(name=name) if name in _FUNCTIONS:
                return f"{_FUNCTIONS[name]}({', '.join(map(self._operand, condition.arguments))})"
            case Compare(comparator=comparator, left=Path() as left, right=right):
                is_ordered = comparator not in ("=", "<>")
                sides = [self._compared(left, is_ordered), self._compared(right, is_ordered)]
                return f" {_COMPARATORS[comparator]} ".join(sides)
            case _:
                raise _unsupported(f"the condition {condition}")

    def _operand(self, operand: Operand) -> str:
        match operand:
            case Path():
                return self._place(operand)[0]
            case Parameter():
                return self.parameter(operand.name)
            case Constant():
                return value_text(operand.value)
            case _:
                raise _unsupported(f"the operand {operand}")

    def _compared(self, operand: Operand, is_ordered: bool) -> str:
        if not isinstance(operand, Path):
            return self._operand(operand)
        text, is_optional = self._place(operand)
        return f"present({text})" if is_ordered and is_optional else text

    def _place(self, path: Path) -> tuple[str, bool]:
        """Return a path as Python source, and whether its type includes None."""
        if not path.steps or not isinstance(path.steps[0], str) or not is_name(path.steps[0]):
            raise _unsupported(f"the path {path.steps}")
        text, owner, is_optional = self._item, ast.parse(self._entity, mode="eval").body, False
        for number, step in enumerate(path.steps):
            text = f"present({text})" if is_optional and number else text
            known = self._classes.get(owner.id, {}) if isinstance(owner, ast.Name) else {}
            is_field = isinstance(step, str) and (number == 0 or step in known)
            text += f".{step}" if is_field else f"[{value_text(step)}]"
            declared, is_optional = known.get(str(step), ("Any", False)) if is_field else ("", False)
            owner, has_none = _without_none(ast.parse(declared, mode="eval").body if is_field else _element(owner))
            is_optional = is_optional or has_none
        return text, is_optional


def _without_none(node: ast.expr) -> tuple[ast.expr, bool]:
    """Return the other type of `X | None`, and whether the type includes None."""
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
        if isinstance(right, ast.Constant) and right.value is None:
            return left, True
    return node, False


def _element(owner: ast.expr) -> ast.expr:
    """Return the type of the elements of a list or of the values of a map."""
    if not isinstance(owner, ast.Subscript):
        return ast.Constant(...)
    arguments = owner.slice.elts if isinstance(owner.slice, ast.Tuple) else [owner.slice]
    return arguments[-1] if isinstance(owner.value, ast.Name) and owner.value.id == "dict" else arguments[0]


def _candidates(name: str) -> Iterator[str]:
    while True:
        yield name
        name += "_"


def _unsupported(what: str) -> DesignError:
    return DesignError(Problem(f"{what[:80]} cannot be written in a model"))
