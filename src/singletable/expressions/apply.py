"""Updates: what becomes of an item. Every operand reads the item as it was, and the item itself is left as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.expressions.checks import SET_TYPES
from singletable.expressions.evaluate import Getter, Item, Values, reached
from singletable.expressions.project import Projection
from singletable.expressions.tree import Arithmetic, Change, Constant, Function, Operand, Parameter, Path, paths
from singletable.values.number import add_numbers, subtract_numbers

# From the value that a path leads to, the item and the given values to the new value; None is for no value.
Action = Callable[[Any, Item, Values], Any]
# What happens inside of one value.
Places = dict[str | int, "Action | Places"]

INCORRECT_TYPE = "An operand in the update expression has an incorrect data type"

# Captured against the service: an update is measured without the key, and with bytes of its own on top of the item.
_UPDATE_BYTES = 3
_WRITING_BYTES = 19
_CLEARING_BYTES = 2
_LIST_INDEX_BYTES = 1
_ARITHMETIC_BYTES = 50


class Update:
    """The changes of an update; `attributes` are those it changes, wholly or inside."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self.changes = tuple(changes)
        self.touched = Projection(change.path for change in self.changes)
        self.attributes = self.touched.attributes
        self.nested_attributes = self.touched.nested_attributes
        self.extra_bytes = _UPDATE_BYTES + sum(map(_extra_bytes, self.changes))
        self._whole = [(c.path.attribute, _action(c)) for c in self.changes if len(c.path.steps) == 1]
        self._places = _places(change for change in self.changes if len(change.path.steps) > 1)

    @cached_property
    def looked_into(self) -> frozenset[str]:
        """The attributes that it reaches into, be it to change them or to read them."""
        spoken_of = (path for change in self.changes for path in paths(change))
        return frozenset(path.attribute for path in spoken_of if len(path.steps) > 1)

    def apply(self, item: Item, values: Values) -> dict[str, Any]:
        """The item after the update; what is not changed is shared with the item before it."""
        changed = dict(item)
        for name, action in self._whole:
            value = action(item.get(name), item, values)
            if value is None:
                changed.pop(name, None)
            else:
                changed[name] = value
        for step, places in self._places.items():
            changed[str(step)] = _changed(places, item.get(str(step)), item, values)
        return changed

    def updated(self, item: Item) -> dict[str, Any]:
        """The places that the update touches, of the item before it (UPDATED_OLD) or after it (UPDATED_NEW)."""
        return self.touched.apply(item)


def _places(changes: Iterable[Change]) -> dict[str | int, Places]:
    places: dict[str | int, Places] = {}
    for change in changes:
        inner: Any = places
        for step in change.path.steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[change.path.steps[-1]] = _action(change)
    return places


def _changed(places: Action | Places, value: Any, item: Item, values: Values) -> Any:
    if not isinstance(places, dict):
        return places(value, item, values)
    if isinstance(next(iter(places)), str):
        if value is None or "M" not in value:
            raise _invalid_path()
        return {"M": _changed_members(places, value["M"], item, values)}
    if value is None or "L" not in value:
        raise _invalid_path()
    return {"L": _changed_elements(places, value["L"], item, values)}


def _changed_members(places: Places, members: Mapping[str, Any], item: Item, values: Values) -> dict[str, Any]:
    changed = dict(members)
    for step, inner in places.items():
        name = str(step)
        value = _changed(inner, members.get(name), item, values)
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value
    return changed


def _changed_elements(places: Places, elements: list[Any], item: Item, values: Values) -> list[Any]:
    """Positions are those of the list before the update; what is set behind its end is appended, lower ones first."""
    changed, length = list(elements), len(elements)
    for at in sorted(step for step in places if isinstance(step, int)):
        value = _changed(places[at], elements[at] if at < length else None, item, values)
        if at < length:
            changed[at] = value
        else:
            changed.append(value)
    return [value for value in changed if value is not None]


def _action(change: Change) -> Action:
    operand = change.value
    if operand is None or change.action == "REMOVE":
        return lambda value, item, values: None
    if change.action == "APPEND":
        operand = Function("list_append", (change.path, operand))
    get = _getter(operand)
    if change.action == "ADD":
        return lambda value, item, values: _added(value, get(item, values))
    if change.action == "DELETE":
        return lambda value, item, values: _deleted(value, get(item, values))
    return lambda value, item, values: get(item, values)


def _getter(operand: Operand) -> Getter:
    """The operand as a function, which refuses what is not there."""
    match operand:
        case Parameter(name):
            return lambda item, values: values[name]
        case Constant(value):
            return lambda item, values: value
        case Path(steps):
            return _read(steps)
        case Function("if_not_exists", (Path(steps), other)):
            return _if_not_exists(steps, _getter(other))
        case Function("list_append", (one, other)):
            return _list_append(_getter(one), _getter(other))
        case Arithmetic(operator, left, right):
            return _arithmetic(add_numbers if operator == "+" else subtract_numbers, _getter(left), _getter(right))
        case Function():
            raise TypeError(f"{operand} has no value in an update")


def _read(steps: tuple[str | int, ...]) -> Getter:
    def get(item: Item, values: Values) -> Any:
        value = reached(item, steps)
        if value is None:
            raise invalid("The provided expression refers to an attribute that does not exist in the item")
        return value

    return get


def _if_not_exists(steps: tuple[str | int, ...], other: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        # DynamoDB Local reads both, and refuses a second one that is missing even where the first is there.
        instead, value = other(item, values), reached(item, steps)
        return instead if value is None else value

    return get


def _list_append(one: Getter, other: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        return {"L": _of_type("L", one(item, values)) + _of_type("L", other(item, values))}

    return get


def _arithmetic(calculate: Callable[[str, str], str], left: Getter, right: Getter) -> Getter:
    def get(item: Item, values: Values) -> Any:
        return {"N": calculate(_of_type("N", left(item, values)), _of_type("N", right(item, values)))}

    return get


def _of_type(kind: str, value: Any) -> Any:
    if kind not in value:
        raise _wrong_type()
    return value[kind]


def _added(value: Any, added: Any) -> Any:
    if value is None:
        return added
    ((kind, content),) = added.items()
    known = _of_type(kind, value)
    if kind == "N":
        return {"N": add_numbers(known, content)}
    if kind not in SET_TYPES:
        raise _wrong_type()
    members = set(known)
    return {kind: known + [member for member in content if member not in members]}


def _deleted(value: Any, deleted: Any) -> Any:
    if value is None:
        return None
    ((kind, content),) = deleted.items()
    if kind not in SET_TYPES:
        raise _wrong_type()
    left = [member for member in _of_type(kind, value) if member not in content]
    return {kind: left} if left else None


def _extra_bytes(change: Change) -> int:
    if change.action in ("REMOVE", "DELETE"):
        return _CLEARING_BYTES
    into_list = _LIST_INDEX_BYTES if isinstance(change.path.steps[-1], int) else 0
    return _WRITING_BYTES + into_list + (_ARITHMETIC_BYTES if isinstance(change.value, Arithmetic) else 0)


def _invalid_path() -> RequestRefused:
    return invalid("The document path provided in the update expression is invalid for update")


def _wrong_type() -> RequestRefused:
    return invalid(INCORRECT_TYPE)
