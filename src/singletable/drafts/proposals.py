"""Patterns that a draft's keys answer: each item by its key, each partition of the table and of every index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from singletable.drafts.draft import (
    DraftEntity,
    DraftKeys,
    DraftParameter,
    DraftPattern,
    DraftTable,
    DraftTest,
    NativeKey,
    Position,
)
from singletable.model.index import TABLE


def proposed_patterns(table: DraftTable) -> DraftTable:
    """The table with a pattern for everything that one request can answer by its keys."""
    found: dict[str, DraftPattern] = {}
    for entity in table.entities:
        for pattern in _of_entity(table, entity):
            found.setdefault(_free(pattern.name, found), pattern)
    for pattern in _collections(table):
        found.setdefault(_free(pattern.name, found), pattern)
    return replace(table, patterns=tuple(replace(pattern, name=name) for name, pattern in found.items()))


def _free(name: str, taken: dict[str, DraftPattern]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _of_entity(table: DraftTable, entity: DraftEntity) -> Iterator[DraftPattern]:
    one = _spoken(entity.class_name)
    types = {each.name: each.type for each in entity.fields}
    for alias, keys in entity.keys.items():
        local = any(index.alias == alias and index.kind == "LSI" for index in table.indexes)
        partition = entity.keys[TABLE].partition if local else keys.partition
        sort = keys.partition if local else keys.sort
        given, varying = fields_in(partition), [name for name in fields_in(sort) if name not in fields_in(partition)]
        parameters = tuple(DraftParameter(name, types[name]) for name in given)
        if alias == TABLE:
            whole = (*parameters, *(DraftParameter(name, types[name]) for name in varying))
            yield DraftPattern(f"get_{one}", f"Get one {one.replace('_', ' ')}", "get", (entity.class_name,), whole)
            if not varying:
                continue
        by = "_and_".join(given) if given else "all"
        name = f"{one}_by_{by}" if given else f"{one}_list"
        place = "" if alias == TABLE else f" ({alias})"
        title = (
            f"{entity.class_name} by {' and '.join(given)}{place}" if given else f"All of {entity.class_name}{place}"
        )
        where: tuple[DraftTest, ...] = ()
        if keys.sparse:
            optional = {each.name for each in entity.fields if each.optional}
            held = [each for each in fields_in((*partition, *sort)) if each in optional and each not in given]
            where = tuple(DraftTest(each, "exists") for each in held)
        yield DraftPattern(name, title, "query", (entity.class_name,), parameters, has_limit=True, where=where)


def _collections(table: DraftTable) -> Iterator[DraftPattern]:
    """Entities whose items share partitions: one that has a single item in each, with those that have many."""
    for head in table.entities:
        keys = head.keys[TABLE]
        if not fields_in(keys.partition) or any(name not in fields_in(keys.partition) for name in fields_in(keys.sort)):
            continue
        members = [each for each in table.entities if each is not head and _shares(each.keys[TABLE], keys)]
        many = [
            each
            for each in members
            if set(fields_in(each.keys[TABLE].sort)) - set(fields_in(each.keys[TABLE].partition))
        ]
        if not many or len(many) != len(members):
            continue
        types = {each.name: each.type for each in head.fields}
        parameters = tuple(DraftParameter(name, types[name]) for name in fields_in(keys.partition))
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


def _spoken(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def snake(name: str) -> str:
    """A class's name as the model writes it in front of `_id`."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")
