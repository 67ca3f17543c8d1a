"""ST101: two entities can have the same primary key, so one item overwrites the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from singletable.errors import KeyRefused
from singletable.model.entity import Entity
from singletable.model.regular_language import Language, common_text, concat, literal
from singletable.planner.entities_in_range import part_language
from singletable.verify.findings import Finding, PlannedDesign, Rule

RULE = Rule("ST101", "key overlap", "error")
# Separates the key attributes; no key template can contain it.
_BETWEEN = "\x00"


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find pairs of entities whose primary keys can be equal."""
    for first, second in combinations(planned.design.entities, 2):
        example = common_text(_key_language(first), _key_language(second))
        if example is not None:
            yield _finding(first, second, example)


def _key_language(entity: Entity) -> Language:
    parts: list[Language] = []
    for part in entity.base.parts:
        parts += [part_language(part), literal(_BETWEEN)]
    return concat(*parts)


def _finding(first: Entity, second: Entity, example: str) -> Finding:
    names = [part.attribute for part in first.base.parts]
    values = example.split(_BETWEEN)
    shown = ", ".join(f'{name} "{value}"' for name, value in zip(names, values, strict=False))
    # A field in both key attributes may rule out the example; then report only that the templates overlap.
    is_possible = _decodes(first, names, values) and _decodes(second, names, values)
    claim = f"can both have {shown}" if is_possible else "have overlapping key templates"
    return Finding(
        RULE,
        second.label,
        f"{first.label} and {second.label} {claim}",
        second.location,
        _remedy(second),
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


def _remedy(entity: Entity) -> str:
    last = entity.base.parts[-1]
    return f'Give one of them a prefix, such as {last.attribute} = "{entity.label.upper()}#{last}".'
