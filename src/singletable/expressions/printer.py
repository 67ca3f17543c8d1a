"""The expression tree as DynamoDB's text: attribute names and values become placeholders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from singletable.expressions.tree import (
    And,
    Arithmetic,
    Between,
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
    """The names and values that an expression was printed with, each once."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}

    def name(self, attribute: str) -> str:
        """The placeholder of an attribute name; the same name keeps the same one."""
        for placeholder, known in self.names.items():
            if known == attribute:
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value: Any) -> str:
        """A new placeholder for a value."""
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder


class Printer:
    """Prints trees; `resolve` turns a constant or a parameter into the value that stands behind it."""

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
        """A condition, filter or key condition expression."""
        match node:
            case Compare(comparator, left, right):
                return f"{self.operand(left)} {comparator} {self.operand(right)}"
            case Between(operand, low, high):
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
        """An update expression in DynamoDB's customary order, behind clauses that are printed already."""
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
        """A projection expression."""
        return self._operands(paths)

    def _operands(self, operands: Iterable[Operand]) -> str:
        return ", ".join(self.operand(operand) for operand in operands)

    def operand(self, operand: Operand) -> str:
        """An operand of a condition or an update."""
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
