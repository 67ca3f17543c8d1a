"""Comparison of a stored item with the item that the model would write.

It classifies, decodes, encodes and compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from singletable.client.items.decoder import Decoder, Item
from singletable.client.items.item_types import ItemTypes
from singletable.client.items.row_columns import FastObjects
from singletable.client.write.item_encoder import Encoder
from singletable.errors import ArgumentRefused, ItemRefused, KeyRefused
from singletable.model.codecs.integer_codec import IntegerCodec
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot
from singletable.model.keys import KeyPart, Placement, TemplatePart
from singletable.model.table_schema import Index, KeyAttribute
from singletable.values.attribute_value import equal
from singletable.values.fast_path import FastPath, NotOnFastPath
from singletable.verify.findings import Rule
from singletable.verify.item_rules import (
    HIDDEN_BY_NONE,
    INCOMPLETE_KEY,
    INDEX_KEY_DIFFERS,
    KEY_DIFFERS,
    MISSING_IN_INDEX,
    NO_ENTITY,
    UNEXPECTED_IN_INDEX,
    UNPADDED_NUMBER,
    UNREADABLE,
)

FAST_COMPARISON = FastPath("compared items")
"""The fast path, which compares the stored bytes of an item with the bytes that the model would write."""


class ItemProblem(NamedTuple):
    """One difference between an item and the model."""

    rule: Rule
    reason: str
    """The problem, without the values of the item, so that items with the same problem can be counted together."""
    detail: str = ""
    """The values of this item."""


class ItemComparison(NamedTuple):
    """A stored item, its entity, and its differences from the item that the model would write."""

    item: Item
    entity: Entity | None = None
    """The entity of the item. None for an internal item, or if no entity matches."""
    is_internal: bool = False
    """Whether the library wrote the item for itself: a unique marker or a transaction token."""
    value: Any = None
    """The object of the item. None if the item cannot be read."""
    values: Mapping[str, Any] = {}
    """The fields of the object."""
    written: Item | None = None
    """The item that the model would write for the object. None if the model would write no item."""
    problems: tuple[ItemProblem, ...] = ()


@dataclass(frozen=True)
class _IndexAttributes:
    """The attributes that only one index uses as keys, and the entity's keys in this index, if it has any."""

    index: Index
    attributes: tuple[KeyAttribute, ...]
    placement: Placement | None

    def holds(self, item: Item) -> bool:
        """Return whether the index contains an item: every key attribute has a value of the correct type."""
        return all(each.name in item and each.type in item[each.name] for each in self.attributes)

    @property
    def names(self) -> str:
        return ", ".join(each.name for each in self.attributes)


class _EntityCodec(NamedTuple):
    """The decoder, encoder and keys with which the items of one entity are compared."""

    entity: Entity
    decoder: Decoder
    encoder: Encoder
    indexes: tuple[_IndexAttributes, ...]
    optional_indexes: tuple[_IndexAttributes, ...]
    """The indexes whose keys need an optional field, although they are not declared sparse."""
    fast: FastObjects | None


class ItemComparer:
    """Compares items with the design of a table."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._types = ItemTypes(design)
        self._codecs = {entity.name: self._codec(entity) for entity in design.entities}

    def _codec(self, entity: Entity) -> _EntityCodec:
        base = set(self._design.table.key_attributes)
        indexes = [
            _IndexAttributes(index, own, entity.placements.get(alias))
            for alias, index in self._design.indexes.items()
            if (own := tuple(each for each in (*index.partition, *index.sort) if each.name not in base))
        ]
        optional = [
            each
            for each in indexes
            if each.placement is not None
            and not each.placement.sparse
            and any(entity.fields[name].may_be_none for name in each.placement.fields)
        ]
        decoder = self._types.decoder(entity)
        fast = None if optional else decoder.fast_objects(())
        return _EntityCodec(entity, decoder, Encoder(self._design, entity), tuple(indexes), tuple(optional), fast)

    def compare(self, item: Item, stored: bytes | None = None) -> ItemComparison:
        """Classify an item, and return its differences from the item that the model would write.

        If `stored` is the JSON of the item as a server sent it, the comparison of an item without differences takes a
        third of the time.
        """
        entity = self._types.entity_of(item)
        if entity is None:
            if self._types.is_marker(item):
                return ItemComparison(item, is_internal=True)
            return ItemComparison(item, problems=(self._no_entity(item),))
        codec = self._codecs[entity.name]
        if stored is not None:
            try:
                value, values = _same_bytes(codec, stored)
            except NotOnFastPath:
                FAST_COMPARISON.misses += 1
            else:
                FAST_COMPARISON.hits += 1
                return ItemComparison(item, entity, False, value, values, item)
        try:
            value = codec.decoder.read(item)
        except ItemRefused as error:
            return ItemComparison(item, entity, problems=(_other_key(entity, item, error) or _unreadable(error),))
        values = codec.encoder.values(value)
        try:
            written = codec.encoder.item(values)
        except (ArgumentRefused, KeyRefused) as error:
            problem = ItemProblem(KEY_DIFFERS, "the model cannot write the item", str(error))
            return ItemComparison(item, entity, False, value, values, None, (problem,))
        if item == written and not codec.optional_indexes:
            return ItemComparison(item, entity, False, value, values, written)
        problems = tuple(_differences(codec, item, written, values))
        return ItemComparison(item, entity, False, value, values, written, problems)

    def _no_entity(self, item: Item) -> ItemProblem:
        """Describe an item that matches no entity, by its type attribute or by the start of its key."""
        name = self._design.settings.type_attribute
        if name is not None and name in item:
            ((_, text),) = item[name].items()
            return ItemProblem(NO_ENTITY, f"the model has no entity with {name} {text!r}")
        delimiter = self._design.settings.delimiter
        keys = [f"{each} {_outline(item, each, delimiter)}" for each in self._design.table.key_attributes]
        return ItemProblem(NO_ENTITY, f"no entity has a key like {', '.join(keys)}")


def _same_bytes(codec: _EntityCodec, stored: bytes) -> tuple[Any, Mapping[str, Any]]:
    """Return the object of an item and its fields, if the model would write the same bytes.

    Otherwise raise NotOnFastPath.
    """
    fast, encode = codec.fast, codec.encoder.fast
    if fast is None or encode is None:
        raise NotOnFastPath
    (value,) = fast.of(stored)
    values = codec.encoder.view(value)
    if encode(values)[0] != stored:
        raise NotOnFastPath
    return value, values


def _outline(item: Item, name: str, delimiter: str) -> str:
    """Return the start of a key up to its first delimiter, so that similar keys have the same outline."""
    if name not in item:
        return "(missing)"
    ((kind, content),) = item[name].items()
    if kind != "S":
        return f"of type {kind}"
    literal, found, _ = content.partition(delimiter)
    return f'"{literal}{found}..."' if found else '"..."'


def _other_key(entity: Entity, item: Item, error: ItemRefused) -> ItemProblem | None:
    """Return the problem of a key from which a field of its template cannot be read, or None."""
    for part in entity.base.parts:
        missing = [name for name in part.fields if f"attribute {entity.attributes[name]!r} is missing" in str(error)]
        if missing:
            text = str(*item[part.attribute].values()) if part.attribute in item else "missing"
            reason = f'{part.attribute} does not match "{part}"'
            return ItemProblem(KEY_DIFFERS, reason, f"{part.attribute} is {text!r}")
    return None


def _unreadable(error: ItemRefused) -> ItemProblem:
    """Return the problem of an unreadable item. The reason does not contain the values of the item."""
    message = str(error)
    _, read, why = message.partition(" cannot be read as ")
    reason, _, value = (why.partition(": ")[2] if read else message).partition(", got ")
    return ItemProblem(UNREADABLE, reason.splitlines()[0], value and f"got {value}")


def _differences(codec: _EntityCodec, item: Item, written: Item, values: Mapping[str, Any]) -> Iterator[ItemProblem]:
    base = codec.entity.base
    names = [part.attribute for part in base.parts]
    if wrong := _different(item, written, names):
        yield _key_problem(KEY_DIFFERS, "the table", base.parts, item, written, wrong)
    for each in codec.indexes:
        is_stored, is_written = each.holds(item), each.holds(written)
        label = each.index.label
        if is_stored and is_written:
            if wrong := _different(item, written, [attribute.name for attribute in each.attributes]):
                parts = () if each.placement is None else each.placement.parts
                yield _key_problem(INDEX_KEY_DIFFERS, label, parts, item, written, wrong)
        elif is_written:
            yield _missing(each, item, written)
        elif is_stored:
            why = "a field of its keys has no value" if each.placement is not None else "the entity is not in it"
            shown = ", ".join(f"{attribute.name}={_text(item, attribute.name)}" for attribute in each.attributes)
            yield ItemProblem(UNEXPECTED_IN_INDEX, f"{label} contains the item, but {why}", shown)
        elif orphans := [one.name for one in each.attributes if one.name in item and one.name not in written]:
            absent = ", ".join(one.name for one in each.attributes if one.name not in item)
            reason = f"{label} does not contain the item, because it has {', '.join(orphans)} without {absent}"
            yield ItemProblem(INCOMPLETE_KEY, reason)
        elif each in codec.optional_indexes and each.placement is not None:
            without = ", ".join(sorted(name for name in each.placement.fields if values[name] is None))
            yield ItemProblem(HIDDEN_BY_NONE, f"{label} does not contain items without {without}")


def _missing(each: _IndexAttributes, item: Item, written: Item) -> ItemProblem:
    absent = [attribute for attribute in each.attributes if attribute.name not in item]
    if absent:
        names = ", ".join(attribute.name for attribute in absent)
        verb = "is" if len(absent) == 1 else "are"
        reason = f"{each.index.label} does not contain the item, because {names} {verb} missing"
    else:
        reason = (
            f"{each.index.label} does not contain the item, because {each.names} has a different type than the "
            "key of the index"
        )
    shown = ", ".join(f"{name}={_text(written, name)}" for name in (attribute.name for attribute in each.attributes))
    return ItemProblem(MISSING_IN_INDEX, reason, f"the model writes {shown}")


def _key_problem(
    rule: Rule, place: str, parts: tuple[KeyPart, ...], item: Item, written: Item, wrong: list[str]
) -> ItemProblem:
    by_attribute = {part.attribute: part for part in parts}
    shown = "; ".join(f"{name} is {_text(item, name)}, but the model writes {_text(written, name)}" for name in wrong)
    names = ", ".join(wrong)
    if all(_lacks_padding(by_attribute.get(name), _text(item, name), _text(written, name)) for name in wrong):
        return ItemProblem(UNPADDED_NUMBER, f"a number in {names} of {place} has no padding", shown)
    return ItemProblem(rule, f"{names} of {place} differs from the values of the fields", shown)


def _different(item: Item, written: Item, names: list[str]) -> list[str]:
    return [name for name in names if name not in item or not equal(item[name], written[name])]


_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")


def _lacks_padding(part: KeyPart | None, stored: str, written: str) -> bool:
    """Return whether two key texts differ only in leading zeros of a number to which the template gives a width."""
    if not isinstance(part, TemplatePart):
        return False
    codecs = [slot.codec for slot in part.template.slots if isinstance(slot, FieldSlot)]
    has_width = any(isinstance(codec, IntegerCodec) and codec.digits is not None for codec in codecs)
    return has_width and _ZEROS.sub("", stored) == _ZEROS.sub("", written)


def _text(item: Item, name: str) -> str:
    """Return the content of a key attribute as text."""
    if name not in item:
        return "missing"
    ((_, content),) = item[name].items()
    return str(content)
