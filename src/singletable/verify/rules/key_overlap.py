"""ST101: keys of two entities that can be equal, so that one item overwrites the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from singletable.errors import KeyRefused
from singletable.model.entity import Entity
from singletable.model.language import Language, common_text, concat, literal
from singletable.planner.holdings import part_language
from singletable.verify.facts import Facts
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST101", "key overlap", "error")
# Stands between the key attributes; no key template can write it.
_BETWEEN = "\x00"


def check(facts: Facts) -> Iterator[Finding]:
    """Pairs of entities whose primary keys have a text in common."""
    for first, second in combinations(facts.design.entities, 2):
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
    # A field that stands in both key attributes may rule the example out; then only the templates are said to meet.
    sure = _decodes(first, names, values) and _decodes(second, names, values)
    said = f"can both have {shown}" if sure else "have key templates that meet"
    return Finding(
        RULE,
        second.label,
        f"{first.label} and {second.label} {said}",
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
