"""Notes on reads that the keys of a table do not serve: lists, lists in order of time, and entities not in an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from singletable.importers.draft import DraftEntity, DraftField, DraftIndex, Position, fields_in
from singletable.importers.live.key_templates import PYTHON_TYPES
from singletable.importers.names import singular
from singletable.model.field_roles import follows_clock, value_count, words_of
from singletable.model.fields import Field
from singletable.model.table_schema import TABLE

_CHANGING = frozenset({"updated", "modified", "changed", "edited", "last"})
"""Words in the names of times that change, such as `updated_at`. Keys do not contain such times."""
_UNNAMED = re.compile(r"part(_\d+)?")
"""Fields that inference could not name; equal names do not show that they mean the same."""


def gap_notes(
    entities: Sequence[DraftEntity], indexes: Sequence[DraftIndex], *, declares_reads: bool = False
) -> Iterator[str]:
    """Yield notes on reads that the keys do not serve, guessed from the names of the fields.

    If the source declares its reads, the notes are only about their order.
    """
    local = {index.alias for index in indexes if index.kind == "LSI"}
    keyed = [each for each in entities if each.keys]
    owners = {each.keys[TABLE].partition: each for each in keyed if not _varies(each)}
    unlisted = [
        each.class_name for each in keyed if not any(_is_list(each, alias, local, owners) for alias in each.keys)
    ]
    if unlisted and len(unlisted) < len(keyed) and not declares_reads:
        yield (
            f"No key lists the items of {', '.join(unlisted)}: a read needs the whole key, and a list of them is a "
            "Scan. If you need a list, add an index key."
        )
    listed = [each for each in keyed if each.class_name not in unlisted]
    split = {each.class_name: tuple(_grouped(each, local)) for each in listed}
    if unordered := [
        shown for each in listed if not split[each.class_name] for shown in _unordered(each, local, owners)
    ]:
        yield (
            f"No key sorts these items by a time: {', '.join(unordered)}. A read of the latest ones needs a sort key "
            "that begins with the time."
        )
    yield from (note for notes in split.values() for note in notes)
    for entity in () if declares_reads else keyed:
        yield from _two_sides(entity, local)
    for index in () if declares_reads else indexes:
        if index.kind == "GSI":
            yield from _absent(index, keyed)


def _positions(entity: DraftEntity, alias: str, local: set[str]) -> tuple[tuple[Position, ...], tuple[Position, ...]]:
    keys = entity.keys[alias]
    return (entity.keys[TABLE].partition, keys.partition) if alias in local else (keys.partition, keys.sort)


def _varies(entity: DraftEntity) -> bool:
    """Return whether the items of one partition of the table differ in a field of the sort key."""
    keys = entity.keys[TABLE]
    return bool(set(fields_in(keys.sort)) - set(fields_in(keys.partition)))


_Owners = Mapping[tuple[Position, ...], DraftEntity]
"""By partition key of the table, the entity with one item in each partition. The id in the key is its id."""


def _is_list(entity: DraftEntity, alias: str, local: set[str], owners: _Owners) -> bool:
    """Return whether a partition probably contains several items of the entity, guessed from names."""
    partition, sort = _positions(entity, alias, local)
    names = fields_in(partition)
    is_own = len(names) == 1 and _is_own_id(entity, names[0])
    if alias == TABLE or alias in local:
        is_own = is_own and owners.get(partition, entity) is entity
        return not is_own and bool(set(fields_in(sort)) - set(names))
    if is_own and not set(fields_in(sort)) - set(names):
        return False
    return set(names) != set(fields_in((*entity.keys[TABLE].partition, *entity.keys[TABLE].sort))) or not names


def _is_own_id(entity: DraftEntity, name: str) -> bool:
    """Return whether a field is the id of the entity: `order_id`, `o_id` or `id` of an Order."""
    stem, label = name.removesuffix("id").replace("_", ""), singular(entity.class_name.lower())
    is_short = len(words_of(entity.class_name)) == 1 and label.startswith(stem)  # o_id of an Order, not of an OrderItem
    return name.endswith("id") and (is_short or stem in ("", label))


def _unordered(entity: DraftEntity, local: set[str], owners: _Owners) -> Iterator[str]:
    """Yield an entity and its time fields, if no key lists the items of the entity in the order of a time."""
    clocks = [each.name for each in entity.fields if follows_clock(_field(each))]
    times = [name for name in clocks if not _CHANGING.intersection(words_of(name))]
    lists = [alias for alias in entity.keys if _is_list(entity, alias, local, owners)]
    firsts = [_first_varying(entity, *_positions(entity, alias, local)) for alias in lists]
    if times and any(firsts) and not any(first in clocks for first in firsts):
        yield f"{entity.class_name} ({' or '.join(times)})"


def _grouped(entity: DraftEntity, local: set[str]) -> Iterator[str]:
    """Yield a note for each time field that sorts items only within each value of another field, such as a status."""
    fields = {each.name: _field(each) for each in entity.fields}
    places = {alias: _positions(entity, alias, local) for alias in entity.keys}
    sorts = {alias: [each for each in fields_in(sort) if each in fields] for alias, (_, sort) in places.items()}
    ordered = [
        set(fields_in(places[alias][0])) for alias, sort in sorts.items() if sort and follows_clock(fields[sort[0]])
    ]
    split: dict[tuple[str, str], list[str]] = {}
    for alias, sort in sorts.items():
        by = fields_in(places[alias][0])
        if len(sort) < 2 or set(by) in ordered or sort[0] in by or not by:
            continue
        if value_count(fields[sort[0]]) is not None and follows_clock(fields[sort[1]]):
            split.setdefault((sort[0], sort[1]), []).append(" and ".join(by))
    for (first, time), reads in split.items():
        yield (
            f"{entity.class_name}: {first} is before {time} in the sort key, so a read by {' or '.join(reads)} is in "
            f"the order of {time} only within one {first}. The latest item needs a read per {first}."
        )


def _first_varying(entity: DraftEntity, partition: tuple[Position, ...], sort: tuple[Position, ...]) -> str | None:
    """Return the first field of a sort key that differs within a partition, or the field from which it is computed."""
    fixed = set(fields_in(partition))
    for name in fields_in(sort):
        if name not in fixed:
            derived = entity.derived.get(name)
            return derived.fields[0] if derived is not None else name
    return None


def _two_sides(entity: DraftEntity, local: set[str]) -> Iterator[str]:
    """Yield a note if two indexes list the items by two fields with one meaning, such as the home and the away team."""
    found: dict[str, list[str]] = {}
    for alias, keys in entity.keys.items():
        text = keys.partition[0] if len(keys.partition) == 1 and alias not in (TABLE, *local) else None
        slot = re.fullmatch(r"([^{}]+)\{(\w+)\}", text) if isinstance(text, str) else None
        if slot is not None:
            found.setdefault(slot[1], []).append(slot[2])
    for prefix, names in found.items():
        roles = {words_of(name)[:-1] for name in names}
        if len(roles) > 1 and () not in roles and len({words_of(name)[-1] for name in names}) == 1:
            yield (
                f"{entity.class_name}: the indexes have the partition {prefix}... for {' and for '.join(names)}, so a "
                "list for both needs a Query of each index and merges their pages. One item per side, in one index, "
                "needs one Query."
            )


def _absent(index: DraftIndex, entities: Sequence[DraftEntity]) -> Iterator[str]:
    """Yield a note for each entity that is not in an index, although it has the field that selects a partition."""
    for entity in entities:
        if index.alias in entity.keys:
            continue
        names = {each.name: each.type for each in entity.fields}
        in_partition = set(fields_in(entity.keys[TABLE].partition))
        siblings: list[str] = []
        by: set[str] = set()
        for other in entities:
            keys = other.keys.get(index.alias)
            needed = fields_in(keys.partition) if keys is not None else []
            types = {each.name: each.type for each in other.fields}
            is_same = all(each in names and names[each] == types.get(each) for each in needed)
            is_other = not any(_is_own_id(entity, each) or _UNNAMED.fullmatch(each) for each in needed)
            if needed and is_same and is_other and not in_partition & set(needed):
                siblings.append(other.class_name)
                by |= set(needed)
        if siblings:
            yield (
                f"{entity.class_name} is not in the index {index.name}, although it has {', '.join(sorted(by))}, by "
                f"which the index lists {', '.join(siblings)}. If it belongs there, add its keys."
            )


def _field(field: DraftField) -> Field:
    return Field(field.name, PYTHON_TYPES.get(field.type, object), field.optional)
