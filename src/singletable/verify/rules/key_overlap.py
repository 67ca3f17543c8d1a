"""ST101: two entities can have the same primary key, so one item overwrites the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from singletable.errors import KeyRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.regular_language import Language, common_text, concat, literal
from singletable.model.table_schema import TABLE
from singletable.planner.key_source import change_sort, keys_edits, with_prefix
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule

RULE = Rule("ST101", "key overlap", "error")
# This character separates the key attributes. No key template can contain it.
_BETWEEN = "\x00"


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find pairs of entities whose primary keys can be equal."""
    design = planned.design
    place = {entity.label: number for number, entity in enumerate(design.entities)}
    for first in design.entities:
        parts = {part.attribute: part.language for part in first.base.parts}
        for second in design.entities_with_keys(design.table, parts):
            if place[second.label] > place[first.label]:
                example = common_text(_key_language(first), _key_language(second))
                if example is not None:
                    yield _finding(design, first, second, example)


def _key_language(entity: Entity) -> Language:
    return concat(*(language for part in entity.base.parts for language in (part.language, literal(_BETWEEN))))


def _finding(design: Design, first: Entity, second: Entity, example: str) -> Finding:
    names = [part.attribute for part in first.base.parts]
    values = example.split(_BETWEEN)
    shown = ", ".join(f'{name} "{value}"' for name, value in zip(names, values, strict=False))
    # A field in both key attributes can make the example impossible. The finding then says only that the templates
    # overlap.
    is_possible = _decodes(first, names, values) and _decodes(second, names, values)
    claim = f"can both have {shown}" if is_possible else "have overlapping key templates"
    return Finding(
        RULE,
        second.label,
        f"{first.label} and {second.label} {claim}",
        second.location,
        _remedy(design, second),
        tuple(_key_line(entity) for entity in (first, second)),
        RULE.severity,
    )


def _decodes(entity: Entity, names: list[str], values: list[str]) -> bool:
    try:
        entity.base.decode(dict(zip(names, values, strict=False)))
    except (KeyRefused, ValueError, ArithmeticError):
        return False
    return True


def _key_line(entity: Entity) -> str:
    keys = ", ".join(f'{part.attribute} = "{part}"' for part in entity.base.parts)
    return f"{entity.label}: {keys} ({entity.location})"


def _remedy(design: Design, entity: Entity) -> Remedy:
    keys = change_sort(entity.declaration.keys[TABLE], partial(with_prefix, entity, design.settings.delimiter))
    if keys is None or keys == entity.declaration.keys[TABLE]:
        return Remedy("Give one of them a key that starts with its own literal.")
    return Remedy("", (Alternative(keys_edits(entity, TABLE, keys)),))
