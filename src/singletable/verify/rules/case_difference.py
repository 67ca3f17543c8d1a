"""ST125: two key templates have the same literal text in different case, or with and without a leading delimiter."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.key_template import LiteralText
from singletable.model.keys import TemplatePart
from singletable.planner.key_changes import template_change
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST125", "key templates nearly equal", "warning")
SHORTEST_WORD = 2
"""The minimum length of a compared literal. Shorter literals can differ by case on purpose, as in `c#` and `C#`."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find literal segments of two templates that differ only by case."""
    first: dict[tuple[str, int, str], tuple[str, Entity, TemplatePart]] = {}
    reported: set[tuple[str, str]] = set()
    for entity, part, segment, place in _segments(planned):
        key = part.attribute, place, segment.casefold()
        spelling, other, other_part = first.setdefault(key, (segment, entity, part))
        if spelling == segment or (spelling, segment) in reported:
            continue
        reported.add((spelling, segment))
        message = (
            f'{part.attribute} = "{part}" and {other_part.attribute} = "{other_part}" of {other.label} differ in '
            f"{segment} and {spelling}; keys are case-sensitive, so one Query does not find both"
        )
        yield entity_finding(RULE, entity, message, _remedy(planned.design, part, segment, spelling))
    yield from _leading_delimiters(planned)


def _leading_delimiters(planned: PlannedDesign) -> Iterator[Finding]:
    """Find templates such as `#ORDER`, if another template of the same attribute begins with `ORDER`."""
    heads: dict[tuple[str, str], tuple[Entity, TemplatePart]] = {}
    for entity, part, segment, _ in _segments(planned):
        if part.template.text.startswith(segment):
            heads.setdefault((part.attribute, segment), (entity, part))
    reported: set[str] = set()
    for entity, part, segment, _ in _segments(planned):
        delimiter = part.template.delimiter
        found = heads.get((part.attribute, segment))
        if found is None or not part.template.text.startswith(f"{delimiter}{segment}") or str(part) in reported:
            continue
        reported.add(str(part))
        message = (
            f'{part.attribute} = "{part}" begins with {delimiter!r}, and {part.attribute} = "{found[1]}" of '
            f"{found[0].label} does not, so one Query does not find both"
        )
        yield entity_finding(RULE, entity, message, _without_delimiter(planned.design, entity, part))


def _without_delimiter(design: Design, entity: Entity, part: TemplatePart) -> Remedy:
    text = part.template.text
    shorter = text.removeprefix(part.template.delimiter)
    edits = template_change(design, (entity,), lambda template: shorter if template == text else template)
    return Remedy(f'Write {part.attribute} = "{shorter}".') if edits is None else Remedy("", (Alternative(edits),))


def _remedy(design: Design, part: TemplatePart, segment: str, spelling: str) -> Remedy:
    """Return the edits that write the segment as the first template does, in the keys of all entities."""
    delimiter = part.template.delimiter

    def change(template: str) -> str:
        return delimiter.join(spelling if each == segment else each for each in template.split(delimiter))

    edits = template_change(design, design.entities, change)
    if edits is None:
        return Remedy(f'Write {part.attribute} = "{change(part.template.text)}".')
    return Remedy("", (Alternative(edits),))


def _segments(planned: PlannedDesign) -> Iterator[tuple[Entity, TemplatePart, str, int]]:
    """Yield the literal words of all key templates, each with its position in the template."""
    for entity in planned.design.entities:
        for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
            for part in placement.parts:
                if not isinstance(part, TemplatePart):
                    continue
                place = 0
                for piece in part.template.parts:
                    words = piece.text.split(part.template.delimiter) if isinstance(piece, LiteralText) else [""]
                    for number, word in enumerate(words, place):
                        if len(word) >= SHORTEST_WORD:
                            yield entity, part, word, number
                    place += len(words) - 1
