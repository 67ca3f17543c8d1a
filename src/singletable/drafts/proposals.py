"""Patterns that a draft's keys answer: each item by its key, each partition of the table and of every index."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from singletable.drafts.conditions import all_of, exists
from singletable.drafts.draft import (
    DraftEntity,
    DraftIndex,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    NativeKey,
    Position,
    paging,
)
from singletable.expressions.tree import Path
from singletable.model.table_schema import TABLE


def proposed_patterns(table: DraftTable) -> DraftTable:
    """The table with a pattern for everything that one request can answer by its keys."""
    found: dict[str, DraftPattern] = {}
    for entity in table.entities:
        for pattern in _of_entity(table, entity):
            found.setdefault(_free(pattern.name, found), pattern)
    for pattern in _collections(table):
        found.setdefault(_free(pattern.name, found), pattern)
    notes = (*table.notes, *(note for entity in table.entities for note in _unread(table, entity)))
    patterns = tuple(replace(pattern, name=name) for name, pattern in found.items())
    return replace(table, patterns=patterns, notes=notes)


def _free(name: str, taken: dict[str, DraftPattern]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _of_entity(table: DraftTable, entity: DraftEntity) -> Iterator[DraftPattern]:
    one = _spoken(entity.class_name)
    indexes = {index.alias: index for index in table.indexes}
    for alias, keys in entity.keys.items():
        index = indexes.get(alias)
        partition, sort = _placed(entity, keys, index)
        if index is not None and not _is_read(entity, index):
            continue
        if alias == TABLE:
            whole = _plain(entity, [*fields_in(partition), *fields_in(sort)])
            yield DraftPattern(f"get_{one}", f"Get one {one.replace('_', ' ')}", "get", (entity.class_name,), whole)
            if set(fields_in(sort)) <= set(fields_in(partition)):
                continue
        held = fields_in((*partition, *sort)) if keys.sparse else []
        place = "" if alias == TABLE else f" ({alias})"
        order = _own_order(entity, sort) if index is not None and index.kind == "LSI" else None
        hydrate = index is not None and not _holds_all(entity, index)
        for given, fanout in _partition_reads(entity, partition):
            yield replace(_query(entity, place, held, given, order), fanout=fanout, hydrate=hydrate)


def _placed(
    entity: DraftEntity, keys: DraftKeys, index: DraftIndex | None
) -> tuple[tuple[Position, ...], tuple[Position, ...]]:
    """The partition and the sort key of an entity in the table or an index; a local index has the table's partition."""
    if index is not None and index.kind == "LSI":
        return entity.keys[TABLE].partition, keys.partition
    return keys.partition, keys.sort


def _own_order(entity: DraftEntity, sort: tuple[Position, ...]) -> str | None:
    """The field that a local index sorts by and the table does not: only what asks for its order is read by it."""
    first = next(iter(fields_in(sort)), None)
    of_table = next(iter(fields_in(entity.keys[TABLE].sort)), None)
    return first if first in _parameters(entity) and first != of_table else None


def _holds_all(entity: DraftEntity, index: DraftIndex) -> bool:
    """Whether an index holds whole items; what it lacks is fetched from the table."""
    if index.projection == "ALL":
        return True
    keys = entity.keys[TABLE], entity.keys[index.alias]
    in_keys = {name for each in keys for name in fields_in((*each.partition, *each.sort))}
    return all(each.name in in_keys or (each.attribute or each.name) in index.included for each in entity.fields)


def _is_read(entity: DraftEntity, index: DraftIndex) -> bool:
    """Whether the table does not answer the same as an index."""
    _, sort = _placed(entity, entity.keys[index.alias], index)
    return index.kind == "GSI" or _own_order(entity, sort) is not None


def _unread(table: DraftTable, entity: DraftEntity) -> Iterator[str]:
    """Why no pattern is proposed for an index that an entity is in."""
    for index in table.indexes:
        if index.alias in entity.keys and not _is_read(entity, index):
            yield f"No pattern reads {entity.class_name} by {index.name}: the table answers in the same order."


def _query(
    entity: DraftEntity, place: str, held: list[str], given: tuple[DraftParameter, ...], order: str | None
) -> DraftPattern:
    """A query of a partition; the fields that a sparse index holds are there in all of its items."""
    one = _spoken(entity.class_name)
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
        where=all_of([exists(each) for each in held if each in optional and each not in names]),
        order_by=None if order is None else Path((order,)),
    )


def _plain(entity: DraftEntity, names: list[str]) -> tuple[DraftParameter, ...]:
    """A parameter for each field, and for each that a derived value is made of."""
    parameters = _parameters(entity)
    made = [entity.derived[name].fields if name in entity.derived else (name,) for name in names]
    return tuple(parameters[name] for name in dict.fromkeys(name for each in made for name in each))


def _parameters(entity: DraftEntity) -> dict[str, DraftParameter]:
    """A parameter for each field."""
    return {each.name: DraftParameter(each.name, each.type, choices=each.choices) for each in entity.fields}


def _partition_reads(
    entity: DraftEntity, partition: tuple[Position, ...]
) -> Iterator[tuple[tuple[DraftParameter, ...], int | None]]:
    """What queries of partitions are given, and over how many they go: of one, and of all if their values are known."""
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
    """What a query of a partition is given, and over how many of them it goes; None where nothing is proposed."""
    parameters = _parameters(entity)
    given: dict[str, DraftParameter] = {}
    fanout = 1
    for name in names:
        made = entity.derived.get(name)
        if made is None:
            given.setdefault(name, parameters[name])
        elif made.kind == "shard" and isinstance(made.argument, int):
            fanout *= made.argument
        elif made.kind == "bucket":
            given.setdefault(made.fields[0], replace(parameters[made.fields[0]], range="Between"))
            fanout *= _BUCKETS[str(made.argument)]
        elif made.kind == "first_letter":
            given.setdefault(made.fields[0], parameters[made.fields[0]])
        else:
            return None, None
    return tuple(given.values()), fanout if fanout > 1 else None


# A range over so many buckets is what a proposed pattern may ask for: ten years, a year, a month, a day.
_BUCKETS = {"year": 11, "month": 13, "day": 32, "hour": 25}


def _collections(table: DraftTable) -> Iterator[DraftPattern]:
    """Entities whose items share partitions: one that has a single item in each, with those that have many."""
    for head in table.entities:
        keys = head.keys[TABLE]
        if (
            head.derived
            or not fields_in(keys.partition)
            or any(name not in fields_in(keys.partition) for name in fields_in(keys.sort))
        ):
            continue
        members = [each for each in table.entities if each is not head and _shares(each.keys[TABLE], keys)]
        many = [
            each
            for each in members
            if set(fields_in(each.keys[TABLE].sort)) - set(fields_in(each.keys[TABLE].partition))
        ]
        if not many or len(many) != len(members):
            continue
        parameters = tuple(_parameters(head)[name] for name in fields_in(keys.partition))
        one = _spoken(head.class_name)
        names = (head.class_name, *(each.class_name for each in many))
        title = f"{head.class_name} with everything in its partition"
        yield DraftPattern(f"whole_{one}", title, "collection", names, parameters)


def _shares(first: DraftKeys, second: DraftKeys) -> bool:
    return _form(first.partition) == _form(second.partition)


def _form(positions: tuple[Position, ...]) -> tuple[str, ...]:
    return tuple("native" if isinstance(each, NativeKey) else re.sub(r"\{[^{}]*\}", "{}", each) for each in positions)


def fields_in(positions: tuple[Position, ...]) -> list[str]:
    """The fields that a key is made of, in order, each once."""
    names: dict[str, None] = {}
    for each in positions:
        found = [each.field] if isinstance(each, NativeKey) else re.findall(r"\{([^{}:]+)[^{}]*\}", each)
        names |= dict.fromkeys(found)
    return list(names)


def identity_of(name: str, fields: Collection[str], keys: DraftKeys) -> tuple[str, ...] | None:
    """What tells two items apart, where the field that usually does is not in the key."""
    in_key = tuple(each for each in fields_in((*keys.partition, *keys.sort)) if each in fields)
    usual = next((each for each in ("id", f"{snake(name)}_id") if each in fields), None)
    return None if usual in in_key or (usual is None and in_key) else in_key


def _spoken(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def snake(name: str) -> str:
    """A class's name as the model writes it in front of `_id`."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")
