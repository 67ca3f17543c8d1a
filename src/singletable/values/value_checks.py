"""Checks of attribute values, with DynamoDB's messages in DynamoDB's order: JSON types, then names, then values.

The messages about JSON types come from the tests of the dynalite project, which ran against DynamoDB. Like
DynamoDB, the checks change a value in place: they remove unknown types and nulls, and convert `{"BOOL": "true"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from singletable.errors import RequestRefused, invalid
from singletable.values.limits import ATTRIBUTE_NAME_BYTES_MAX, NESTING_LEVELS_MAX
from singletable.values.scalars import BASE64_ALPHABET, LAST_BEFORE_PADDING, NOT_NUMERIC, binary_bytes, canonical_number

_INVALID = "One or more parameter values were invalid: "
_EMPTY_VALUE = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_SEVERAL_TYPES = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
)
_TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
_VALUE_CLASS = "com.amazonaws.dynamodb.v20120810.AttributeValue"
_STRUCTURE = "Start of structure or map found where not expected"
_BOOLS = {"TRUE": True, "1": True, "YES": True, "FALSE": False, "0": False, "NO": False}


def check_item(item: Any) -> None:
    """Reject an item that DynamoDB rejects; in a valid item, replace numbers with their canonical form."""
    read_item(item)
    for name in item:
        check_name(name)
    _check_members(item, 1)


def check_value(value: Any) -> None:
    """Reject an attribute value that DynamoDB rejects; in a valid value, replace numbers with their canonical form."""
    read_value(value)
    _check_value(value, 1)


def check_nesting(item: dict[str, Any]) -> None:
    """Reject an updated item that is nested more deeply than DynamoDB allows."""
    _check_nesting(item.values(), 1)


def _check_members(members: dict[str, Any], level: int) -> None:
    for name, value in members.items():
        if value is None:
            raise invalid(f"The supplied Item contains a null AttributeValue: {name} is null")
        _check_value(value, level)


def check_name(name: str) -> None:
    """Reject an invalid attribute name."""
    if not name:
        raise invalid("Empty attribute name")
    if len(name.encode()) > ATTRIBUTE_NAME_BYTES_MAX:
        raise invalid(f"Attribute name is too large, must be less than {ATTRIBUTE_NAME_BYTES_MAX + 1} bytes")


def _check_value(value: dict[str, Any], level: int) -> None:
    if level > NESTING_LEVELS_MAX:
        raise invalid(_TOO_DEEP)
    if not value:
        raise invalid(_EMPTY_VALUE)
    # For `{"S": "a", "N": "b"}`, DynamoDB reports that b is not numeric, instead of the two types (captured from AWS).
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
    # DynamoDB checks the values of a map before the names (captured from AWS).
    for name in members:
        check_name(name)


# The types whose content can be invalid although its JSON type is correct, in DynamoDB's order of checks.
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


def read_item(item: Any, level: int = 1) -> None:
    """Check the JSON types of an item or of the members of a map; change the values as DynamoDB does."""
    if isinstance(item, list):
        raise _serialization_error(f"Unrecognized collection type java.util.Map<java.lang.String, {_VALUE_CLASS}>")
    if not isinstance(item, dict):
        raise _serialization_error("Unexpected field type")
    for name, value in item.items():
        _read_text(name)
        if value is not None:
            read_value(value, level)


def read_value(value: Any, level: int = 1) -> None:
    """Check the JSON types of an attribute value; remove unknown types and nulls from it, and convert booleans."""
    if isinstance(value, list):
        raise _serialization_error(f"Unrecognized collection type class {_VALUE_CLASS}")
    if not isinstance(value, dict):
        raise _serialization_error("Unexpected value type in payload")
    for kind in list(value):
        if kind not in _READERS or value[kind] is None:
            del value[kind]
        else:
            value[kind] = _READERS[kind](value[kind], level)


def _read_text(content: Any) -> str:
    if not isinstance(content, str):
        raise _not_converted(content, "String")
    if not content.isascii():
        try:
            content.encode()
        except UnicodeEncodeError:
            raise _serialization_error("A string contains an unpaired surrogate, which has no UTF-8 encoding") from None
    return content


def _read_bool(content: Any) -> bool:
    if isinstance(content, bool):
        return content
    if not isinstance(content, str):
        raise _not_converted(content, "Boolean")
    if content.upper() not in _BOOLS:
        raise _serialization_error("Unexpected token received from parser")
    return _BOOLS[content.upper()]


def _read_binary(content: Any) -> str:
    if isinstance(content, str):
        try:
            binary_bytes(content)
        except ValueError:
            raise _not_base64(content) from None
        return content
    if isinstance(content, list):
        raise _serialization_error("Unrecognized collection type class java.nio.ByteBuffer")
    if isinstance(content, dict):
        raise _serialization_error(_STRUCTURE)
    raise _serialization_error("only base-64-encoded strings are convertible to bytes")


def _read_list(content: Any) -> list[Any]:
    if isinstance(content, dict):
        raise _serialization_error(_STRUCTURE)
    if not isinstance(content, list):
        raise _serialization_error("Unexpected field type")
    return content


def _set_reader(read_member: Callable[[Any], str]) -> Callable[[Any, int], list[Any]]:
    def read(content: Any, _: int) -> list[Any]:
        return [None if member is None else read_member(member) for member in _read_list(content)]

    return read


def _read_elements(content: Any, level: int) -> list[Any]:
    elements = _read_list(content)
    # A later check rejects values below the deepest level, so this function does not check them.
    if level < NESTING_LEVELS_MAX:
        for element in elements:
            if element is not None:
                read_value(element, level + 1)
    return elements


def _read_members(content: Any, level: int) -> Any:
    if level < NESTING_LEVELS_MAX or not isinstance(content, dict):
        read_item(content, level + 1)
    return content


_READERS: dict[Any, Callable[[Any, int], Any]] = {
    "S": lambda content, _: _read_text(content),
    "N": lambda content, _: _read_text(content),
    "B": lambda content, _: _read_binary(content),
    "BOOL": lambda content, _: _read_bool(content),
    "NULL": lambda content, _: _read_bool(content),
    "SS": _set_reader(_read_text),
    "NS": _set_reader(_read_text),
    "BS": _set_reader(_read_binary),
    "L": _read_elements,
    "M": _read_members,
}


def _not_converted(content: Any, java: str) -> RequestRefused:
    """Return the error for a JSON value that DynamoDB cannot convert to a Java class such as String."""
    if isinstance(content, dict):
        return _serialization_error(_STRUCTURE)
    if isinstance(content, list):
        return _serialization_error(f"Unrecognized collection type class java.lang.{java}")
    if isinstance(content, bool):
        return _serialization_error(f"{str(content).upper()}_VALUE cannot be converted to {java}")
    if isinstance(content, int):
        return _serialization_error(f"NUMBER_VALUE cannot be converted to {java}")
    if isinstance(content, float):
        return _serialization_error(f"DECIMAL_VALUE cannot be converted to {java}")
    return _serialization_error("Unexpected value type in payload")


def _not_base64(text: str) -> RequestRefused:
    """Return the error for a text that is not valid base64."""
    if len(text) % 4:
        return _serialization_error(f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}")
    padding = "==" if text.endswith("==") else "=" if text.endswith("=") else ""
    body = text.removesuffix(padding)
    if padding and body[-1:] not in LAST_BEFORE_PADDING[padding]:
        # the message has this spelling error in DynamoDB too
        return _serialization_error("Invalid last non-pad Base64 character dectected")
    wrong = next(character for character in body if character not in BASE64_ALPHABET)
    return _serialization_error(f"Invalid Base64 character: '{wrong}'")


def _serialization_error(message: str) -> RequestRefused:
    return RequestRefused("SerializationException", message)
