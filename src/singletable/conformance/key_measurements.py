"""Measurements of the keys of many items: sizes, items per partition, partitions by time, numbers that sort wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from string import ascii_letters
from typing import Any, NamedTuple

from singletable.client.items.decoder import Item
from singletable.conformance.partition_counts import PartitionCounts, PartitionUsage
from singletable.cost.measured_items import shape_of
from singletable.model.codecs.integer_codec import IntegerCodec
from singletable.model.codecs.raw_codec import RawCodec
from singletable.model.codecs.text_codec import TextCodec
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import FieldSlot, LiteralText
from singletable.model.keys import KeyPart, NativePart, Placement
from singletable.model.table_schema import Index
from singletable.values.item_size import item_size
from singletable.values.limits import LSI_COLLECTION_BYTES_MAX

NEAR_LIMIT = 0.8
"""The share of a size limit from which an item or an item collection is reported."""
COLLECTIONS = -1
"""The number of the group that counts the bytes of item collections, in a table with local indexes."""
_LETTERS = f"{ascii_letters}-_"
_COUNTED_AT_ONCE = 1_000
_SEPARATOR = "\x1f"
"""Separates the values of a partition key with several attributes."""

_HOUR = r"(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?[0-5]\d(?:\.\d+)?)?)?(?:Z|\+00:00)?"
_DAY = rf"(?:0[1-9]|[12]\d|3[01])(?:(?:T|_|-|%20)?{_HOUR})?"
_TIME = rf"(?:19|20)\d\d-?(?:W[0-5]\d|(?:0[1-9]|1[0-2])(?:-?{_DAY})?)"
"""Matches a month, a week, a day, an hour or a more exact time, as text that sorts by time."""


def partition_reader(index: Index) -> Callable[[Item], str | None]:
    """Return a function that returns an item's partition key as text, or None if the index omits the item."""
    partition = [attribute.name for attribute in index.partition]
    first, others = partition[0], [*partition[1:], *(attribute.name for attribute in index.sort)]

    def read(item: Item) -> str | None:
        value = item.get(first)
        if value is None:
            return None
        for name in others:
            if name not in item:
                return None
        if len(partition) == 1:
            (content,) = value.values()
            return content if type(content) is str else str(content)
        return _SEPARATOR.join(str(*item[name].values()) for name in partition)

    return read


def readable_partition(text: str) -> str:
    """Return the text of a partition key for messages."""
    return text.replace(_SEPARATOR, ", ")


class NumberTexts:
    """Tracks the values of a field in a sort key, as long as each of them is a number after the same letters."""

    def __init__(self, name: str, label: str, place: str) -> None:
        self.name, self.label, self.place = name, label, place
        self.prefix: str | None = None
        self._by_length: dict[int, tuple[str, str]] | None = {}

    def add(self, value: Any) -> None:
        """Add a value. After the first value of another form, ignore all further values."""
        if self._by_length is None or value is None:
            return
        text = str(value)
        digits = text.lstrip(_LETTERS) if self.prefix is None else text.removeprefix(self.prefix)
        prefix = text[: len(text) - len(digits)]
        if self.prefix is None:
            self.prefix = prefix
        is_number = digits.isascii() and digits.isdigit() and prefix == self.prefix
        if not is_number or (not prefix and digits[0] == "0" and digits != "0"):
            self._by_length = None
            return
        least, most = self._by_length.get(len(digits), (digits, digits))
        self._by_length[len(digits)] = (min(least, digits), max(most, digits))

    @property
    def wrong_order(self) -> tuple[str, str] | None:
        """Two values that sort in the wrong order, with the smaller number first. None if all values are in order."""
        lengths = sorted(self._by_length or {})
        ranges = [(self._by_length or {})[length] for length in lengths]
        pairs = ((a, b) for n, longer in enumerate(ranges) for shorter in ranges[:n] for a in shorter for b in longer)
        found = next((pair for pair in pairs if pair[0] > pair[1] and int(pair[0]) < int(pair[1])), None)
        return found and (f"{self.prefix}{found[0]}", f"{self.prefix}{found[1]}")


@dataclass
class PlacementMeasurement:
    """The partitions of one entity in the table or an index."""

    placement: Placement
    group: int
    time_pattern: re.Pattern[str] | None
    """Matches partition keys whose variable parts are all times. None after the first other key."""
    read: Callable[[Item], str | None]
    uncounted: list[str] = field(default_factory=list)
    """The partition keys of the last items, which are counted together because this is faster."""

    def add(self, counts: PartitionCounts, item: Item) -> None:
        """Count an item if it is in the index."""
        text = self.read(item)
        if text is not None:
            self.uncounted.append(text)
            if len(self.uncounted) >= _COUNTED_AT_ONCE:
                self.count(counts)

    def count(self, counts: PartitionCounts) -> None:
        """Count the last items."""
        counts.count(self.group, self.uncounted)
        pattern = self.time_pattern
        if pattern is not None and not all(pattern.fullmatch(text) for text in set(self.uncounted)):
            self.time_pattern = None
        self.uncounted.clear()


@dataclass
class EntityMeasurement:
    """The items of one entity."""

    entity: Entity
    placements: list[PlacementMeasurement]
    numbers: list[NumberTexts]
    items: int = 0
    total_bytes: int = 0
    largest_bytes: int = 0
    largest: Item = field(default_factory=dict)


class MeasuredPartitions(NamedTuple):
    """One entity in the table or an index, with the measured use of its partitions."""

    entity: Entity
    placement: Placement
    usage: PartitionUsage
    is_by_time: bool


class KeyMeasurements:
    """Measures the items of a table, one after another, with a limited amount of memory."""

    def __init__(self, design: Design) -> None:
        self._counts = PartitionCounts()
        self._shape = shape_of(design)
        self._read_collection = partition_reader(design.table)
        self._local = {index.alias for index in design.indexes.values() if index.kind == "LSI"}
        groups = iter(range(sum(len(entity.placements) for entity in design.entities)))
        self.entities = {
            entity.name: EntityMeasurement(entity, list(_placements(entity, groups)), list(_numbers(entity)))
            for entity in design.entities
        }

    def add(self, entity: Entity | None, item: Item, values: Mapping[str, Any], size_bytes: int) -> None:
        """Measure an item. An internal or unknown item counts only for the size of its item collection."""
        if self._local:
            self._add_to_collection(item, size_bytes)
        if entity is None:
            return
        measured = self.entities[entity.name]
        measured.items += 1
        measured.total_bytes += size_bytes
        if size_bytes > measured.largest_bytes:
            measured.largest_bytes, measured.largest = size_bytes, item
        for placement in measured.placements:
            placement.add(self._counts, item)
        for numbers in measured.numbers:
            numbers.add(values.get(numbers.name))

    def partitions(self) -> list[MeasuredPartitions]:
        """Return the use of partitions by each entity, in the table and in each index."""
        everywhere = [(each.entity, each_in) for each in self.entities.values() for each_in in each.placements]
        for _, each_in in everywhere:
            each_in.count(self._counts)
        limits = {each_in.group: entity.expected_in(each_in.placement.index) for entity, each_in in everywhere}
        usage = self._counts.usage({group: limit for group, limit in limits.items() if limit is not None})
        return [
            MeasuredPartitions(entity, each_in.placement, usage[each_in.group], each_in.time_pattern is not None)
            for entity, each_in in everywhere
            if each_in.group in usage
        ]

    def collections(self) -> PartitionUsage | None:
        """Return the bytes of item collections.

        Return None for a table without local indexes, which has no such limit.
        """
        return self._counts.usage({COLLECTIONS: int(LSI_COLLECTION_BYTES_MAX * NEAR_LIMIT)}).get(COLLECTIONS)

    def close(self) -> None:
        """Delete the temporary database."""
        self._counts.close()

    def _add_to_collection(self, item: Item, size_bytes: int) -> None:
        """Add the size of an item and of its entries in local indexes, which share the limit."""
        text = self._read_collection(item)
        if text is None:
            return
        for index in self._shape.indexes:
            entry = self._shape.entry(index, item) if index.alias in self._local else None
            if entry is not None:
                size_bytes += item_size(entry)
        self._counts.add(COLLECTIONS, text, size_bytes)


def _placements(entity: Entity, groups: Iterator[int]) -> Iterator[PlacementMeasurement]:
    for placement in entity.placements.values():
        if placement.index.kind != "LSI":  # the index has the partitions of the table
            pattern, read = _time_pattern(placement), partition_reader(placement.index)
            yield PlacementMeasurement(placement, next(groups), pattern, read)


def _time_pattern(placement: Placement) -> re.Pattern[str] | None:
    if not any(part.fields for part in placement.partition):
        return None
    return re.compile(re.escape(_SEPARATOR).join(map(_time_expression, placement.partition)))


def _time_expression(part: KeyPart) -> str:
    if isinstance(part, NativePart):
        return _TIME
    pieces = part.template.parts
    return "".join(re.escape(piece.text) if isinstance(piece, LiteralText) else _TIME for piece in pieces)


def _numbers(entity: Entity) -> Iterator[NumberTexts]:
    """Yield the fields of sort keys that may hold numbers as text without padding.

    An identifier needs no order, unless it is the whole sort key of an index, whose only purpose is the order.
    """
    seen: set[str] = set()
    for placement in entity.placements.values():
        if placement.index.is_inverse:
            continue
        for part in placement.sort:
            place = f"{part.attribute} of {placement.index.display_name}"
            for name, label in _unpadded_texts(entity, part, is_table=placement.index.is_table):
                if name not in seen:
                    seen.add(name)
                    yield NumberTexts(name, label, place)


def _unpadded_texts(entity: Entity, part: KeyPart, *, is_table: bool) -> Iterator[tuple[str, str]]:
    """Yield the fields of a sort key that can contain numbers without padding, and how the key shows them."""
    if isinstance(part, NativePart):
        if part.field.type is str and not (is_table and _is_identifier(entity, part.field.name)):
            yield part.field.name, part.field.name
        return
    for slot in part.template.slots:
        if not isinstance(slot, FieldSlot):
            continue
        if isinstance(slot.codec, IntegerCodec):
            needs_padding = slot.codec.digits is None
        else:
            is_text = isinstance(slot.codec, TextCodec | RawCodec)
            needs_padding = is_text and not _is_identifier(entity, slot.name)
        if needs_padding:
            yield slot.name, str(slot)


def _is_identifier(entity: Entity, name: str) -> bool:
    return entity.identity == (name,) or name == "id" or name.endswith("_id")
