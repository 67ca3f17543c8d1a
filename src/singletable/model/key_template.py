"""Key templates such as `ORDER#{created_at:seconds}#{id}`: parsing, encoding and decoding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from singletable.errors import KeyRefused
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.codecs.codec import Codec, SortOrder
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.codecs.text_codec import ESCAPE, ORDERED_DELIMITER, escape
from singletable.model.derived.derived_value import DerivedValue
from singletable.model.derived.truncated_time import TruncatedTime, truncated_time
from singletable.model.fields import Field, did_you_mean
from singletable.model.regular_language import ANYTHING, Language, concat, literal, overlap, pattern


@dataclass(frozen=True)
class LiteralText:
    """Literal text of a template, including delimiters."""

    text: str


@dataclass(frozen=True)
class FieldSlot:
    """A slot of a template for a field, which a codec encodes."""

    name: str
    codec: Codec
    spec: str = ""

    @property
    def width(self) -> int | None:
        """The number of characters, if it is fixed."""
        return self.codec.width

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the text depends on."""
        return (self.name,)

    @property
    def language(self) -> Language:
        """The language of the texts in this slot."""
        return self.codec.language

    @property
    def last_text(self) -> str | None:
        """The text that sorts last; None if there is no such text."""
        return self.codec.last_text

    def __str__(self) -> str:
        return f"{{{self.name}{':' + self.spec if self.spec else ''}}}"


@dataclass(frozen=True)
class DerivedSlot:
    """A slot for a derived value, which is never decoded."""

    name: str
    """The name of the derived value, or the slot as the template contains it, such as `created_at:seconds`."""
    derived: DerivedValue
    delimiter: str

    @property
    def width(self) -> int | None:
        """The number of characters, if it is fixed."""
        return self.derived.width

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the text depends on."""
        return self.derived.fields

    @property
    def language(self) -> Language:
        """The language of the texts in this slot."""
        return self.derived.language(self.delimiter)

    @property
    def last_text(self) -> str | None:
        """The text that sorts last; None if there is no such text."""
        return self.derived.last_text

    def __str__(self) -> str:
        return f"{{{self.name}}}"


Slot = FieldSlot | DerivedSlot
Part = LiteralText | Slot


@dataclass(frozen=True)
class Template:
    """A parsed and checked key template."""

    text: str
    parts: tuple[Part, ...]
    delimiter: str

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the template."""
        return tuple(part for part in self.parts if not isinstance(part, LiteralText))

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the key depends on."""
        return frozenset(name for slot in self.slots for name in slot.fields)

    @property
    def exact_fields(self) -> frozenset[str]:
        """The fields that can be decoded from the key. Only these fields make it unique."""
        return frozenset(slot.name for slot in self.slots if isinstance(slot, FieldSlot))

    @property
    def comparable_fields(self) -> frozenset[str]:
        """The fields that a key condition can compare: exact fields, and times that the key contains truncated."""
        times = (
            slot for slot in self.slots if isinstance(slot, DerivedSlot) and isinstance(slot.derived, TruncatedTime)
        )
        return self.exact_fields | {name for slot in times for name in slot.fields}

    @cached_property
    def language(self) -> Language:
        """The formal language of the template: the set of all keys that it can produce."""
        return concat(*(literal(part.text) if isinstance(part, LiteralText) else part.language for part in self.parts))

    def encode(self, values: Mapping[str, Any]) -> str | None:
        """Return the key for these field values.

        Return None if a field is None, because the item is then not in the index.
        """
        if any(values.get(name) is None for name in self.fields):
            return None
        return "".join(self.text_of(part, values) for part in self.parts)

    def text_of(self, part: Part, values: Mapping[str, Any]) -> str:
        """Return the text of one part of the key for these field values."""
        if isinstance(part, LiteralText):
            return part.text
        if isinstance(part, DerivedSlot) and not isinstance(part.derived, TruncatedTime):
            return escape(part.derived.compute(*(values[name] for name in part.fields)), self.delimiter)
        (name,) = part.fields
        try:
            return (
                part.derived.compute(values[name]) if isinstance(part, DerivedSlot) else part.codec.encode(values[name])
            )
        except KeyRefused as problem:
            message = str(problem).replace("{field", f"{{{name}")  # a codec does not have the name of its field
            raise KeyRefused(f"{name} in {self.text!r}: {message}") from problem

    def decode(self, key: str) -> dict[str, Any]:
        """Return the fields decoded from a key; raise KeyRefused if it does not match the template."""
        match = self._pattern.fullmatch(key)
        if match is None:
            raise KeyRefused(f"{key!r} does not match the template {self.text!r}")
        values: dict[str, Any] = {}
        for group, slot in zip(match.groups(), self.slots, strict=True):
            if isinstance(slot, FieldSlot):
                value = slot.codec.decode(group)
                if slot.name in values and values[slot.name] != value:
                    raise KeyRefused(f"{key!r} contains two different values for {slot.name}")
                values[slot.name] = value
        return values

    def split(self, key: str) -> tuple[str, ...]:
        """Return the text of each part of a key; raise KeyRefused if it does not match the template."""
        match = self._pattern.fullmatch(key)
        if match is None:
            raise KeyRefused(f"{key!r} does not match the template {self.text!r}")
        slots = iter(match.groups())
        return tuple(part.text if isinstance(part, LiteralText) else next(slots) for part in self.parts)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        expressions = (
            re.escape(part.text) if isinstance(part, LiteralText) else self._group(part) for part in self.parts
        )
        return re.compile("".join(expressions), re.DOTALL)

    def _group(self, slot: Slot) -> str:
        if isinstance(slot, DerivedSlot):
            return f"({pattern(slot.language)})"
        if slot.width is not None:
            return f"(.{{{slot.width}}})"
        if slot.codec.spans_segments:
            return "(.*)"
        return f"([^{re.escape(self.delimiter)}]*)"

    def __str__(self) -> str:
        return self.text


class InvalidTemplate(ValueError):
    """The template is invalid."""


_OTHER_SYNTAX = re.compile(r"[$%]\{([^{}]*)\}")
_PIECE = re.compile(r"\{([^{}]*)\}|([^{}]+)")


def parse_template(
    text: str, fields: Mapping[str, Field], derived: Mapping[str, DerivedValue], delimiter: str = ORDERED_DELIMITER
) -> Template:
    """Parse a template. Raise InvalidTemplate with the problem and a remedy."""
    *before, last = _parts(text, fields, derived, delimiter)
    parts = (*(_closed(part) for part in before), last)
    template = Template(text, parts, delimiter)
    _check_segments(template)
    return template


def _parts(
    text: str, fields: Mapping[str, Field], derived: Mapping[str, DerivedValue], delimiter: str
) -> Iterator[Part]:
    if not text:
        raise InvalidTemplate("the template is empty, but DynamoDB does not allow empty keys; add a literal")
    position = 0
    if found := _OTHER_SYNTAX.search(text):
        raise InvalidTemplate(f"{text!r} contains {found[0]!r}; write a field as {{{found[1]}}}")
    for match in _PIECE.finditer(text):
        if match.start() != position:
            break
        position = match.end()
        if match[2] is not None:
            yield _literal(match[2], delimiter)
        else:
            yield _slot(match[1], fields, derived, delimiter)
    if position != len(text):
        other = "; write a field with one pair of braces, such as {id}" if "{{" in text or "}}" in text else ""
        raise InvalidTemplate(f"{text!r} has an unmatched brace at character {position + 1}{other}")


def _closed(part: Part) -> Part:
    """Return a part that is not at the end of its template. Raw text must not contain the delimiter there."""
    if isinstance(part, FieldSlot) and isinstance(part.codec, RawCodec):
        return replace(part, codec=replace(part.codec, closed=True))
    return part


def _literal(text: str, delimiter: str) -> LiteralText:
    for character in text:
        if character != delimiter and character <= ESCAPE:
            raise InvalidTemplate(
                f"the literal {text!r} contains {character!r}, which is reserved for the ends of segments and "
                f"ranges; use only characters that sort after '%'"
            )
        if "\ud800" <= character <= "\udfff":
            raise InvalidTemplate(f"the literal {text!r} contains a lone surrogate, which cannot be encoded as UTF-8")
    return LiteralText(text)


def _slot(text: str, fields: Mapping[str, Field], derived: Mapping[str, DerivedValue], delimiter: str) -> Slot:
    name, _, spec = text.partition(":")
    if name in derived:
        if spec:
            raise InvalidTemplate(f"{{{text}}}: {name} is a derived value and does not support a format")
        slot = DerivedSlot(name, derived[name], delimiter)
        if overlap(slot.language, concat(ANYTHING, literal(delimiter), ANYTHING)):
            raise InvalidTemplate(f"{{{name}}}: {derived[name].label} can contain the delimiter {delimiter!r}")
        return slot
    if name not in fields:
        raise InvalidTemplate(_unknown(name, [*fields, *derived]))
    try:
        codec = choose_codec(fields[name].type, spec, delimiter, fields[name].codecs)
    except ValueError as problem:
        raise InvalidTemplate(f"{{{text}}}: {problem}") from problem
    truncated = truncated_time(name, codec)
    return FieldSlot(name, codec, spec) if truncated is None else DerivedSlot(text, truncated, delimiter)


def _unknown(name: str, known: list[str]) -> str:
    return f"{{{name}}} in the template is not a field of the class. {did_you_mean(name, known)}"


def _check_segments(template: Template) -> None:
    last_slot = template.parts[-1]
    for slot in template.slots:
        spans = isinstance(slot, FieldSlot) and slot.codec.spans_segments
        if spans and slot is not last_slot:
            raise InvalidTemplate(f"{slot} can contain the delimiter, so it must be last in {template.text!r}")
    for segment in segments(template.parts, template.delimiter):
        variable = [str(part) for part in segment if not isinstance(part, LiteralText) and part.width is None]
        if len(variable) > 1:
            raise InvalidTemplate(
                f"{' and '.join(variable)} are in one segment of {template.text!r} and have no fixed length, so "
                f"different items can have the same key; put {template.delimiter!r} between them"
            )


def segments(parts: tuple[Part, ...], delimiter: str) -> list[list[Part]]:
    """Return the parts of each segment between delimiters."""
    result: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, LiteralText):
            first, *others = part.text.split(delimiter)
            result[-1] += [LiteralText(first)] if first else []
            for text in others:
                result.append([LiteralText(text)] if text else [])
        else:
            result[-1].append(part)
    return result


def sorted_order(template: Template, slot: Slot) -> tuple[SortOrder, str]:
    """Return how keys with an equal prefix sort by this slot, and the reason if they are unordered."""
    if isinstance(slot, DerivedSlot):
        if isinstance(slot.derived, TruncatedTime):
            return slot.derived.order, slot.derived.codec.unordered_reason.replace("{field", f"{{{slot.fields[0]}")
        return SortOrder.NONE, (
            f"{slot} is derived from {', '.join(slot.fields)} and does not sort in the order of these fields"
        )
    codec = slot.codec
    if codec.order is SortOrder.NONE:
        return SortOrder.NONE, codec.unordered_reason.replace("{field", f"{{{slot.name}")
    if codec.raw and slot is not template.parts[-1]:
        return SortOrder.NONE, f"{slot} is raw text, which keeps its order only at the end of a key"
    if codec.width is None and _literal_follows(template, slot):
        return SortOrder.NONE, f"{slot} has no fixed length and is followed by text in its segment of {template.text!r}"
    return codec.order, ""


def _literal_follows(template: Template, slot: Slot) -> bool:
    position = template.parts.index(slot)
    following = template.parts[position + 1] if position + 1 < len(template.parts) else None
    if following is None:
        return False
    return not (isinstance(following, LiteralText) and following.text.startswith(template.delimiter))
