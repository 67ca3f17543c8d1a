"""Selects the codec of a field by its type and format: `created_at: datetime`, `{created_at:seconds:desc}`.

The codecs of less common types are imported when a model uses them, because every program compiles its model at start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NewType, get_args, get_origin
from uuid import UUID

from singletable.lazy_dataclass import dataclass
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.datetime_codec import PRECISIONS, datetime_codec
from singletable.model.codecs.descending_codec import DescendingCodec
from singletable.model.codecs.number_codec import NumberCodec
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.codecs.text_codec import TextCodec
from singletable.model.type_codecs import BUILT_IN, TypeCodec, TypeCodecs

Build = Callable[[Any, str, str], Codec | None]
"""A function that takes a type, a format and a delimiter. It returns a codec, or None if the type lacks this format."""

_DESCENDING = "desc"
_PADDED = r"0([1-9][0-9]{0,3})d"
_POINTED = r"0([1-9][0-9]{0,3})\.([0-9]{1,4})f"


@dataclass(frozen=True)
class _Kind:
    """The formats that a type supports, for messages, and the function that returns the codec of a format."""

    spellings: str
    build: Build


def choose_codec(python_type: Any, spec: str, delimiter: str, codecs: TypeCodecs | None = None) -> Codec:
    """Return the codec of a field; raise ValueError if the type or the format is not supported.

    `codecs` are the type codecs of the entity; None means the built-in ones.
    """
    unwrapped = _unwrapped(python_type)
    if (of_type := (codecs or BUILT_IN).of_type(unwrapped)) is not None:
        return _of_stored_type(of_type, spec, delimiter, codecs)
    kind = _kind_of(unwrapped)
    if kind is None:
        raise ValueError(
            f"{_name(python_type)} is not supported in a key; supported types are {', '.join(_TYPE_NAMES)}"
        )
    format_, descending = _split(spec)
    codec = kind.build(unwrapped, format_, delimiter)
    if codec is None:
        raise ValueError(f"{{field:{spec}}} is not supported for {_name(python_type)}; use {kind.spellings}")
    return DescendingCodec(delimiter, codec) if descending else codec


def _of_stored_type(of_type: TypeCodec[Any, Any], spec: str, delimiter: str, codecs: TypeCodecs | None) -> Codec:
    """Return the key codec of a type with a type codec: one for the type itself, otherwise that of the stored type."""
    from singletable.model.codecs.stored_type_codec import StoredTypeCodec

    label, (format_, descending) = _name(of_type.type), _split(spec)
    own = _own_codec(of_type, delimiter)
    if own is not None:
        if format_:
            raise ValueError(f"{{field:{spec}}} is not supported for {label}; use {{field}} or {{field:desc}}")
        return DescendingCodec(delimiter, own) if descending else own
    try:
        codec = choose_codec(of_type.stored, spec, delimiter, codecs)
    except ValueError as problem:
        raise ValueError(f"{label} is stored as {_name(of_type.stored)}: {problem}") from problem
    if isinstance(codec, RawCodec):
        raise ValueError(f"{{field:{spec}}} is not supported for {label}; use {{field}}")
    return StoredTypeCodec(delimiter, of_type, codec)


def _own_codec(of_type: TypeCodec[Any, Any], delimiter: str) -> Codec | None:
    """Return the key codec of a built-in type whose stored values would not sort like its values, else None."""
    if BUILT_IN.of_type(of_type.type) is not of_type:
        return None
    from singletable.model.codecs.fixed_text_codec import FixedTextCodec, ip_codec

    if of_type.type is time:
        return FixedTextCodec(delimiter, time, "00:00:00.000000", of_type.to, time.fromisoformat)
    return ip_codec(delimiter, of_type.type) if of_type.type.__module__ == "ipaddress" else None


def _unwrapped(python_type: Any) -> Any:
    while isinstance(python_type, NewType):
        python_type = python_type.__supertype__
    return python_type


def _split(spec: str) -> tuple[str, bool]:
    """Return the format without `desc`, and whether it contained `desc`."""
    if spec == _DESCENDING:
        return "", True
    return spec.removesuffix(f":{_DESCENDING}"), spec.endswith(f":{_DESCENDING}")


def _kind_of(unwrapped: Any) -> _Kind | None:
    if get_origin(unwrapped) is Literal:
        return _LITERAL if all(isinstance(value, str) for value in get_args(unwrapped)) else None
    if get_origin(unwrapped) is tuple:
        element, *rest = get_args(unwrapped) or (None,)
        return _PATH if _unwrapped(element) is str and rest == [...] else None
    if isinstance(unwrapped, type) and issubclass(unwrapped, Enum):
        return _ENUM
    return next((kind for python_type, kind in _KINDS.items() if python_type is unwrapped), None)


def _name(python_type: Any) -> str:
    return python_type.__name__ if isinstance(python_type, type | NewType) else str(python_type)


def _text(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    return {"": TextCodec(delimiter), "raw": RawCodec(delimiter)}.get(spec)


def _literal(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    from singletable.model.codecs.enum_codec import LiteralCodec

    return LiteralCodec(delimiter, tuple(get_args(unwrapped))) if not spec else None


def _enum(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    from singletable.model.codecs.enum_codec import EnumCodec

    if not spec:
        return EnumCodec(delimiter, unwrapped)
    padded = re.fullmatch(_PADDED, spec)
    return EnumCodec(delimiter, unwrapped, int(padded[1])) if padded else None


def _datetime(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    return datetime_codec(delimiter, spec) if not spec or spec in PRECISIONS or "%" in spec else None


def _date(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    from singletable.model.codecs.date_codec import date_codec

    return date_codec(delimiter, spec) if not spec or "%" in spec else None


def _integer(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    from singletable.model.codecs.integer_codec import IntegerCodec

    if not spec:
        return IntegerCodec(delimiter)
    padded = re.fullmatch(_PADDED, spec)
    return IntegerCodec(delimiter, int(padded[1])) if padded else _number(unwrapped, spec, delimiter)


def _number(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    if spec in {"", "number"}:
        return NumberCodec(delimiter, unwrapped)
    from singletable.model.codecs.fixed_point_codec import FixedPointCodec

    pointed = re.fullmatch(_POINTED, spec)
    return FixedPointCodec(delimiter, int(pointed[1]), int(pointed[2]), unwrapped) if pointed else None


def _uuid(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    from singletable.model.codecs.uuid_codec import UuidCodec

    return UuidCodec(delimiter) if not spec else None


def _boolean(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    from singletable.model.codecs.boolean_codec import BooleanCodec

    return BooleanCodec(delimiter) if not spec else None


def _path(unwrapped: Any, spec: str, delimiter: str) -> Codec | None:
    return PathCodec(delimiter) if spec in {"", "path"} else None


_NUMBER = _Kind("{field} or {field:number}, {field:08.2f}, each optionally with :desc", _number)
_KINDS: dict[type, _Kind] = {
    str: _Kind("{field}, {field:raw}", _text),
    int: _Kind(
        "{field}, {field:06d}, {field:number}, {field:08.2f}, the last three optionally with :desc",
        _integer,
    ),
    Decimal: _NUMBER,
    float: _NUMBER,
    datetime: _Kind(
        f"{', '.join(f'{{field:{word}}}' for word in PRECISIONS)}, or a format such as {{field:%Y-%m-%dT%H}}, each "
        "optionally with :desc",
        _datetime,
    ),
    date: _Kind("{field}, or a format such as {field:%Y-%m-%d}, each optionally with :desc", _date),
    UUID: _Kind("{field}", _uuid),
    bool: _Kind("{field}", _boolean),
}
_LITERAL = _Kind("{field}", _literal)
_ENUM = _Kind("{field}, or {field:02d} if its values are ints", _enum)
_PATH = _Kind("{field} or {field:path}", _path)
_TYPE_NAMES = (*(kind.__name__ for kind in _KINDS), "an Enum", "a Literal of str", "tuple[str, ...]")
