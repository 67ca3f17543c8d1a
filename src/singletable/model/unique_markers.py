"""Unique markers: items that reserve unique values, and the check that no entity can write an item with their keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.errors import KeyRefused, Problem
from singletable.model.codecs.text_codec import escape
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.key_template import InvalidTemplate, LiteralText, Template, parse_template
from singletable.model.keys import KeyPart, Placement, TemplatePart
from singletable.model.regular_language import ANYTHING, overlap
from singletable.model.table_schema import Index, TableSettings

MARKER = "UNIQUE"
"""The key prefix, the sort key and the entity type of a marker."""


def unique_placements(
    settings: TableSettings, declaration: EntityDeclaration, table: Index, problems: list[Problem]
) -> tuple[Placement, ...]:
    """Return the keys of the markers of an entity, one for each set of unique fields."""
    placements = []
    for fields in declaration.unique:
        try:
            placements.append(_placement(settings, declaration, table, fields))
        except (InvalidTemplate, KeyRefused) as problem:
            message = f"{declaration.cls.__name__}: unique {', '.join(fields)}: {problem}"
            problems.append(Problem(message, declaration.location))
    return tuple(placements)


def _placement(
    settings: TableSettings, declaration: EntityDeclaration, table: Index, fields: tuple[str, ...]
) -> Placement:
    if any(attribute.type != "S" for attribute in (*table.partition, *table.sort)):
        raise InvalidTemplate("unique values need a table with text keys")
    slots = settings.delimiter.join(f"{{{name}}}" for name in fields)
    values = parse_template(slots, declaration.fields, declaration.derived, settings.delimiter)
    # The name of an entity can contain characters that are invalid in a template literal, such as braces or spaces.
    name = escape(declaration.name, settings.delimiter)
    before = settings.delimiter.join((MARKER, name, "+".join(fields), ""))
    template = Template(before + slots, (LiteralText(before), *values.parts), settings.delimiter)
    partition: tuple[KeyPart, ...] = (TemplatePart(table.partition[0].name, template),)
    marker = parse_template(MARKER, declaration.fields, {}, settings.delimiter)
    sort = tuple(TemplatePart(attribute.name, marker) for attribute in table.sort)
    return Placement(table, partition, sort, True, declaration.location)


def marker_problems(entities: Sequence[Entity], others: Sequence[Entity]) -> Iterator[Problem]:
    """Yield a problem for each entity in `others` whose key could equal the key of a unique marker of `entities`."""
    for entity in entities:
        for unique in entity.uniques:
            for other in others:
                if all(_can_be_equal(*parts) for parts in zip(unique.parts, other.base.parts, strict=True)):
                    message = (
                        f"{other.label}: its key can equal the unique marker of {entity.label}, "
                        f'"{unique.parts[0]}", which keeps {", ".join(sorted(unique.fields))} unique'
                    )
                    remedy = f"Start the partition key of {other.label} with a literal other than {MARKER}."
                    yield Problem(message, other.location, remedy)


def _can_be_equal(one: KeyPart, other: KeyPart) -> bool:
    languages = [part.template.language if isinstance(part, TemplatePart) else ANYTHING for part in (one, other)]
    return bool(overlap(*languages))
