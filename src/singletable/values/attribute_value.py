"""Python values in DynamoDB's JSON form: `{"S": "..."}`, `{"N": "..."}` and the other types."""

from __future__ import annotations

import base64
import enum
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

AttributeValue = dict[str, Any]


def attribute_value(value: Any) -> AttributeValue:
    """One value with its type; raises TypeError for what DynamoDB cannot hold."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case enum.Enum():
            return attribute_value(value.value)
        case str():
            return {"S": value}
        case int() | Decimal() | float():
            return {"N": number_text(value)}
        case bytes() | bytearray():
            return {"B": base64.b64encode(value).decode()}
        case datetime():
            return {"S": value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
        case date() | UUID():
            return {"S": str(value)}
        case Mapping():
            return {"M": {str(key): attribute_value(inner) for key, inner in value.items()}}
        case list() | tuple():
            return {"L": [attribute_value(inner) for inner in value]}
        case set() | frozenset():
            return _set(value)
        case _:
            raise TypeError(f"{value!r} is of no type that DynamoDB holds")


def number_text(value: int | float | Decimal) -> str:
    """A number as DynamoDB writes it."""
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _set(values: set[Any] | frozenset[Any]) -> AttributeValue:
    typed = [attribute_value(value) for value in values]
    kinds = {kind for each in typed for kind in each}
    if len(kinds) == 1 and (kind := kinds.pop()) in ("S", "N", "B"):
        return {f"{kind}S": sorted(each[kind] for each in typed)}
    raise TypeError(f"{values!r} is not a set of texts, of numbers or of bytes, which are the sets DynamoDB holds")
