"""Values that only one item of an entity may have: each is claimed by a marker, an item of its own in the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.errors import KeyRefused, Problem
from singletable.model.codecs.text import escape
from singletable.model.entity import Entity, EntityDeclaration
from singletable.model.index import Index
from singletable.model.keys import KeyPart, Placement, TemplatePart
from singletable.model.language import ANYTHING, overlap
from singletable.model.settings import TableSettings
from singletable.model.template import Literal, Template, TemplateProblem, parse_template

MARKER = "UNIQUE"
"""What the key of a marker begins with, and its whole sort key; it stands in the type attribute too."""


def unique_placements(
    settings: TableSettings, declaration: EntityDeclaration, table: Index, problems: list[Problem]
) -> tuple[Placement, ...]:
    """Where the markers of an entity lie, one place for each set of fields that is unique."""
    placements = []
    for fields in declaration.unique:
        try:
            placements.append(_placement(settings, declaration, table, fields))
        except (TemplateProblem, KeyRefused) as problem:
            message = f"{declaration.cls.__name__}: unique {', '.join(fields)}: {problem}"
            problems.append(Problem(message, declaration.location))
    return tuple(placements)


def _placement(
    settings: TableSettings, declaration: EntityDeclaration, table: Index, fields: tuple[str, ...]
) -> Placement:
    if any(attribute.type != "S" for attribute in (*table.partition, *table.sort)):
        raise TemplateProblem("a marker's key is text, and the key of this table is not")
    slots = settings.delimiter.join(f"{{{name}}}" for name in fields)
    values = parse_template(slots, declaration.fields, declaration.derived, settings.delimiter)
    # The entity's stored name may hold what a template's literal may not, such as braces or a space.
    name = escape(declaration.name, settings.delimiter)
    before = settings.delimiter.join((MARKER, name, "+".join(fields), ""))
    template = Template(before + slots, (Literal(before), *values.parts), settings.delimiter)
    partition: tuple[KeyPart, ...] = (TemplatePart(table.partition[0].name, template),)
    marker = parse_template(MARKER, declaration.fields, {}, settings.delimiter)
    sort = tuple(TemplatePart(attribute.name, marker) for attribute in table.sort)
    return Placement(table, partition, sort, True, declaration.location)


def marker_problems(entities: Sequence[Entity]) -> Iterator[Problem]:
    """Entities whose own keys could be those of a marker."""
    for entity in entities:
        for unique in entity.uniques:
            for other in entities:
                if all(_can_meet(*parts) for parts in zip(unique.parts, other.base.parts, strict=True)):
                    message = (
                        f"{other.label}: its key can be that of a marker of {entity.label}, "
                        f'"{unique.parts[0]}", which keeps {", ".join(sorted(unique.fields))} unique'
                    )
                    remedy = f"Begin {other.label}'s partition key with a literal of its own, and not with {MARKER}."
                    yield Problem(message, other.location, remedy)


def _can_meet(one: KeyPart, other: KeyPart) -> bool:
    languages = [part.template.language if isinstance(part, TemplatePart) else ANYTHING for part in (one, other)]
    return bool(overlap(*languages))
