"""ST145: the literal text of a key differs in one letter from the name of the entity or of a field."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from singletable.model.entity import Entity
from singletable.model.field_roles import is_misspelt, words_of
from singletable.model.key_template import LiteralText
from singletable.model.keys import TemplatePart
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST145", "misspelt literal", "warning")
SHORTEST_LITERAL = 6
"""In shorter words, one letter often makes another word."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find literals such as COMMNET in the keys of a Comment."""
    known = {entity.label: _vocabulary(entity) for entity in planned.design.entities}
    for entity in planned.design.entities:
        for literal, part in _literals(entity).items():
            plain = literal.lower()
            # An importer names a field after the text before it: commnet_time.
            own = _vocabulary(entity, without=part.fields)
            words = own.union(*(words for label, words in known.items() if label != entity.label))
            similar = sorted(word for word in own if len(word) >= SHORTEST_LITERAL and is_misspelt(plain, word))
            if similar and plain not in words and plain.removesuffix("s") not in words:
                message = f'{part.attribute} = "{part}" contains {literal!r}, probably {similar[0]!r} misspelt'
                remedy = "Correct the text. Items that are already stored keep their keys until you write them again."
                yield entity_finding(RULE, entity, message, remedy)


def _vocabulary(entity: Entity, without: Collection[str] = ()) -> set[str]:
    names = [name for name in entity.fields if name not in without]
    words = {word for name in (entity.label, *names) for word in words_of(name)}
    return words | {word.removesuffix("s") for word in words}


def _literals(entity: Entity) -> dict[str, TemplatePart]:
    """Return the words of literal text, each with the first key attribute that contains it."""
    found: dict[str, TemplatePart] = {}
    for placement in (each for each in entity.placements.values() if not each.index.is_inverse):
        for part in (each for each in placement.parts if isinstance(each, TemplatePart)):
            for piece in (each for each in part.template.parts if isinstance(each, LiteralText)):
                for word in piece.text.split(part.template.delimiter):
                    if word.isalpha() and len(word) >= SHORTEST_LITERAL:
                        found.setdefault(word, part)
    return found
