"""What DynamoDB refuses in attribute values, in its words and its order: JSON types first, then names, then values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from singletable.errors import invalid
from singletable.values.json_types import read_item, read_value
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX
from singletable.values.number import NOT_NUMERIC, canonical_number

_INVALID = "One or more parameter values were invalid: "
_EMPTY_VALUE = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_SEVERAL_TYPES = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
)
_TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)


def check_item(item: Any) -> None:
    """Refuses an item that DynamoDB would not take, and writes its numbers in plain notation in place."""
    read_item(item)
    for name in item:
        check_name(name)
    _check_members(item, 1)


def check_value(value: Any) -> None:
    """The same for one attribute value, without a name."""
    read_value(value)
    _check_value(value, 1)


def check_nesting(item: dict[str, Any]) -> None:
    """Refuses an item of accepted values that an update has put together deeper than DynamoDB holds."""
    _check_nesting(item.values(), 1)


def _check_members(members: dict[str, Any], level: int) -> None:
    for name, value in members.items():
        if value is None:
            raise invalid(f"The supplied Item contains a null AttributeValue: {name} is null")
        _check_value(value, level)


def check_name(name: str) -> None:
    """Refuses a name that no attribute can have."""
    if not name:
        raise invalid("Empty attribute name")
    if len(name.encode()) > ATTRIBUTE_NAME_BYTES_MAX:
        raise invalid(f"Attribute name is too large, must be less than {ATTRIBUTE_NAME_BYTES_MAX + 1} bytes")


def _check_value(value: dict[str, Any], level: int) -> None:
    if level > NESTING_LEVELS_MAX:
        raise invalid(_TOO_DEEP)
    if not value:
        raise invalid(_EMPTY_VALUE)
    # Captured against the service: of `{"S": "a", "N": "b"}` it says that b is no number, not that there are two types.
    for kind, check in _CHECKS.items():
        if kind in value:
            check(value, level)
    if len(value) > 1:
        raise invalid(_SEVERAL_TYPES)


def _check_number(value: dict[str, Any], _: int) -> None:
    value["N"] = canonical_number(value["N"])


def _check_null(value: dict[str, Any], _: int) -> None:
    if value["NULL"] is not True:
        raise invalid(f"{_INVALID}Null attribute value types must have the value of true")


def _check_string_set(value: dict[str, Any], _: int) -> None:
    members = value["SS"]
    if not members:
        raise invalid(f"{_INVALID}An string set  may not be empty")
    if None in members:
        raise invalid(f"{_INVALID}An string set may not have a null string as a member")
    if len(set(members)) < len(members):
        raise invalid(f"{_INVALID}Input collection [{', '.join(members)}] contains duplicates.")


def _check_number_set(value: dict[str, Any], _: int) -> None:
    members = value["NS"]
    if not members:
        raise invalid(f"{_INVALID}An number set  may not be empty")
    if None in members:
        raise invalid(NOT_NUMERIC)
    members[:] = map(canonical_number, members)
    if len(set(members)) < len(members):
        raise invalid("Input collection contains duplicates")


def _check_binary_set(value: dict[str, Any], _: int) -> None:
    members = value["BS"]
    if not members:
        raise invalid(f"{_INVALID}Binary sets should not be empty")
    if None in members:
        raise invalid(f"{_INVALID}Binary sets may not contain null values")
    if len(set(members)) < len(members):
        raise invalid(f"{_INVALID}Input collection [{', '.join(members)}]of type BS contains duplicates.")


def _check_list(value: dict[str, Any], level: int) -> None:
    for element in value["L"]:
        if element is None:
            raise invalid("The supplied Item contains a null AttributeValue")
        _check_value(element, level + 1)


def _check_map(value: dict[str, Any], level: int) -> None:
    members = value["M"]
    _check_members(members, level + 1)
    # Captured against the service: what is wrong with a value is said before that a name inside of a map is empty.
    for name in members:
        check_name(name)


# The types that can be wrong once their JSON is right, in the order in which DynamoDB looks at them.
_CHECKS: dict[str, Callable[[dict[str, Any], int], None]] = {
    "N": _check_number,
    "NULL": _check_null,
    "BS": _check_binary_set,
    "NS": _check_number_set,
    "SS": _check_string_set,
    "L": _check_list,
    "M": _check_map,
}


def _check_nesting(values: Iterable[dict[str, Any]], level: int) -> None:
    for value in values:
        if level > NESTING_LEVELS_MAX:
            raise invalid(_TOO_DEEP)
        if "M" in value:
            _check_nesting(value["M"].values(), level + 1)
        elif "L" in value:
            _check_nesting(value["L"], level + 1)
