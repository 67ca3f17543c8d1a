"""Requests generated from the declared shape of an action, so that every new action is fuzzed."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import inspect

from singletable.wire.api_types import Shape
from tests.engine.fuzz.filled_store import KEY

# Values for strings with these names. All other strings are the letter that the seeds use for names.
_TEXTS = {
    "TableName": "table",
    "IndexName": "gsi",
    "AttributeName": "pk",
    "ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table",
    "Statement": 'SELECT * FROM "table"',
}
_MAPS = {"Key": KEY, "Item": KEY, "ExclusiveStartKey": KEY}


def request_of(shape: type[Shape], *, is_full: bool) -> dict[str, Any]:
    """Return a request with every parameter, or with only the required ones."""
    made: dict[str, Any] = _value("", inspect.type_info(shape), is_full)
    return made


def _value(name: str, kind: inspect.Type, is_full: bool) -> Any:
    match kind:
        case inspect.StructType(fields=fields):
            return {
                field.encode_name: _value(field.encode_name, field.type, is_full)
                for field in fields
                if is_full or field.required
            }
        case inspect.UnionType(types=types):
            return _value(name, next(each for each in types if not isinstance(each, inspect.NoneType)), is_full)
        case inspect.Metadata(type=inner):
            return _value(name, inner, is_full)
        case inspect.StrType():
            return _TEXTS.get(name, "n")
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.BoolType():
            return True
        case inspect.IntType(ge=least) | inspect.FloatType(ge=least):
            return 1 if least is None else max(1, least)
        case inspect.ListType(item_type=inner, min_length=least):
            return [_value(name, inner, is_full) for _ in range(least or 1)]
        case inspect.DictType() if name in _MAPS:
            return _MAPS[name]
        case inspect.DictType(key_type=key, value_type=inner):
            if isinstance(inner, inspect.AnyType):
                return {"S": "a"}
            return {_value("TableName", key, is_full): _value(name, inner, is_full)}
        case _:
            return msgspec.json.decode(b'{"N": "1"}')
