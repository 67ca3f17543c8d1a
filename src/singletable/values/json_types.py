"""The JSON types that attribute values arrive in, refused as DynamoDB's parser refuses them, before all other checks.

The words are those of the dynalite project's tests, which it ran against the service. What the service passes over is
taken out of the value: types that it does not know, and nulls; what it converts is converted: `{"BOOL": "true"}`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.errors import RequestRefused
from singletable.values.binary import BASE64_ALPHABET, LAST_BEFORE_PADDING, binary_bytes
from singletable.values.limits import NESTING_LEVELS_MAX

_VALUE_CLASS = "com.amazonaws.dynamodb.v20120810.AttributeValue"
_STRUCTURE = "Start of structure or map found where not expected"
_TRUTH = {"TRUE": True, "1": True, "YES": True, "FALSE": False, "0": False, "NO": False}


def read_item(item: Any, level: int = 1) -> None:
    """Refuses an item, or the content of a map, that is not names with attribute values by the types of its JSON."""
    if isinstance(item, list):
        raise _unreadable(f"Unrecognized collection type java.util.Map<java.lang.String, {_VALUE_CLASS}>")
    if not isinstance(item, dict):
        raise _unreadable("Unexpected field type")
    for name, value in item.items():
        _read_text(name)
        if value is not None:
            read_value(value, level)


def read_value(value: Any, level: int = 1) -> None:
    """Refuses an attribute value that is not one by the types of its JSON."""
    if isinstance(value, list):
        raise _unreadable(f"Unrecognized collection type class {_VALUE_CLASS}")
    if not isinstance(value, dict):
        raise _unreadable("Unexpected value type in payload")
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
            raise _unreadable("A string holds a surrogate that is not one of a pair, and has no UTF-8") from None
    return content


def _read_truth(content: Any) -> bool:
    if isinstance(content, bool):
        return content
    if not isinstance(content, str):
        raise _not_converted(content, "Boolean")
    if content.upper() not in _TRUTH:
        raise _unreadable("Unexpected token received from parser")
    return _TRUTH[content.upper()]


def _read_binary(content: Any) -> str:
    if isinstance(content, str):
        try:
            binary_bytes(content)
        except ValueError:
            raise _not_base64(content) from None
        return content
    if isinstance(content, list):
        raise _unreadable("Unrecognized collection type class java.nio.ByteBuffer")
    if isinstance(content, dict):
        raise _unreadable(_STRUCTURE)
    raise _unreadable("only base-64-encoded strings are convertible to bytes")


def _read_list(content: Any) -> list[Any]:
    if isinstance(content, dict):
        raise _unreadable(_STRUCTURE)
    if not isinstance(content, list):
        raise _unreadable("Unexpected field type")
    return content


def _reader_of_set(read_member: Callable[[Any], str]) -> Callable[[Any, int], list[Any]]:
    def read(content: Any, _: int) -> list[Any]:
        return [None if member is None else read_member(member) for member in _read_list(content)]

    return read


def _read_elements(content: Any, level: int) -> list[Any]:
    elements = _read_list(content)
    # What lies deeper than DynamoDB holds is refused for its depth, whatever it is; looking on could go on without end.
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
    "BOOL": lambda content, _: _read_truth(content),
    "NULL": lambda content, _: _read_truth(content),
    "SS": _reader_of_set(_read_text),
    "NS": _reader_of_set(_read_text),
    "BS": _reader_of_set(_read_binary),
    "L": _read_elements,
    "M": _read_members,
}


def _not_converted(content: Any, wanted: str) -> RequestRefused:
    if isinstance(content, dict):
        return _unreadable(_STRUCTURE)
    if isinstance(content, list):
        return _unreadable(f"Unrecognized collection type class java.lang.{wanted}")
    if isinstance(content, bool):
        return _unreadable(f"{str(content).upper()}_VALUE cannot be converted to {wanted}")
    if isinstance(content, int):
        return _unreadable(f"NUMBER_VALUE cannot be converted to {wanted}")
    if isinstance(content, float):
        return _unreadable(f"DECIMAL_VALUE cannot be converted to {wanted}")
    return _unreadable("Unexpected value type in payload")


def _not_base64(text: str) -> RequestRefused:
    if len(text) % 4:
        return _unreadable(f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}")
    padding = "==" if text.endswith("==") else "=" if text.endswith("=") else ""
    body = text.removesuffix(padding)
    if padding and body[-1:] not in LAST_BEFORE_PADDING[padding]:
        return _unreadable("Invalid last non-pad Base64 character dectected")  # spelt as the service spells it
    wrong = next(character for character in body if character not in BASE64_ALPHABET)
    return _unreadable(f"Invalid Base64 character: '{wrong}'")


def _unreadable(message: str) -> RequestRefused:
    return RequestRefused("SerializationException", message)
