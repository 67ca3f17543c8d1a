"""ST111: a design beyond what DynamoDB allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.keys import Placement, TemplatePart
from singletable.model.template import Literal
from singletable.planner.item_sizes import item_bytes
from singletable.values import limits
from singletable.verify.facts import Facts, on_entity, on_table
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST111", "limit exceeded", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Counts and names of indexes, key lengths, item sizes and collections beyond DynamoDB's limits."""
    yield from _index_counts(facts.design)
    yield from _names(facts.design)
    for entity in facts.design.entities:
        yield from _sizes(facts.design, entity)
        for placement in entity.placements.values():
            yield from _key_lengths(entity, placement)


def _index_counts(design: Design) -> Iterator[Finding]:
    kinds: list[str] = [index.kind for index in design.indexes.values()]
    for kind, most in (("GSI", limits.GSI_COUNT_MAX), ("LSI", limits.LSI_COUNT_MAX)):
        if kinds.count(kind) > most:
            message = f"the table has {kinds.count(kind)} {kind}s, and DynamoDB allows {most}"
            yield on_table(RULE, design, message, "Overload one index: entities can share its attributes.")
    included = sum(len(index.projection.attributes) for index in design.indexes.values())
    if included > limits.INCLUDED_ATTRIBUTES_MAX:
        message = f"{included} attributes are included in indexes, and DynamoDB allows {limits.INCLUDED_ATTRIBUTES_MAX}"
        yield on_table(RULE, design, message, "Project ALL where most attributes are needed.")
    for index in design.indexes.values():
        if max(len(index.partition), len(index.sort)) > limits.MULTI_ATTRIBUTE_KEY_MAX:
            most = limits.MULTI_ATTRIBUTE_KEY_MAX
            message = f"{index.label} has a key of more than {most} attributes for its partition or its sort key"
            yield on_table(RULE, design, message, "Join attributes in one template.")


def _names(design: Design) -> Iterator[Finding]:
    for index in design.indexes.values():
        fits = limits.NAME_CHARACTERS_MIN <= len(index.name) <= limits.NAME_CHARACTERS_MAX
        if not fits or not re.fullmatch(limits.NAME_PATTERN, index.name):
            message = f"{index.name!r} cannot be the name of a table or index"
            remedy = (
                f"Take {limits.NAME_CHARACTERS_MIN} to {limits.NAME_CHARACTERS_MAX} letters, digits, '_', '-' or '.'."
            )
            yield on_table(RULE, design, message, remedy)
        for name in index.key_attributes:
            if not 1 <= len(name.encode()) <= limits.KEY_ATTRIBUTE_NAME_BYTES_MAX:
                message = f"{name!r} cannot be the name of a key attribute"
                yield on_table(RULE, design, message, f"Take at most {limits.KEY_ATTRIBUTE_NAME_BYTES_MAX} bytes.")


def _key_lengths(entity: Entity, placement: Placement) -> Iterator[Finding]:
    for part in placement.parts:
        if not isinstance(part, TemplatePart):
            continue
        least = sum(
            len(piece.text.encode()) if isinstance(piece, Literal) else piece.width or 0
            for piece in part.template.parts
        )
        sort = part in placement.sort
        most = limits.SORT_KEY_BYTES_MAX if sort else limits.PARTITION_KEY_BYTES_MAX
        if least > most:
            kind = "sort" if sort else "partition"
            message = f"{part.attribute} has at least {least} bytes, and a {kind} key has at most {most}"
            yield on_entity(RULE, entity, message, "Shorten the template's text or its formats.")


def _sizes(design: Design, entity: Entity) -> Iterator[Finding]:
    size = item_bytes(design, entity)[0]
    if size > limits.ITEM_BYTES_MAX:
        message = f"an item has {size} bytes, and DynamoDB takes at most {limits.ITEM_BYTES_MAX}"
        yield on_entity(RULE, entity, message, "Keep the large part elsewhere (S3), and its address here.")
    count = entity.expected_in(design.table)
    local = any(index.kind == "LSI" for index in design.indexes.values())
    if count and local and count * size > limits.LSI_COLLECTION_BYTES_MAX:
        message = "a partition grows beyond 10 GB, which a table with a local index refuses"
        yield on_entity(RULE, entity, message, "Use a global index instead, or shard the partition.")
