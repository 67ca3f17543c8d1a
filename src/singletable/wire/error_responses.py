"""Error responses: DynamoDB's error for a malformed request, and the encoding of errors as JSON.

The request decoder reports only that a request is malformed. This module parses the body again and finds the error that
DynamoDB reports: first a wrong JSON type (SerializationException), then violated constraints, up to ten in one error.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal, NoReturn

import msgspec
from msgspec import Meta

from singletable.errors import RequestRefused, invalid
from singletable.wire.api_types import REPORTED_PATTERN, Shape, decoder_of
from singletable.wire.table_requests import LONG, REQUIRED

ERRORS_MAX = 10
# This number exceeds the maximum length of every list in a request. A list that is too long is still too long after the
# cut.
EXPLAINED_ELEMENTS_MAX = 1000
# No declared structure is nested more deeply. Attribute values can be, but this module does not search them for errors.
SHAPE_DEPTH_MAX = 8

_API = "com.amazonaws.dynamodb.v20120810."


def request_error(shape: type[Shape], body: bytes) -> RequestRefused:
    """Return DynamoDB's error for a request body that could not be decoded as this shape."""
    try:
        raw = msgspec.json.decode(body, type=msgspec.Raw)
        if _first_byte(raw) != b"{":
            return _serialization("The request body must be a JSON object")
        # Most errors of a huge document are at its beginning, or concern the length of a list.
        error = _document_error(shape, _beginning(raw)) or _document_error(shape, msgspec.json.decode(raw))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # DynamoDB sends no message (tests of Alternator that pass on DynamoDB).
        return _serialization("")
    return error or _serialization("The request could not be understood")


def _document_error(shape: type[Shape], document: dict[str, Any]) -> RequestRefused | None:
    try:
        _check_type(shape, document)
    except RequestRefused as error:
        return error
    for field in _fields(shape):
        if field.required_parameter and document.get(field.name) is None:
            return invalid(f"The parameter '{field.name}' is required but was not present in the request")
    messages = list(islice(_shape_errors(shape, document, ""), ERRORS_MAX))
    errors = "error" if len(messages) == 1 else "errors"
    return invalid(f"{len(messages)} validation {errors} detected: {'; '.join(messages)}") if messages else None


def _beginning(raw: msgspec.Raw, depth: int = SHAPE_DEPTH_MAX) -> Any:
    """Decode a JSON value with only the first elements of long lists and objects."""
    kind = _first_byte(raw)
    if depth and kind == b"[":
        elements = _decode_list(raw)[:EXPLAINED_ELEMENTS_MAX]
        return [_beginning(element, depth - 1) for element in elements]
    if depth and kind == b"{":
        members = islice(_decode_object(raw).items(), EXPLAINED_ELEMENTS_MAX)
        return {name: _beginning(each, depth - 1) for name, each in members}
    return msgspec.json.decode(raw)


def _first_byte(raw: msgspec.Raw) -> bytes:
    return bytes(memoryview(raw)[:1])


_decode_list = decoder_of(list[msgspec.Raw]).decode
_decode_object = decoder_of(dict[str, msgspec.Raw]).decode


def _serialization(message: str) -> RequestRefused:
    return RequestRefused("SerializationException", message)


class _Field(typing.NamedTuple):
    """A field of a shape. If `required_parameter` is set, DynamoDB has a separate message for the missing field."""

    name: str
    annotation: Any
    required: bool
    required_parameter: bool


@cache
def _fields(shape: type[Shape]) -> tuple[_Field, ...]:
    """Return the fields of a shape, in the order in which DynamoDB reports their errors."""
    hints = typing.get_type_hints(shape, include_extras=True)
    found = []
    for info in msgspec.structs.fields(shape):
        annotation = _without_none(hints[info.name])
        extra = {key: True for meta in _metas(annotation) for key in (meta.extra or {})}
        found.append(_Field(info.encode_name, annotation, info.required, REQUIRED in extra))
    return tuple(found)


def _without_none(annotation: Any) -> Any:
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        (only,) = [each for each in typing.get_args(annotation) if each is not type(None)]
        return only
    return annotation


def _metas(annotation: Any) -> tuple[msgspec.Meta, ...]:
    if typing.get_origin(annotation) is Annotated:
        return tuple(each for each in typing.get_args(annotation)[1:] if isinstance(each, msgspec.Meta))
    return ()


def _without_metas(annotation: Any) -> Any:
    return typing.get_args(annotation)[0] if typing.get_origin(annotation) is Annotated else annotation


def _check_type(annotation: Any, value: Any, *, is_element: bool = False) -> None:
    """Reject a value whose JSON type differs from the declared type; a null counts as a missing value."""
    if value is None:
        return
    inner = _without_metas(annotation)
    if isinstance(inner, type) and issubclass(inner, Shape):
        _check_object(value, f"class {_API}{inner.__name__}", is_element=is_element)
        for field in _fields(inner):
            _check_type(field.annotation, value.get(field.name))
    elif typing.get_origin(inner) is list:
        if not isinstance(value, list):
            raise _serialization(_not_a_list(value))
        for element in value:
            _check_type(typing.get_args(inner)[0], element, is_element=True)
    elif typing.get_origin(inner) is dict:
        _check_object(value, _java_class_of_map(inner), is_element=is_element)
        member = typing.get_args(inner)[1]
        for element in value.values() if member is not Any else ():
            _check_type(member, element, is_element=True)
    else:
        is_long = any(LONG in (meta.extra or {}) for meta in _metas(annotation))
        _check_scalar(str if typing.get_origin(inner) is Literal else inner, value, is_long=is_long)


def _check_object(value: Any, java: str, *, is_element: bool) -> None:
    """Reject a value that is not an object. As in DynamoDB, fields and elements have different messages."""
    if isinstance(value, list):
        raise _serialization(f"Unrecognized collection type {java}")
    if not isinstance(value, dict):
        raise _serialization("Unexpected value type in payload" if is_element else "Unexpected field type")


def _java_class_of_map(annotation: Any) -> str:
    """Return the Java class of a map, as DynamoDB names it in error messages."""
    inner = typing.get_args(annotation)[1]
    if inner is Any:
        return f"class {_API}AttributeValue"
    element = "java.lang.String" if inner is str else f"{_API}{getattr(inner, '__name__', 'AttributeValue')}"
    return f"java.util.Map<java.lang.String, {element if inner != dict[str, Any] else _API + 'AttributeValue'}>"


def _not_a_list(value: Any) -> str:
    if isinstance(value, dict):
        return "Start of structure or map found where not expected"
    return "Unexpected field type"


_JAVA = {str: "String", int: "Integer", bool: "Boolean", float: "Double"}


def _check_scalar(expected: type, value: Any, *, is_long: bool) -> None:
    java = "Long" if is_long else _JAVA[expected]
    if isinstance(value, list):
        raise _serialization(f"Unrecognized collection type class java.lang.{java}")
    if isinstance(value, dict):
        raise _serialization("Start of structure or map found where not expected")
    if type(value) is expected or (expected is float and type(value) is int):
        return
    _reject_conversion(value, java)


def _reject_conversion(value: Any, java: str) -> NoReturn:
    if java == "Boolean" and isinstance(value, str):
        raise _serialization("Unexpected token received from parser")
    match value:
        case bool():
            given = "TRUE_VALUE" if value else "FALSE_VALUE"
        case str():
            given = "STRING_VALUE"
        case int():
            given = "NUMBER_VALUE"
        case _:
            given = "DECIMAL_VALUE"
    raise _serialization(f"{given} cannot be converted to {java}")


def _shape_errors(shape: type[Shape], document: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the messages for the violated constraints of a structure. They show its fields with the prefix `path`."""
    for field in _fields(shape):
        field_path = f"{path}{field.name[0].lower()}{field.name[1:]}"
        value = document.get(field.name)
        if value is not None:
            yield from _value_errors(field.annotation, value, field_path)
        elif field.required:
            yield f"Value null at '{field_path}' failed to satisfy constraint: Member must not be null"


def _value_errors(annotation: Any, value: Any, path: str) -> Iterator[str]:
    """Yield the messages for the violated constraints of a value, and of all values in it."""
    for rule in _violated_rules(annotation, value):
        yield f"Value '{shown(value)}' at '{path}' failed to satisfy constraint: {rule}"
    inner = _without_metas(annotation)
    if isinstance(inner, type) and issubclass(inner, Shape):
        yield from _shape_errors(inner, value, f"{path}.")
    elif typing.get_origin(inner) is list:
        for position, element in enumerate(value, start=1):
            yield from _element_errors(typing.get_args(inner)[0], element, f"{path}.{position}.member")
    elif typing.get_origin(inner) is dict and typing.get_args(inner)[1] is not Any:
        yield from _map_errors(inner, value, path)


def _map_errors(annotation: Any, value: dict[str, Any], path: str) -> Iterator[str]:
    keys, values = typing.get_args(annotation)
    for kind, inner, members in (("keys", keys, value.keys()), ("value", values, value.values())):
        rules = _all_rules(inner)
        if rules and any(next(_violated_rules(inner, member), None) for member in members if member is not None):
            rule = f"Map {kind} must satisfy constraint: [{', '.join(rules)}]"
            yield f"Value '{shown(value)}' at '{path}' failed to satisfy constraint: {rule}"
            return
    for name, element in value.items():
        yield from _element_errors(values, element, f"{path}.{name}.member")


def _element_errors(annotation: Any, element: Any, path: str) -> Iterator[str]:
    if element is None:
        yield f"Value null at '{path}' failed to satisfy constraint: Member must not be null"
    else:
        yield from _value_errors(annotation, element, path)


def _all_rules(annotation: Any) -> list[str]:
    """Return all constraints of the keys or values of a map.

    DynamoDB reports them together, with the upper bound first.
    """
    rules = []
    for meta in _metas(annotation):
        if meta.max_length is not None:
            rules.append(f"Member must have length less than or equal to {meta.max_length}")
        if meta.min_length is not None:
            rules.append(f"Member must have length greater than or equal to {meta.min_length}")
        if meta.pattern is not None:
            rules.append(f"Member must satisfy regular expression pattern: {_reported_pattern(meta)}")
    return rules


def _reported_pattern(meta: Meta) -> str:
    """Return the pattern in DynamoDB's error message; `meta.pattern` may be an equivalent, faster pattern."""
    pattern = (meta.extra or {}).get(REPORTED_PATTERN) or meta.pattern or ""
    return str(pattern).strip("^$")


def _violated_rules(annotation: Any, value: Any) -> Iterator[str]:
    """Yield the constraints that a value itself violates, in DynamoDB's words."""
    inner = _without_metas(annotation)
    if typing.get_origin(inner) is Literal and value not in typing.get_args(inner):
        yield f"Member must satisfy enum value set: [{', '.join(typing.get_args(inner))}]"
    for meta in _metas(annotation):
        if meta.pattern is not None and value and not re.search(meta.pattern, value):
            yield f"Member must satisfy regular expression pattern: {_reported_pattern(meta)}"
        if meta.min_length is not None and len(value) < meta.min_length:
            yield f"Member must have length greater than or equal to {meta.min_length}"
        if meta.max_length is not None and len(value) > meta.max_length:
            yield f"Member must have length less than or equal to {meta.max_length}"
        if meta.ge is not None and value < meta.ge:
            yield f"Member must have value greater than or equal to {meta.ge}"
        if meta.le is not None and value > meta.le:
            yield f"Member must have value less than or equal to {meta.le}"


def shown(value: Any) -> str:
    """Return a value as DynamoDB shows it in error messages."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(shown(element) for element in value)}]"
        case {"AttributeName": name, "KeyType": key_type, **rest} if not rest:
            return f"KeySchemaElement(attributeName={name}, keyType={key_type})"
        case dict():
            return "{" + ", ".join(f"{name}={shown(element)}" for name, element in value.items()) + "}"
        case _:
            return str(value)


_DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
_SERVICE = "com.amazon.coral.service#"
_NAMESPACES = {
    "ValidationException": "com.amazon.coral.validate#",
    "SerializationException": _SERVICE,
    "UnknownOperationException": _SERVICE,
    "MissingAuthenticationTokenException": _SERVICE,
    "IncompleteSignatureException": _SERVICE,
    "InvalidSignatureException": _SERVICE,
    "UnrecognizedClientException": _SERVICE,
    "AccessDeniedException": _SERVICE,
    "ThrottlingException": "com.amazon.coral.availability#",
}
# As in DynamoDB, these two errors have their text in the field `Message`; all other errors have it in `message`.
_MESSAGE_FIELDS = {"TransactionCanceledException": "Message", "SerializationException": "Message"}

_STATUS = {"InternalServerError": 500, "RequestTooLarge": 413, "RequestEntityTooLarge": 413}


def error_body(error: RequestRefused) -> bytes:
    """Return an error as JSON. Its type has the namespace that DynamoDB uses and the SDKs expect."""
    document = {"__type": f"{_NAMESPACES.get(error.code, _DYNAMODB)}{error.code}", **error.fields}
    if error.message:
        document[_MESSAGE_FIELDS.get(error.code, "message")] = error.message
    return msgspec.json.encode(document)


def error_status(error: RequestRefused) -> int:
    """Return the HTTP status of an error."""
    return _STATUS.get(error.code, 400)
