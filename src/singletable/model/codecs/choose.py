"""From a field's type and its place in a template to its codec: `created_at: datetime`, `{created_at:seconds:desc}`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, NewType, get_args, get_origin
from uuid import UUID

from singletable.model.codecs.boolean import BooleanCodec
from singletable.model.codecs.codec import Codec
from singletable.model.codecs.day import day_codec
from singletable.model.codecs.descending import DescendingCodec
from singletable.model.codecs.enumeration import ChoiceCodec, EnumCodec
from singletable.model.codecs.fixed_point import FixedPointCodec
from singletable.model.codecs.identifier import UuidCodec
from singletable.model.codecs.integer import IntegerCodec
from singletable.model.codecs.moment import PRECISIONS, moment_codec
from singletable.model.codecs.number import NumberCodec
from singletable.model.codecs.path import PathCodec
from singletable.model.codecs.raw import RawCodec
from singletable.model.codecs.text import TextCodec

Build = Callable[[Any, str, str], Codec | None]
"""From type, spec and delimiter to a codec; None when the type cannot be written that way."""

_DESCENDING = "desc"
_PADDED = re.compile(r"0([1-9][0-9]{0,3})d")
_POINTED = re.compile(r"0([1-9][0-9]{0,3})\.([0-9]{1,4})f")


@dataclass(frozen=True)
class _Kind:
    """The codecs of one kind of type, and how users write them."""

    spellings: str
    build: Build


def choose_codec(python_type: Any, spec: str, delimiter: str) -> Codec:
    """The codec of a field; a ValueError says what its type can have when the type or the spec is unknown."""
    plain = _seen_through(python_type)
    kind = _kind_of(plain)
    if kind is None:
        raise ValueError(f"{_name(python_type)} has no place in a key; a field of a key is {', '.join(_TYPE_NAMES)}")
    written, descending = _split(spec)
    codec = kind.build(plain, written, delimiter)
    if codec is None:
        raise ValueError(f"{{field:{spec}}} is unknown for {_name(python_type)}; it can be {kind.spellings}")
    return DescendingCodec(delimiter, codec) if descending else codec


def _seen_through(python_type: Any) -> Any:
    while isinstance(python_type, NewType):
        python_type = python_type.__supertype__
    return python_type


def _split(spec: str) -> tuple[str, bool]:
    """The spec without its last word `desc`, and whether it had one."""
    if spec == _DESCENDING:
        return "", True
    return spec.removesuffix(f":{_DESCENDING}"), spec.endswith(f":{_DESCENDING}")


def _kind_of(plain: Any) -> _Kind | None:
    if get_origin(plain) is Literal:
        return _CHOICE if all(isinstance(value, str) for value in get_args(plain)) else None
    if get_origin(plain) is tuple:
        element, *rest = get_args(plain) or (None,)
        return _PATH if _seen_through(element) is str and rest == [...] else None
    if isinstance(plain, type) and issubclass(plain, Enum):
        return _ENUM
    return next((kind for python_type, kind in _KINDS.items() if python_type is plain), None)


def _name(python_type: Any) -> str:
    return python_type.__name__ if isinstance(python_type, type | NewType) else str(python_type)


def _text(plain: Any, spec: str, delimiter: str) -> Codec | None:
    return {"": TextCodec(delimiter), "raw": RawCodec(delimiter)}.get(spec)


def _choice(plain: Any, spec: str, delimiter: str) -> Codec | None:
    return ChoiceCodec(delimiter, tuple(get_args(plain))) if not spec else None


def _enum(plain: Any, spec: str, delimiter: str) -> Codec | None:
    if not spec:
        return EnumCodec(delimiter, plain)
    padded = _PADDED.fullmatch(spec)
    return EnumCodec(delimiter, plain, int(padded[1])) if padded else None


def _moment(plain: Any, spec: str, delimiter: str) -> Codec | None:
    return moment_codec(delimiter, spec) if not spec or spec in PRECISIONS or "%" in spec else None


def _day(plain: Any, spec: str, delimiter: str) -> Codec | None:
    return day_codec(delimiter, spec) if not spec or "%" in spec else None


def _integer(plain: Any, spec: str, delimiter: str) -> Codec | None:
    if not spec:
        return IntegerCodec(delimiter)
    padded = _PADDED.fullmatch(spec)
    return IntegerCodec(delimiter, int(padded[1])) if padded else _number(plain, spec, delimiter)


def _number(plain: Any, spec: str, delimiter: str) -> Codec | None:
    if spec in {"", "number"}:
        return NumberCodec(delimiter, plain)
    pointed = _POINTED.fullmatch(spec)
    return FixedPointCodec(delimiter, int(pointed[1]), int(pointed[2]), plain) if pointed else None


def _only(codec: type[Codec], *specs: str) -> Build:
    return lambda plain, spec, delimiter: codec(delimiter) if spec in {"", *specs} else None


_NUMBER = _Kind("{field} or {field:number}, {field:08.2f}, each with :desc", _number)
_KINDS: dict[type, _Kind] = {
    str: _Kind("{field}, {field:raw}", _text),
    int: _Kind(
        "{field}, {field:06d}, {field:number}, {field:08.2f}, and the last three with :desc",
        _integer,
    ),
    Decimal: _NUMBER,
    float: _NUMBER,
    datetime: _Kind(
        f"{', '.join(f'{{field:{word}}}' for word in PRECISIONS)}, or a format such as {{field:%Y-%m-%dT%H}}, "
        "each with :desc",
        _moment,
    ),
    date: _Kind("{field}, or a format such as {field:%Y-%m-%d}, each with :desc", _day),
    UUID: _Kind("{field}", _only(UuidCodec)),
    bool: _Kind("{field}", _only(BooleanCodec)),
}
_CHOICE = _Kind("{field}", _choice)
_ENUM = _Kind("{field}, or {field:02d} when its values are whole numbers", _enum)
_PATH = _Kind("{field} or {field:path}", _only(PathCodec, "path"))
_TYPE_NAMES = (*(kind.__name__ for kind in _KINDS), "an Enum", "a Literal of texts", "tuple[str, ...]")
