"""Key attributes as bytes that sort as DynamoDB sorts: S by its UTF-8, N by its value, B by its unsigned bytes."""

from __future__ import annotations

from collections.abc import Callable

from singletable.values.binary import binary_bytes
from singletable.values.number import number_key_bytes

_BYTES: dict[str, Callable[[str], bytes]] = {"S": str.encode, "N": number_key_bytes, "B": binary_bytes}


def key_bytes(kind: str, value: str) -> bytes:
    """The bytes of an accepted S, N or B; two values of one type have the same bytes only when they are equal."""
    return _BYTES[kind](value)
