"""Update expressions: parsing, and the update of an item.

All operands read the item as it was before the update. An update returns a new item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, cast

from singletable.errors import RequestRefused, invalid
from singletable.expressions.evaluate import Getter, Item, Values, value_at
from singletable.expressions.expression_reader import AllowedFunctions, ExpressionReader
from singletable.expressions.operand_checks import SET_TYPES, Check, change_checks, type_checks, update_function_checks
from singletable.expressions.projection import PathProjection, target_checks
from singletable.expressions.tree import Arithmetic, Change, Constant, Function, Operand, Parameter, Path, paths
from singletable.lazy_dataclass import dataclass
from singletable.values.scalars import add_numbers, subtract_numbers

# A function of the current value at a path, the item and the request values. It returns the new value, or None.
ChangeFunction = Callable[[Any, Item, Values], Any]
# The changes inside a map (by name) or inside a list (by position).
Places = dict[str | int, "ChangeFunction | Places"]

INCORRECT_TYPE = "An operand in the update expression has an incorrect data type"

# The size limit of an update does not count the key, but counts these additional bytes (captured from AWS).
_UPDATE_BYTES = 3
_SET_OR_ADD_BYTES = 19
_REMOVE_OR_DELETE_BYTES = 2
_LIST_INDEX_BYTES = 1
_ARITHMETIC_BYTES = 50

_REMOVALS = ("REMOVE", "DELETE")


class ItemUpdate:
    """The changes of an update; `attributes` are the top-level attributes that they change.

    `only_removes` is true if the update only removes attributes, or elements of sets.
    """

    def __init__(self, changes: Iterable[Change]) -> None:
        self.changes = tuple(changes)
        self.changed_paths = PathProjection(change.path for change in self.changes)
        self.attributes = self.changed_paths.attributes
        self.nested_attributes = self.changed_paths.nested_attributes
        self.extra_bytes = _UPDATE_BYTES + sum(map(_extra_bytes_of, self.changes))
        self.only_removes = bool(self.changes) and all(change.action in _REMOVALS for change in self.changes)
        self._whole = [(c.path.attribute, _change_function(c)) for c in self.changes if len(c.path.steps) == 1]
        self._places = _places(change for change in self.changes if len(change.path.steps) > 1)

    @cached_property
    def accessed_inside(self) -> frozenset[str]:
        """The top-level attributes in which the update reads or changes nested values."""
        used = (path for change in self.changes for path in (change.path, *_paths_of(change.value)))
        return frozenset(path.attribute for path in used if len(path.steps) > 1)

    def apply(self, item: Item, values: Values) -> dict[str, Any]:
        """Return the updated item as a new dict. The given item does not change; both items share unchanged values."""
        changed = dict(item)
        for name, action in self._whole:
            value = action(item.get(name), item, values)
            if value is None:
                changed.pop(name, None)
            else:
                changed[name] = value
        for step, places in self._places.items():
            changed[str(step)] = _change_value(places, item.get(str(step)), item, values)
        return changed

    def updated(self, item: Item) -> dict[str, Any]:
        """Return the parts that the update changes, with their old (UPDATED_OLD) or new (UPDATED_NEW) values."""
        return self.changed_paths.apply(item)


def _paths_of(value: Operand | None) -> Iterable[Path]:
    return () if isinstance(value, Constant | Parameter | None) else paths(value)


def _places(changes: Iterable[Change]) -> dict[str | int, Places]:
    places: dict[str | int, Places] = {}
    for change in changes:
        inner: Any = places
        for step in change.path.steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[change.path.steps[-1]] = _change_function(change)
    return places


def _change_value(places: ChangeFunction | Places, value: Any, item: Item, values: Values) -> Any:
    if not isinstance(places, dict):
        return places(value, item, values)
    if isinstance(next(iter(places)), str):
        if value is None or "M" not in value:
            raise _invalid_path()
        return {"M": _change_members(places, value["M"], item, values)}
    if value is None or "L" not in value:
        raise _invalid_path()
    return {"L": _change_elements(places, value["L"], item, values)}


def _change_members(places: Places, members: Mapping[str, Any], item: Item, values: Values) -> dict[str, Any]:
    changed = dict(members)
    for step, inner in places.items():
        name = str(step)
        value = _change_value(inner, members.get(name), item, values)
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value
    return changed


def _change_elements(places: Places, elements: list[Any], item: Item, values: Values) -> list[Any]:
    """Return the changed list.

    Positions refer to the list before the update. A position after its end appends the value.
    """
    changed, length = list(elements), len(elements)
    for at in sorted(step for step in places if isinstance(step, int)):
        value = _change_value(places[at], elements[at] if at < length else None, item, values)
        if at < length:
            changed[at] = value
        else:
            changed.append(value)
    return [value for value in changed if value is not None]


def _change_function(change: Change) -> ChangeFunction:
    operand = change.value
    if operand is None or change.action == "REMOVE":
        return lambda value, item, values: None
    if change.action == "APPEND":
        operand = Function("list_append", (change.path, operand))
    get = _operand_getter(operand)
    if change.action == "ADD":
        return lambda value, item, values: _add(value, get(item, values))
    if change.action == "DELETE":
        return lambda value, item, values: _delete(value, get(item, values))
    return lambda value, item, values: get(item, values)


def _operand_getter(operand: Operand) -> Getter:
    """Return a function that returns the value of an operand, and rejects a missing attribute."""
    match operand:
        case Parameter(name):
            return lambda item, values: values[name]
        case Constant(value):
            return lambda item, values: value
        case Path(steps):
            return _attribute_getter(steps)
        case Function("if_not_exists", (Path(steps), other)):
            return _if_not_exists(steps, _operand_getter(other))
        case Function("list_append", (one, other)):
            return _list_append(_operand_getter(one), _operand_getter(other))
        case Arithmetic(operator, left, right):
            return _arithmetic(
                add_numbers if operator == "+" else subtract_numbers, _operand_getter(left), _operand_getter(right)
            )
        case Function():
            raise TypeError(f"{operand} has no value in an update")


def _attribute_getter(steps: tuple[str | int, ...]) -> Getter:
    def get(item: Item, values: Values) -> Any:
        value = value_at(item, steps)
        if value is None:
            raise invalid("The provided expression refers to an attribute that does not exist in the item")
        return value

    return get


def _if_not_exists(steps: tuple[str | int, ...], other: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        # Like DynamoDB Local, read both operands: a missing second operand is an error even if the first operand
        # exists.
        default, value = other(item, values), value_at(item, steps)
        return default if value is None else value

    return get


def _list_append(one: Getter, other: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        return {"L": _content_of_type("L", one(item, values)) + _content_of_type("L", other(item, values))}

    return get


def _arithmetic(calculate: Callable[[str, str], str], left: Getter, right: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        return {"N": calculate(_content_of_type("N", left(item, values)), _content_of_type("N", right(item, values)))}

    return get


def _content_of_type(kind: str, value: Any) -> Any:
    if kind not in value:
        raise _wrong_type()
    return value[kind]


def _add(value: Any, added: Any) -> Any:
    if value is None:
        return added
    ((kind, content),) = added.items()
    current = _content_of_type(kind, value)
    if kind == "N":
        return {"N": add_numbers(current, content)}
    if kind not in SET_TYPES:
        raise _wrong_type()
    members = set(current)
    return {kind: current + [member for member in content if member not in members]}


def _delete(value: Any, deleted: Any) -> Any:
    if value is None:
        return None
    ((kind, content),) = deleted.items()
    if kind not in SET_TYPES:
        raise _wrong_type()
    left = [member for member in _content_of_type(kind, value) if member not in content]
    return {kind: left} if left else None


def _extra_bytes_of(change: Change) -> int:
    if change.action in ("REMOVE", "DELETE"):
        return _REMOVE_OR_DELETE_BYTES
    index_bytes = _LIST_INDEX_BYTES if isinstance(change.path.steps[-1], int) else 0
    return _SET_OR_ADD_BYTES + index_bytes + (_ARITHMETIC_BYTES if isinstance(change.value, Arithmetic) else 0)


def _invalid_path() -> RequestRefused:
    return invalid("The document path provided in the update expression is invalid for update")


def _wrong_type() -> RequestRefused:
    return invalid(INCORRECT_TYPE)


_FUNCTIONS = AllowedFunctions("an update", frozenset({"if_not_exists", "list_append"}), update_function_checks)

Action = Literal["SET", "REMOVE", "ADD", "DELETE"]


@dataclass(frozen=True)
class ParsedUpdate:
    """A parsed update with its placeholders, and the checks that need the values of a request."""

    changes: tuple[Change, ...]
    checks: tuple[Check, ...]
    used_names: frozenset[str]
    used_values: frozenset[str]
    nested_attributes: frozenset[str]


def parse_update(parameter: str, text: str, names: Mapping[str, str]) -> ParsedUpdate:
    """Parse an update; `parameter` is its name in the request."""
    reader = ExpressionReader(parameter, text, names, _FUNCTIONS)
    update = _UpdateParser(reader)
    update.read()
    reader.checks += target_checks(update.targets)
    for checks in reversed(update.value_checks):
        reader.checks += checks
    reader.finish()
    return ParsedUpdate(
        tuple(update.changes),
        tuple(reader.checks),
        frozenset(reader.used_names),
        frozenset(reader.used_values),
        frozenset(reader.nested_attributes),
    )


class _UpdateParser:
    """Parses the sections of an update.

    `value_checks` are grouped by change, because DynamoDB checks the last change first.
    """

    def __init__(self, reader: ExpressionReader) -> None:
        self._reader = reader
        self.changes: list[Change] = []
        self.targets: list[tuple[Path, list[Check]]] = []
        self.value_checks: list[list[Check]] = []

    def read(self) -> None:
        """Parse all sections, to the end of the text."""
        reader, seen = self._reader, set[str]()
        section = reader.take("SET", "REMOVE", "ADD", "DELETE").kind
        while section != "end":
            self._change(cast(Action, section))
            while reader.kind == ",":
                reader.take(",")
                self._change(cast(Action, section))
            if section in seen:
                # DynamoDB first reports an error inside the repeated section. So this error has the position after the
                # section.
                reader.add_error(reader.at, f'The "{section}" section can only be used once in an update expression;')
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
        """Parse an operand, a sum or a difference; parentheses may enclose the first operand or the whole value."""
        reader = self._reader
        reader.postpone_parentheses_check()
        opened: list[int] = []
        while reader.kind == "(":
            opened.append(reader.open())
        value = reader.operand()
        called_at = reader.called_at
        while opened and reader.kind == ")":
            reader.close(opened.pop())
        reader.reject_redundant_parentheses()
        if reader.kind in ("+", "-"):
            value = self._arithmetic(value, called_at)
        while opened:
            reader.close(opened.pop())
        return value

    def _arithmetic(self, left: Operand, called_at: int) -> Operand:
        reader = self._reader
        operator = cast(Literal["+", "-"], reader.take("+", "-").kind)
        reader.operators += 1
        self._reject_list_append(left, called_at)
        right = reader.operand()
        self._reject_list_append(right, reader.called_at)
        reader.checks += type_checks(operator, (left, right), frozenset({"N"}))
        return Arithmetic(operator, left, right)

    def _reject_list_append(self, operand: Operand, called_at: int) -> None:
        if isinstance(operand, Function) and operand.name == "list_append":
            self._reader.add_misuse(called_at)
