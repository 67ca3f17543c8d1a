"""Key templates: `ORDER#{created_at:seconds}#{id}` as literals and slots that encode and parse back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from singletable.errors import KeyRefused
from singletable.model.codecs.choose import choose_codec
from singletable.model.codecs.codec import Codec, Order
from singletable.model.codecs.raw import RawCodec
from singletable.model.codecs.text import ESCAPE, ORDERED_DELIMITER, escape
from singletable.model.derived.derived import Derived
from singletable.model.fields import Field
from singletable.model.language import ANYTHING, Language, concat, literal, overlap, pattern
from singletable.model.suggestion import did_you_mean


@dataclass(frozen=True)
class Literal:
    """Fixed text, delimiters included."""

    text: str


@dataclass(frozen=True)
class FieldSlot:
    """A field, written by an exact codec."""

    name: str
    codec: Codec
    spec: str = ""

    @property
    def width(self) -> int | None:
        """The number of characters when it is always the same."""
        return self.codec.width

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the text depends on."""
        return (self.name,)

    @property
    def language(self) -> Language:
        """Every text that can stand here."""
        return self.codec.language

    def __str__(self) -> str:
        return f"{{{self.name}{':' + self.spec if self.spec else ''}}}"


@dataclass(frozen=True)
class DerivedSlot:
    """A derived value, computed from fields and never parsed back."""

    name: str
    derived: Derived
    delimiter: str

    @property
    def width(self) -> int | None:
        """The number of characters when it is always the same."""
        return self.derived.width

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the text depends on."""
        return self.derived.fields

    @property
    def language(self) -> Language:
        """Every text that can stand here."""
        return self.derived.language(self.delimiter)

    def __str__(self) -> str:
        return f"{{{self.name}}}"


Slot = FieldSlot | DerivedSlot
Part = Literal | Slot


@dataclass(frozen=True)
class Template:
    """A key template, parsed and checked."""

    text: str
    parts: tuple[Part, ...]
    delimiter: str

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The parts that depend on the item."""
        return tuple(part for part in self.parts if not isinstance(part, Literal))

    @property
    def fields(self) -> frozenset[str]:
        """Every field that the key depends on."""
        return frozenset(name for slot in self.slots for name in slot.fields)

    @property
    def exact_fields(self) -> frozenset[str]:
        """The fields that parse back from the key; only these make it unique."""
        return frozenset(slot.name for slot in self.slots if isinstance(slot, FieldSlot))

    @cached_property
    def language(self) -> Language:
        """Every key that the template can make."""
        return concat(*(literal(part.text) if isinstance(part, Literal) else part.language for part in self.parts))

    def encode(self, values: Mapping[str, Any]) -> str | None:
        """The key of an item with these field values; None when a field it needs is None (the item is not indexed)."""
        if any(values.get(name) is None for name in self.fields):
            return None
        return "".join(self.text_of(part, values) for part in self.parts)

    def text_of(self, part: Part, values: Mapping[str, Any]) -> str:
        """The text that one part contributes to the key of an item with these field values."""
        if isinstance(part, Literal):
            return part.text
        if isinstance(part, DerivedSlot):
            return escape(part.derived.compute(*(values[name] for name in part.fields)), self.delimiter)
        try:
            return part.codec.encode(values[part.name])
        except KeyRefused as problem:
            told = str(problem).replace("{field", f"{{{part.name}")  # codecs do not know whose they are
            raise KeyRefused(f"{part.name} in {self.text!r}: {told}") from problem

    def decode(self, key: str) -> dict[str, Any]:
        """The fields that made this key; raises KeyRefused when none did."""
        match = self._pattern.fullmatch(key)
        if match is None:
            raise KeyRefused(f"{key!r} is not a key of the template {self.text!r}")
        values: dict[str, Any] = {}
        for group, slot in zip(match.groups(), self.slots, strict=True):
            if isinstance(slot, FieldSlot):
                value = slot.codec.decode(group)
                if slot.name in values and values[slot.name] != value:
                    raise KeyRefused(f"{key!r} holds two different values for {slot.name}")
                values[slot.name] = value
        return values

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        written = (re.escape(part.text) if isinstance(part, Literal) else self._group(part) for part in self.parts)
        return re.compile("".join(written), re.DOTALL)

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


class TemplateProblem(ValueError):
    """A template that cannot be a key."""


_PIECE = re.compile(r"\{([^{}]*)\}|([^{}]+)")


def parse_template(
    text: str, fields: Mapping[str, Field], derived: Mapping[str, Derived], delimiter: str = ORDERED_DELIMITER
) -> Template:
    """Read a template; raises TemplateProblem with what is wrong in it and the way out."""
    *before, last = _parts(text, fields, derived, delimiter)
    parts = (*(_closed(part) for part in before), last)
    template = Template(text, parts, delimiter)
    _check_segments(template)
    return template


def _parts(text: str, fields: Mapping[str, Field], derived: Mapping[str, Derived], delimiter: str) -> Iterator[Part]:
    if not text:
        raise TemplateProblem("an empty template makes an empty key, which DynamoDB refuses; write a literal into it")
    position = 0
    for match in _PIECE.finditer(text):
        if match.start() != position:
            break
        position = match.end()
        if match[2] is not None:
            yield _literal(match[2], delimiter)
        else:
            yield _slot(match[1], fields, derived, delimiter)
    if position != len(text):
        raise TemplateProblem(f"{text!r} has a brace without its partner at character {position + 1}")


def _closed(part: Part) -> Part:
    """A part that something follows: raw text there must not hold the delimiter."""
    if isinstance(part, FieldSlot) and isinstance(part.codec, RawCodec):
        return replace(part, codec=replace(part.codec, closed=True))
    return part


def _literal(text: str, delimiter: str) -> Literal:
    for character in text:
        if character != delimiter and character <= ESCAPE:
            raise TemplateProblem(
                f"the literal {text!r} holds {character!r}, which sorts among the characters that end a segment or a "
                f"range; use letters, digits and marks that sort after '%'"
            )
        if "\ud800" <= character <= "\udfff":
            raise TemplateProblem(f"the literal {text!r} holds half of a surrogate pair, which has no UTF-8 form")
    return Literal(text)


def _slot(text: str, fields: Mapping[str, Field], derived: Mapping[str, Derived], delimiter: str) -> Slot:
    name, _, spec = text.partition(":")
    if name in derived:
        if spec:
            raise TemplateProblem(f"{{{text}}}: {name} is a derived value and takes no format")
        slot = DerivedSlot(name, derived[name], delimiter)
        if overlap(slot.language, concat(ANYTHING, literal(delimiter), ANYTHING)):
            raise TemplateProblem(f"{{{name}}}: {derived[name].label} is written with the delimiter {delimiter!r}")
        return slot
    if name not in fields:
        raise TemplateProblem(_unknown(name, [*fields, *derived]))
    try:
        return FieldSlot(name, choose_codec(fields[name].type, spec, delimiter), spec)
    except ValueError as problem:
        raise TemplateProblem(f"{{{text}}}: {problem}") from problem


def _unknown(name: str, known: list[str]) -> str:
    return f"the template names {{{name}}}, which is no field of the class. {did_you_mean(name, known)}"


def _check_segments(template: Template) -> None:
    last_slot = template.parts[-1]
    for slot in template.slots:
        spans = isinstance(slot, FieldSlot) and slot.codec.spans_segments
        if spans and slot is not last_slot:
            raise TemplateProblem(
                f"{slot} may hold the delimiter, so nothing can follow it in {template.text!r}; put it last"
            )
    for segment in segments(template.parts, template.delimiter):
        loose = [str(part) for part in segment if not isinstance(part, Literal) and part.width is None]
        if len(loose) > 1:
            raise TemplateProblem(
                f"{' and '.join(loose)} stand in one segment of {template.text!r} and both vary in length, so two "
                f"different items can make one key; put {template.delimiter!r} between them"
            )


def segments(parts: tuple[Part, ...], delimiter: str) -> list[list[Part]]:
    """The parts between delimiters."""
    result: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Literal):
            first, *others = part.text.split(delimiter)
            result[-1] += [Literal(first)] if first else []
            for text in others:
                result.append([Literal(text)] if text else [])
        else:
            result[-1].append(part)
    return result


def sorted_order(template: Template, slot: Slot) -> tuple[Order, str]:
    """How keys sort by this slot once everything before it is equal, and why not when they do not."""
    if isinstance(slot, DerivedSlot):
        return Order.NONE, f"{slot} is derived from {', '.join(slot.fields)} and does not keep their order"
    codec = slot.codec
    if codec.order is Order.NONE:
        return Order.NONE, codec.unordered_reason.replace("{field", f"{{{slot.name}")
    if codec.raw and slot is not template.parts[-1]:
        return Order.NONE, f"{slot} is raw text, which keeps its order only where it stands last"
    if codec.width is None and _literal_follows(template, slot):
        return Order.NONE, f"{slot} varies in length and text follows it in its segment of {template.text!r}"
    return codec.order, ""


def _literal_follows(template: Template, slot: Slot) -> bool:
    position = template.parts.index(slot)
    following = template.parts[position + 1] if position + 1 < len(template.parts) else None
    if following is None:
        return False
    return not (isinstance(following, Literal) and following.text.startswith(template.delimiter))
