"""Key texts: a stored key split into literals and field values, and the same for key templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Codec
from singletable.model.derived.truncated_time import TruncatedTime
from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot, LiteralText, Slot
from singletable.model.keys import KeyPart, TemplatePart
from singletable.model.table_schema import Index, KeyAttribute

Item = Mapping[str, Mapping[str, Any]]
_PLAIN_DIGITS_MAX = 38
"""Numbers with at most this many digits before or after the point are shown without an exponent."""


@dataclass(frozen=True)
class KeyPiece:
    """A piece of a key: literal text, or the value of a field."""

    text: str
    field: str = ""
    """The field. Empty for literal text."""
    value: str = ""
    """The decoded value, if it differs from the text."""

    def __iter__(self) -> Iterator[str]:
        yield from (self.text, self.field, self.value)


KeyPieces = tuple[KeyPiece, ...]


def template_texts(part: KeyPart) -> KeyPieces:
    """Return the pieces of a key template. A field is shown in braces."""
    if not isinstance(part, TemplatePart):
        return (KeyPiece(part.field.name, part.field.name),)
    return tuple(
        KeyPiece(piece.text) if isinstance(piece, LiteralText) else KeyPiece(str(piece), piece.name)
        for piece in part.template.parts
    )


def place_texts(parts: Iterable[KeyPart]) -> KeyPieces:
    """Return the pieces of several key attributes, separated by a dot, as in a multi-attribute key."""
    found: list[KeyPiece] = []
    for number, part in enumerate(parts):
        found += [KeyPiece(" · ")] * bool(number)
        found += template_texts(part)
    return tuple(found)


def key_texts(item: Item, attributes: Iterable[KeyAttribute], entity: Entity | None, index: Index) -> KeyPieces:
    """Return the pieces of the stored key attributes of an item in the table or an index."""
    placement = entity.placements.get(index.alias) if entity is not None else None
    parts = {part.attribute: part for part in placement.parts} if placement is not None else {}
    found: list[KeyPiece] = []
    for number, attribute in enumerate(attributes):
        found += [KeyPiece(" · ")] * bool(number)
        found += _stored_texts(item[attribute.name], parts.get(attribute.name))
    return tuple(found)


def _stored_texts(value: Mapping[str, Any], part: KeyPart | None) -> KeyPieces:
    text = clean(text_of(value))
    if part is None:
        return (KeyPiece(text, "", ""),) if not text else _by_delimiter(text)
    if not isinstance(part, TemplatePart):
        return (KeyPiece(text, part.field.name),)
    try:
        texts = part.template.split(str(value.get("S", "")))
    except KeyRefused:
        return _by_delimiter(text)
    return tuple(
        KeyPiece(clean(piece_text)) if isinstance(piece, LiteralText) else _field_piece(piece, piece_text)
        for piece, piece_text in zip(part.template.parts, texts, strict=True)
        if piece_text
    )


def _field_piece(slot: Slot, text: str) -> KeyPiece:
    """Return the piece of a slot with its decoded value.

    For a truncated time, this is the value that the key contains.
    """
    shown = clean(text)
    if isinstance(slot, FieldSlot):
        return KeyPiece(shown, slot.name, _decoded(slot.codec, text))
    if isinstance(slot.derived, TruncatedTime):
        return KeyPiece(shown, slot.derived.fields[0], _decoded(slot.derived.codec, text))
    return KeyPiece(shown, slot.name)


def _decoded(codec: Codec, text: str) -> str:
    try:
        value = clean(value_text(codec.decode(text)))
    except KeyRefused:
        return ""
    return "" if value == text else value


def _by_delimiter(text: str) -> KeyPieces:
    """Return the pieces of a key that matches no template. A first segment in capitals, such as USER#, is a literal."""
    first, delimiter, rest = text.partition("#")
    if delimiter and first.isupper():
        return KeyPiece(first + delimiter), KeyPiece(rest, "value")
    return (KeyPiece(text, "value"),)


def value_text(value: Any) -> str:
    """Return a field value as short text: times without the `T`, and enum members as their value."""
    from datetime import datetime
    from decimal import Decimal
    from enum import Enum

    if isinstance(value, datetime):
        shown = value.isoformat(sep=" ", timespec="microseconds" if value.microsecond else "seconds")
        return shown.removesuffix("+00:00")
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < _PLAIN_DIGITS_MAX:
        return f"{value:f}"
    if isinstance(value, tuple) and all(isinstance(each, str) for each in value):
        return "/".join(value)
    return str(value)
