"""ST111: the design exceeds a DynamoDB limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import LiteralText
from singletable.model.keys import Placement, TemplatePart
from singletable.model.table_schema import TABLE, Index, Native
from singletable.planner.item_sizes import item_bytes
from singletable.planner.key_proposals import new_alias
from singletable.planner.key_source import keys_edits, quoted
from singletable.planner.remedy import (
    AddElement,
    Alternative,
    Edit,
    Remedy,
    RemoveKeyword,
    SetKeyword,
    entity_place,
    import_from_package,
    index_place,
    table_place,
)
from singletable.values import limits
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, table_finding

RULE = Rule("ST111", "limit exceeded", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find index counts, names, key lengths, item sizes and collections that exceed DynamoDB's limits."""
    yield from _index_counts(planned.design)
    yield from _names(planned.design)
    for entity in planned.design.entities:
        yield from _sizes(planned.design, entity)
        for placement in entity.placements.values():
            yield from _key_lengths(entity, placement)


def _index_counts(design: Design) -> Iterator[Finding]:
    kinds: list[str] = [index.kind for index in design.indexes.values()]
    for kind, most in (("GSI", limits.GSI_COUNT_MAX), ("LSI", limits.LSI_COUNT_MAX)):
        if kinds.count(kind) > most:
            message = f"the table has {kinds.count(kind)} {kind}s, but DynamoDB allows {most}"
            yield table_finding(RULE, design, message, "Overload an index: several entities can share one index.")
    included = sum(len(index.projection.attributes) for index in design.indexes.values())
    if included > limits.INCLUDED_ATTRIBUTES_MAX:
        message = f"the indexes include {included} attributes, but DynamoDB allows {limits.INCLUDED_ATTRIBUTES_MAX}"
        yield table_finding(RULE, design, message, _project_all(design))
    for index in design.indexes.values():
        if max(len(index.partition), len(index.sort)) > limits.MULTI_ATTRIBUTE_KEY_MAX:
            most = limits.MULTI_ATTRIBUTE_KEY_MAX
            message = f"the partition key or sort key of {index.label} has more than {most} attributes"
            yield table_finding(RULE, design, message, _one_template(design, index))


def _names(design: Design) -> Iterator[Finding]:
    for index in design.indexes.values():
        fits = limits.NAME_CHARACTERS_MIN <= len(index.name) <= limits.NAME_CHARACTERS_MAX
        if not fits or not re.fullmatch(limits.NAME_PATTERN, index.name):
            message = f"{index.name!r} is not a valid table or index name"
            yield table_finding(RULE, design, message, _valid_name(design, index))
        for name in index.key_attributes:
            if not 1 <= len(name.encode()) <= limits.KEY_ATTRIBUTE_NAME_BYTES_MAX:
                message = f"{name!r} is not a valid key attribute name"
                yield table_finding(RULE, design, message, f"Use at most {limits.KEY_ATTRIBUTE_NAME_BYTES_MAX} bytes.")


def _key_lengths(entity: Entity, placement: Placement) -> Iterator[Finding]:
    for part in placement.parts:
        if not isinstance(part, TemplatePart):
            continue
        least = sum(
            len(piece.text.encode()) if isinstance(piece, LiteralText) else piece.width or 0
            for piece in part.template.parts
        )
        sort = part in placement.sort
        most = limits.SORT_KEY_BYTES_MAX if sort else limits.PARTITION_KEY_BYTES_MAX
        if least > most:
            kind = "sort" if sort else "partition"
            message = f"{part.attribute} has at least {least} bytes, but a {kind} key can have at most {most}"
            yield entity_finding(RULE, entity, message, "Shorten the literal text or the formats of the template.")


def _sizes(design: Design, entity: Entity) -> Iterator[Finding]:
    size = item_bytes(design, entity)[0]
    if size > limits.ITEM_BYTES_MAX:
        message = f"an item has {size} bytes, but DynamoDB allows at most {limits.ITEM_BYTES_MAX}"
        yield entity_finding(
            RULE, entity, message, "Store the large part elsewhere, for example in S3, and its address in the item."
        )
    count = entity.expected_in(design.table)
    local = any(index.kind == "LSI" for index in design.indexes.values())
    if count and local and count * size > limits.LSI_COLLECTION_BYTES_MAX:
        message = "a partition grows beyond 10 GB, the limit in a table with a local secondary index"
        yield entity_finding(RULE, entity, message, _global_indexes(design))


def _one_template(design: Design, index: Index) -> Remedy:
    """Return one template for the native attributes of each long key."""
    edits: list[Edit] = []
    for entity in design.placed_in(index):
        given: Any = entity.declaration.keys.get(index.alias)
        if not isinstance(given, tuple) or not _joinable(given):
            return Remedy("Combine attributes in one key template.")
        keys = tuple(_joined(each, design.settings.delimiter) if isinstance(each, tuple) else each for each in given)
        edits += keys_edits(entity, index.alias, keys)
    return Remedy("", (Alternative(tuple(edits)),))


def _joinable(keys: tuple[Any, ...]) -> bool:
    parts = [part for each in keys for part in (each if isinstance(each, tuple) else (each,))]
    return all(isinstance(part, str | Native) for part in parts)


def _joined(parts: tuple[str | Native, ...], delimiter: str) -> str:
    return delimiter.join(
        part if isinstance(part, str) else f"{{{part.field}{f':{part.format}' if part.format else ''}}}"
        for part in parts
    )


def _project_all(design: Design) -> Remedy:
    """Return a projection of ALL attributes for the index that includes the most attributes."""
    largest = max(design.indexes.values(), key=lambda index: len(index.projection.attributes))
    place = index_place(design, largest.alias)
    if place is None:
        return Remedy("Project ALL in indexes that need most attributes.")
    effect = f"{largest.label} then contains all attributes, and you must create the index again."
    return Remedy("", (Alternative((RemoveKeyword(place, "projection"),), effect),))


def _valid_name(design: Design, index: Index) -> Remedy:
    name = re.sub(r"[^a-zA-Z0-9_.-]", "_", index.name)[: limits.NAME_CHARACTERS_MAX]
    name = name if len(name) >= limits.NAME_CHARACTERS_MIN else f"{name}_{'table' if index.is_table else 'index'}"
    if index.is_table:
        return Remedy("", (Alternative((SetKeyword(table_place(design), "name", quoted(name)),)),))
    place = index_place(design, index.alias)
    if place is not None:
        return Remedy("", (Alternative((SetKeyword(place, "name", quoted(name)),)),))
    kind, table = index.kind, table_place(design)
    source = f"{kind}({quoted(index.alias)}, name={quoted(name)})"
    return Remedy("", (Alternative((AddElement(table, "indexes", source), import_from_package(table, kind))),))


def _global_indexes(design: Design) -> Remedy:
    """Return a global index with the same keys for every local secondary index."""
    explanation = "Shard the partition key, or use global secondary indexes instead of local ones:"
    edits: list[Edit] = []
    taken: set[str] = set()
    for local in (index for index in design.indexes.values() if index.kind == "LSI"):
        alias = new_alias(design, frozenset(taken))
        taken.add(alias)
        if index_place(design, local.alias) is not None:
            return Remedy(f"{explanation[:-1]}.")
        for entity in design.placed_in(local):
            base: Any = entity.declaration.keys[TABLE]
            place = entity_place(entity)
            keys = (base[0], entity.declaration.keys[local.alias])
            edits += [RemoveKeyword(place, local.alias), *keys_edits(entity, alias, keys)]
    return Remedy(explanation, (Alternative(tuple(edits), "Reads of these indexes are then eventually consistent."),))
