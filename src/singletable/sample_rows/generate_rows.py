"""The generator of the sample rows of a design, with links between entities.

`Order.customer_id` is the id of an existing sample customer, so that item collections contain several items. The first
parent of an entity has two children, and every other parent has one. These rows are enough to show a collection and its
neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.model.derived_data import Count, derived_data_of
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.unique_markers import MARKER
from singletable.planner.stored_items import Item, is_counted, item_of, key_attribute_value, key_of
from singletable.sample_rows.linked_fields import FieldId, linked_fields, owners
from singletable.sample_rows.sample_values import (
    SampleField,
    expiry_of,
    initials_of,
    sample_field,
    snake,
    starting_at,
    value_of,
)

_ROWS_MIN, _ROWS_MAX = 2, 5

Values = dict[str, Any]
"""The fields of one row."""


@dataclass(frozen=True)
class SampleRows:
    """The field values and stored items of the sample rows by entity name."""

    values: Mapping[str, tuple[Values, ...]]
    items: Mapping[str, tuple[Item, ...]]
    markers: tuple[Item, ...] = ()
    """The unique markers."""

    @property
    def stored(self) -> tuple[Item, ...]:
        """All items of the table, including unique markers."""
        return (*(item for items in self.items.values() for item in items), *self.markers)


def sample_rows(design: Design) -> SampleRows:
    """Return a few rows of every entity, except entities whose keys reject all generated values."""
    design.require_keys("a set of sample rows")
    made = _Sampler(design).rows()
    values: dict[str, list[Values]] = {entity.name: [] for entity in design.entities}
    items: dict[str, list[Item]] = {entity.name: [] for entity in design.entities}
    markers: dict[str, Item] = {}
    taken: set[str] = set()
    for entity in design.entities:
        for row in made[entity.name]:
            item = _storable(design, entity, row)
            if item is None or (key := repr(key_of(entity, row))) in taken:
                continue
            taken.add(key)
            values[entity.name].append(row)
            items[entity.name].append(item)
            markers |= {repr(marker): marker for marker in _markers(design, entity, row)}
    return SampleRows(
        {name: tuple(rows) for name, rows in values.items()},
        {name: tuple(rows) for name, rows in items.items()},
        tuple(markers.values()),
    )


def _storable(design: Design, entity: Entity, values: Values) -> Item | None:
    try:
        return item_of(design, entity, values)
    except Exception:  # a function or class of the user can raise any exception
        return None


def _is_counted(entity: Entity, count: Count, values: Values) -> bool:
    try:
        return is_counted(entity, count, values)
    except Exception:  # the row has invalid values and is discarded later
        return False


def _markers(design: Design, entity: Entity, values: Values) -> Iterator[Item]:
    for unique in entity.uniques:
        keys = unique.encode(values)
        if keys is None:
            continue
        named = {design.settings.type_attribute: {"S": MARKER}} if design.settings.type_attribute else {}
        yield {name: key_attribute_value(value) for name, value in keys.items()} | named


@dataclass
class _Sampler:
    """Generates the rows of one design."""

    design: Design
    groups: list[frozenset[FieldId]] = field(init=False)
    _sizes: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = linked_fields(self.design)

    def rows(self) -> dict[str, list[Values]]:
        """Return the rows by entity name, with copies and counters filled in."""
        made = {
            entity.name: [self._row(entity, place, number) for number in range(self._size(entity, ()))]
            for place, entity in enumerate(self.design.entities)
            if entity.declaration.mirror_of is None
        }
        self._copy(made)
        self._count(made)
        for entity in self.design.entities:
            if entity.declaration.mirror_of is not None:
                mirrored = self.design.entity_of(entity.declaration.mirror_of)
                made[entity.name] = [{name: row.get(name) for name in entity.fields} for row in made[mirrored.name]]
        return made

    def _row(self, entity: Entity, place: int, number: int) -> Values:
        last = number == self._size(entity, ()) - 1
        rules = derived_data_of(self.design.entities, entity)
        shared = self._shared(entity)
        values: Values = {}
        for name, each in entity.fields.items():
            if last and each.optional and name not in entity.base.fields:
                values[name] = None  # the last row shows an item without its optional attributes
            elif name == entity.declaration.version:
                values[name] = 1
            elif name == entity.declaration.ttl:
                values[name] = expiry_of(each.type, sample_field(entity, name, place), number)
            elif name in rules.counters:
                values[name] = 0
            else:
                which = self._which(entity, name, number, shared)
                values[name] = value_of(
                    each.type, self._field_of(entity, name, place), which, codecs=entity.declaration.codecs
                )
        return values

    def _which(self, entity: Entity, name: str, number: int, shared: list[str]) -> int:
        """Return the number of the sample value that a row uses for a field."""
        if name not in shared:
            return number
        pool, turn = self._pool(entity, name, ()), shared.index(name)
        return max(0, number - 1) % pool if turn == 0 else number // turn % pool

    def _field_of(self, entity: Entity, name: str, place: int) -> SampleField:
        """Return the description of a field.

        A linked field uses the description of the key field to which it refers.
        """
        target = sample_field(entity, name, place)
        group = self._group(entity, name)
        if group is None:
            return target
        known = {each.name: each for each in self.design.entities}
        first = next(owners(self.design, group), None)
        if first is None:
            shortest = min(group, key=lambda each: (len(each[1]), each))
            return replace(target, owner=snake(known[shortest[0]].label), field=shortest[1])
        (key,) = first.base.exact_fields
        words = [snake(first.label), *(name.removesuffix("_id") for _, name in group if name.endswith("_id"))]
        initials = initials_of(min(words, key=lambda word: (len(word), word)))
        return SampleField(snake(first.label), key, initials, starting_at(self.design.entities.index(first)))

    def _group(self, entity: Entity, name: str) -> frozenset[FieldId] | None:
        return next((group for group in self.groups if (entity.name, name) in group), None)

    def _shared(self, entity: Entity) -> list[str]:
        """Return the fields whose values several rows share because of a link or an item collection.

        Fields of the table's partition key come first.
        """
        copied = {ours for copy in entity.declaration.copies for ours in copy.fields.values()}
        distinct = copied | _own(entity)
        in_table = {name for part in entity.base.partition for name in part.exact_fields}
        in_any = {name for each in entity.placements.values() for part in each.partition for name in part.exact_fields}
        found = [
            name for name in entity.fields if name not in distinct and (name in in_any or self._owners(entity, name))
        ]
        return sorted(found, key=lambda name: name not in in_table)

    def _owners(self, entity: Entity, name: str) -> list[Entity]:
        group = self._group(entity, name) or frozenset()
        return [owner for owner in owners(self.design, group) if owner is not entity]

    def _size(self, entity: Entity, above: tuple[str, ...]) -> int:
        """Return the number of rows of an entity: one more than its parent, whose first row has two children."""
        if entity.name in above:
            return _ROWS_MIN
        if entity.name in self._sizes:
            return self._sizes[entity.name]
        shared = self._shared(entity)
        target = self._pool(entity, shared[0], (*above, entity.name)) + 1 if shared else _ROWS_MIN
        size = min(_ROWS_MAX, target)
        if not above:  # the number may be too small if it was computed inside a cycle of links, so it is not cached
            self._sizes[entity.name] = size
        return size

    def _pool(self, entity: Entity, name: str, above: tuple[str, ...]) -> int:
        """Return the number of values of a shared field: the number of rows of its owner."""
        return max((self._size(owner, above) for owner in self._owners(entity, name)), default=_ROWS_MIN)

    def _copy(self, made: dict[str, list[Values]]) -> None:
        for entity in self.design.entities:
            for copied in entity.declaration.copies:
                source = self.design.entity_of(copied.source)
                for row in made.get(entity.name, ()):
                    for other in made.get(source.name, ()):
                        if all(other[theirs] == row[ours] for theirs, ours in copied.by.items()):
                            row.update({ours: other[theirs] for theirs, ours in copied.fields.items()})

    def _count(self, made: dict[str, list[Values]]) -> None:
        for entity in self.design.entities:
            for count in entity.declaration.counted:
                owner = self.design.entity_of(count.owner)
                rows = [row for row in made.get(entity.name, ()) if _is_counted(entity, count, row)]
                found = Counter(repr([row[ours] for ours in count.by.values()]) for row in rows)
                for row in made.get(owner.name, ()):
                    row[count.field] = (row[count.field] or 0) + found[repr([row[theirs] for theirs in count.by])]


def _own(entity: Entity) -> set[str]:
    """Return the fields with a different value in every row: a single key field, or the identity."""
    if len(entity.base.exact_fields) == 1:
        return set(entity.base.exact_fields)
    identity = entity.identity or ()
    return set(identity) if len(identity) == 1 else set()
