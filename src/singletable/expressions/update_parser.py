"""Update expressions as the changes they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from singletable.expressions.checks import Check, change_checks, typed, update_function_checks
from singletable.expressions.projection_parser import target_checks
from singletable.expressions.reader import Functions, Reader
from singletable.expressions.tree import Arithmetic, Change, Function, Operand, Path

_FUNCTIONS = Functions("an update", frozenset({"if_not_exists", "list_append"}), update_function_checks)

Action = Literal["SET", "REMOVE", "ADD", "DELETE"]


@dataclass(frozen=True)
class ReadUpdate:
    """An update as it was read: its changes, what is to be checked with the values, and the placeholders it uses."""

    changes: tuple[Change, ...]
    checks: tuple[Check, ...]
    used_names: frozenset[str]
    used_values: frozenset[str]
    nested_attributes: frozenset[str]


def parse_update(parameter: str, text: str, names: Mapping[str, str]) -> ReadUpdate:
    """Read an update; `parameter` is what the request calls it."""
    reader = Reader(parameter, text, names, _FUNCTIONS)
    update = _Update(reader)
    update.read()
    reader.checks += target_checks(update.targets)
    for checks in reversed(update.value_checks):
        reader.checks += checks
    reader.finish()
    return ReadUpdate(
        tuple(update.changes),
        tuple(reader.checks),
        frozenset(reader.used_names),
        frozenset(reader.used_values),
        frozenset(reader.nested_attributes),
    )


class _Update:
    """Reads sections, and keeps the checks of every change apart: the service makes them from the last to the first."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.changes: list[Change] = []
        self.targets: list[tuple[Path, list[Check]]] = []
        self.value_checks: list[list[Check]] = []

    def read(self) -> None:
        """All sections, to the end of the text."""
        reader, seen = self._reader, set[str]()
        section = reader.take("SET", "REMOVE", "ADD", "DELETE").kind
        while section != "end":
            self._change(cast(Action, section))
            while reader.kind == ",":
                reader.take(",")
                self._change(cast(Action, section))
            if section in seen:
                # What is wrong inside of the second section is told before.
                reader.note(reader.at, f'The "{section}" section can only be used once in an update expression;')
            seen.add(section)
            section = reader.take("SET", "REMOVE", "ADD", "DELETE", "end").kind

    def _change(self, action: Action) -> None:
        reader, first = self._reader, self._reader.at
        path = reader.path()
        self.targets.append((path, reader.path_checks(path, first)))
        value: Operand | None = None
        if action == "SET":
            reader.take("=")
            value = self._set_value()
        elif action != "REMOVE":
            parameter = reader.value()
            reader.checks += change_checks(action, parameter)
            value = parameter
        self.changes.append(Change(action, path, value))
        self.value_checks.append(reader.checks)
        reader.checks = []

    def _set_value(self) -> Operand:
        """An operand, or the sum or difference of two; the parentheses may be around the first, or around all of it."""
        reader = self._reader
        reader.look_ahead()
        opened: list[int] = []
        while reader.kind == "(":
            opened.append(reader.open())
        value = reader.operand()
        called_at = reader.called_at
        while opened and reader.kind == ")":
            reader.close(opened.pop())
        reader.settle()
        if reader.kind in ("+", "-"):
            value = self._arithmetic(value, called_at)
        while opened:
            reader.close(opened.pop())
        return value

    def _arithmetic(self, left: Operand, called_at: int) -> Operand:
        reader = self._reader
        operator = cast(Literal["+", "-"], reader.take("+", "-").kind)
        reader.operators += 1
        self._refuse_list(left, called_at)
        right = reader.operand()
        self._refuse_list(right, reader.called_at)
        reader.checks += typed(operator, (left, right), frozenset({"N"}))
        return Arithmetic(operator, left, right)

    def _refuse_list(self, operand: Operand, called_at: int) -> None:
        if isinstance(operand, Function) and operand.name == "list_append":
            self._reader.misused(called_at)
