"""Patterns for the keys of a draft: each item by its key, each partition of the table and of every index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from singletable.expressions.tree import Path
from singletable.importers.draft import (
    DraftEntity,
    DraftField,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    NativeKey,
    Position,
    all_of,
    exists,
    fields_in,
    key_form,
    paging,
)
from singletable.importers.names import pattern_name, variable_name
from singletable.model.table_schema import TABLE

# The number of buckets that a proposed range can read: ten years, or a year, month or day of smaller buckets.
_BUCKETS = {"year": 11, "month": 13, "day": 32, "hour": 25}


def with_proposed_patterns(table: DraftTable) -> DraftTable:
    """Return the table with a pattern for each set of items that one request can read by their keys."""
    found: dict[str, DraftPattern] = {}
    proposals = [pattern for entity in table.entities for pattern in _of_entity(table, entity)]
    for pattern in (*proposals, *_collections(table), *_mixed_partitions(table)):
        name = pattern_name(pattern.name, found)
        found[name] = replace(pattern, name=name, is_proposed=True)
    return replace(table, patterns=(*table.patterns, *found.values()), notes=(*table.notes, *_notes(table)))


def with_new_proposals(table: DraftTable, before: DraftTable) -> DraftTable:
    """Return the table with new proposals for its remaining keys, after parts of the table `before` were removed."""
    if not any(each.is_proposed for each in before.patterns):
        return table
    old = set(_notes(before))
    declared = tuple(each for each in table.patterns if not each.is_proposed)
    notes = tuple(note for note in table.notes if note not in old)
    return with_proposed_patterns(replace(table, patterns=declared, notes=notes))


def _notes(table: DraftTable) -> Iterator[str]:
    for entity in table.entities:
        yield from _index_notes(table, entity)


def _of_entity(table: DraftTable, entity: DraftEntity) -> Iterator[DraftPattern]:
    one = variable_name(entity.class_name).rstrip("_")
    indexes = {index.alias: index for index in table.indexes}
    for alias, keys in entity.keys.items():
        index = indexes.get(alias)
        partition, sort = _key_positions(entity, keys, index)
        if index is not None and not _is_needed(entity, index):
            continue
        if alias == TABLE:
            whole = _equal_parameters(entity, [*fields_in(partition), *fields_in(sort)])
            yield DraftPattern(f"get_{one}", f"Get one {one.replace('_', ' ')}", "get", (entity.class_name,), whole)
            if set(fields_in(sort)) <= set(fields_in(partition)):
                continue
        stored = fields_in((*partition, *sort)) if keys.sparse else []
        place = "" if alias == TABLE else f" ({alias})"
        order = _own_order(entity, sort) if index is not None and _reads_table_partition(entity, index) else None
        hydrate = index is not None and bool(_not_projected(entity, index))
        for given, fanout in _partition_reads(entity, partition):
            yield replace(_query(entity, place, stored, given, order), fanout=fanout, hydrate=hydrate)


def _key_positions(
    entity: DraftEntity, keys: DraftKeys, index: DraftIndex | None
) -> tuple[tuple[Position, ...], tuple[Position, ...]]:
    """Return the partition and sort key in the table or an index. A local index has the partition key of the table."""
    if index is not None and index.kind == "LSI":
        return entity.keys[TABLE].partition, keys.partition
    return keys.partition, keys.sort


def _own_order(entity: DraftEntity, sort: tuple[Position, ...]) -> str | None:
    """Return the field by which an index sorts, if the table does not sort by it."""
    first = next(iter(fields_in(sort)), None)
    of_table = next(iter(fields_in(entity.keys[TABLE].sort)), None)
    return first if first in _parameters(entity) and first != of_table else None


def _not_projected(entity: DraftEntity, index: DraftIndex) -> list[str]:
    """Return the fields that an index does not contain."""
    if index.projection == "ALL":
        return []
    keys = entity.keys[TABLE], entity.keys[index.alias]
    in_keys = {name for each in keys for name in fields_in((*each.partition, *each.sort))}
    return [each.name for each in entity.fields if each.name not in in_keys and each.stored_as not in index.included]


def _is_needed(entity: DraftEntity, index: DraftIndex) -> bool:
    """Return whether an index returns a different result than the table."""
    _, sort = _key_positions(entity, entity.keys[index.alias], index)
    return not _reads_table_partition(entity, index) or _own_order(entity, sort) is not None


def _reads_table_partition(entity: DraftEntity, index: DraftIndex) -> bool:
    """Return whether a partition of an index has the items of a table partition: the same fields select them."""
    if index.kind == "LSI":
        return True
    keys, of_table = entity.keys[index.alias], entity.keys[TABLE]
    return not keys.sparse and set(fields_in(keys.partition)) == set(fields_in(of_table.partition))


def _index_notes(table: DraftTable, entity: DraftEntity) -> Iterator[str]:
    for index in table.indexes:
        if index.alias not in entity.keys:
            continue
        if _is_needed(entity, index) and (missing := _not_projected(entity, index)):
            yield (
                f"{entity.class_name}: {index.name} does not project {', '.join(missing)}, so hydrate=True was added "
                "to its reads: they read whole items from the table, with one more request per 100 items."
            )
        if not _is_needed(entity, index):
            yield f"No pattern reads {entity.class_name} by {index.name}: the table returns items in the same order."


def _query(
    entity: DraftEntity, place: str, stored: list[str], given: tuple[DraftParameter, ...], order: str | None
) -> DraftPattern:
    """Return a query of a partition. Its condition requires the optional fields of the index keys."""
    one = variable_name(entity.class_name).rstrip("_")
    names = [each.name for each in given]
    title = f"{entity.class_name} by {' and '.join(names)}" if names else f"All of {entity.class_name}"
    name = f"{one}_by_{'_and_'.join(names)}" if names else f"{one}_list"
    optional = {each.name for each in entity.fields if each.optional}
    return DraftPattern(
        name if order is None else f"{name}_in_order_of_{order}",
        f"{title}{place}" if order is None else f"{title}, in the order of {order}{place}",
        "query",
        (entity.class_name,),
        (*given, *paging()),
        where=all_of([exists(each) for each in stored if each in optional and each not in names]),
        order_by=None if order is None else Path((order,)),
    )


def _equal_parameters(entity: DraftEntity, names: list[str]) -> tuple[DraftParameter, ...]:
    """Return a parameter for each field, and for each field of a derived value."""
    parameters = _parameters(entity)
    needed = [entity.derived[name].fields if name in entity.derived else (name,) for name in names]
    return tuple(parameters[name] for name in dict.fromkeys(name for each in needed for name in each))


def _parameters(entity: DraftEntity) -> dict[str, DraftParameter]:
    return {each.name: DraftParameter(each.name, each.type, choices=each.choices) for each in entity.fields}


def _partition_reads(
    entity: DraftEntity, partition: tuple[Position, ...]
) -> Iterator[tuple[tuple[DraftParameter, ...], int | None]]:
    """Yield parameters and fan-out of a query of one partition. If the values are known, also of all partitions."""
    names = fields_in(partition)
    given, fanout = _partition_parameters(entity, names)
    if given is None:
        return
    yield given, fanout
    choices = given[0].choices if len(given) == 1 else ()
    if len(choices) > 1 and len(names) == 1 and not any(isinstance(each, NativeKey) for each in partition):
        yield (), len(choices)


def _partition_parameters(
    entity: DraftEntity, names: list[str]
) -> tuple[tuple[DraftParameter, ...] | None, int | None]:
    """Return the parameters of a query and its number of partitions. Return None if the query cannot be proposed."""
    parameters = _parameters(entity)
    given: dict[str, DraftParameter] = {}
    fanout = 1
    for name in names:
        derived = entity.derived.get(name)
        if derived is None:
            given.setdefault(name, parameters[name])
        elif derived.kind == "shard" and isinstance(derived.argument, int):
            fanout *= derived.argument
        elif derived.kind == "bucket":
            given.setdefault(derived.fields[0], replace(parameters[derived.fields[0]], range="Between"))
            fanout *= _BUCKETS[str(derived.argument)]
        elif derived.kind == "first_letter":
            given.setdefault(derived.fields[0], parameters[derived.fields[0]])
        else:
            return None, None
    return tuple(given.values()), fanout if fanout > 1 else None


def _collections(table: DraftTable) -> Iterator[DraftPattern]:
    """Yield collections: an entity with one item per partition, and the entities that have several items in it."""
    keyed = [each for each in table.entities if each.keys]
    for head in keyed:
        keys = head.keys[TABLE]
        in_partition = fields_in(keys.partition)
        if head.derived or not in_partition or set(fields_in(keys.sort)) - set(in_partition):
            continue
        members = [
            each
            for each in keyed
            if each is not head and key_form(each.keys[TABLE].partition) == key_form(keys.partition)
        ]
        several = [each for each in members if has_several_items(each.keys[TABLE])]
        if not several or len(several) != len(members):
            continue
        parameters = tuple(_parameters(head)[name] for name in in_partition)
        names = (head.class_name, *(each.class_name for each in several))
        title = f"{head.class_name} with everything in its partition"
        one = variable_name(head.class_name).rstrip("_")
        yield DraftPattern(f"whole_{one}", title, "collection", names, parameters)


def _mixed_partitions(table: DraftTable) -> Iterator[DraftPattern]:
    """Yield a collection for each kind of partition whose sort keys do not separate its entities.

    A query of one of the entities would also read the items of the others.
    """
    indexes = {index.alias: index for index in table.indexes}
    for alias in (TABLE, *(index.alias for index in table.indexes if index.kind == "GSI")):
        by_form: dict[tuple[str, ...], list[DraftEntity]] = {}
        for entity in table.entities:
            if alias in entity.keys and not entity.derived:
                by_form.setdefault(key_form(entity.keys[alias].partition), []).append(entity)
        for group in by_form.values():
            in_partition = fields_in(group[0].keys[alias].partition)
            if not in_partition or not any(_overlap(*pair, alias) for pair in combinations(group, 2)):
                continue
            place = "" if alias == TABLE else f" of {indexes[alias].name}"
            names = " and ".join(in_partition)
            yield DraftPattern(
                f"everything_by_{'_and_'.join(in_partition)}",
                f"Everything in a partition{place}, by {names}",
                "collection",
                tuple(each.class_name for each in group),
                tuple(_parameters(group[0])[name] for name in in_partition),
                members=tuple(collection_fields(group, alias)),
            )


def _overlap(one: DraftEntity, other: DraftEntity, alias: str) -> bool:
    """Return whether a range of one entity can contain items of the other, according to their first literals."""
    if not has_several_items(one.keys[alias]) and not has_several_items(other.keys[alias]):
        return False
    starts = [_first_literal(each.keys[alias].sort) for each in (one, other)]
    return starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])


def _first_literal(sort: tuple[Position, ...]) -> str:
    return sort[0].partition("{")[0] if sort and isinstance(sort[0], str) else ""


def collection_fields(members: Sequence[DraftEntity], alias: str) -> Iterator[DraftField]:
    """Yield the fields of a collection: one item, an optional item, or a list of items per entity."""
    single = [each for each in members if not has_several_items(each.keys[alias])]
    for each in members:
        if each not in single:
            yield DraftField(variable_name(each.class_name, "s"), f"list[{each.class_name}]")
        else:
            yield DraftField(variable_name(each.class_name), each.class_name, len(single) > 1, must_be_given=True)


def has_several_items(keys: DraftKeys) -> bool:
    """Return whether a partition can contain several items of an entity."""
    return bool(set(fields_in(keys.sort)) - set(fields_in(keys.partition)))
