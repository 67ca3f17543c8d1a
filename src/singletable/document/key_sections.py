"""The sections on a design's entities, keys and indexes: what each item is, and where it lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from singletable.document.blocks import Block, Code, Inline, Paragraph, Section, Text, Words, paragraphs, table, words
from singletable.document.described import own_doc
from singletable.expressions.plain import plain
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.index import TABLE, Index
from singletable.model.keys import KeyPart, NativePart, Placement


def entity_section(design: Design, anchor: str) -> Section:
    """What the entities are, and their fields."""
    rows = [(Code(entity.label), *_entity_cells(design, entity)) for entity in design.entities]
    headers = ("entity", "what it is", "fields", "kept right by every write")
    return Section("Entities", anchor, (table(headers, rows, "what it is", "kept right by every write"),))


def _entity_cells(design: Design, entity: Entity) -> tuple[str, Words, str]:
    said = paragraphs(own_doc(entity.cls))
    about = said[0].words[0] if said else Text("")
    return about.text, _fields(entity), "; ".join(_kept(entity))


def _fields(entity: Entity) -> Words:
    parts: list[Inline] = []
    for name, field in entity.fields.items():
        stored = entity.attributes.get(name, name)
        parts += [Text(", ")] if parts else []
        said = f"{name}: {field.type_name}{' | None' if field.optional else ''}"
        parts.append(Code(said if stored == name else f"{said} ({stored})"))
    return tuple(parts)


def _kept(entity: Entity) -> Iterator[str]:
    declaration = entity.declaration
    for fields in declaration.unique:
        yield f"{' and '.join(fields)} unique"
    for copied in declaration.copies:
        yield f"{', '.join(copied.fields.values())} as in {copied.source.__name__}"
    for count in declaration.counted:
        condition = "" if count.condition is None else f" if {plain(count.condition)}"
        yield f"{count.owner.__name__}.{count.field} counts it{condition}"
    if declaration.mirror_of is not None:
        yield f"the mirror of {declaration.mirror_of.__name__}"
    if declaration.ttl is not None:
        yield f"expires by {declaration.ttl}"


def key_section(design: Design, anchor: str) -> Section:
    """The key table: every key attribute of every entity, and the indexes."""
    attributes = list(dict.fromkeys(name for index in design.indexes.values() for name in index.key_attributes))
    rows: list[list[Inline | Words]] = [
        [Code(entity.label), *(_key_cell(entity, name) for name in attributes)] for entity in design.entities
    ]
    blocks: list[Block] = [table(("entity", *attributes), rows)]
    derived = list(dict.fromkeys(_derived(design)))
    if derived:
        blocks.append(table(("derived value", "computed as"), [(Code(name), Code(label)) for name, label in derived]))
    indexes = [_index_row(design, index) for index in design.indexes.values()]
    blocks.append(table(("index", "kind", "partition", "sort", "holds", "entities"), indexes, "sort"))
    if any(placement.sparse for entity in design.entities for placement in entity.placements.values()):
        blocks.append(Paragraph(words("A sparse index holds only the items that have all fields of its keys.")))
    return Section("Keys", anchor, tuple(blocks))


def _key_cell(entity: Entity, attribute: str) -> Words:
    for placement in entity.placements.values():
        for part in placement.parts:
            if part.attribute == attribute and not placement.index.is_inverse:
                return _written(placement, part)
    return ()


def _written(placement: Placement, part: KeyPart) -> Words:
    said = words(Code(part.field.name), f" ({part.type})") if isinstance(part, NativePart) else words(Code(str(part)))
    return (*said, Text(" sparse")) if placement.sparse else said


def _derived(design: Design) -> Iterator[tuple[str, str]]:
    for entity in design.entities:
        for name, derived in entity.declaration.derived.items():
            yield f"{{{name}}} of {entity.label}", derived.label


def _index_row(design: Design, index: Index) -> tuple[Any, ...]:
    kind = "table" if index.is_table else f"{index.kind}, inverse" if index.is_inverse else index.kind
    return (
        Code(design.name if index.alias == TABLE else index.name),
        kind,
        _names(tuple(f"{each.name} ({each.type})" for each in index.partition)),
        _names(tuple(f"{each.name} ({each.type})" for each in index.sort)),
        "whole items" if index.is_table or index.projection.kind == "ALL" else str(index.projection),
        ", ".join(entity.label for entity in design.placed_in(index)),
    )


def _names(names: tuple[str, ...]) -> Words:
    return tuple(part for name in names for part in (Text(", "), Code(name)))[1:]
