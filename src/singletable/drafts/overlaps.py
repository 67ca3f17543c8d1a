"""Entities of a draft whose keys can be equal: of tables that others write, that is said and accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from singletable.drafts.draft import DraftEntity, Position
from singletable.drafts.literals import DELIMITER
from singletable.drafts.templates import PYTHON_TYPES
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.regular_language import ANYTHING, Language, common_text, concat, literal
from singletable.model.table_schema import TABLE

REASON = "the keys were written by others, and their forms do not tell these entities apart"
_BETWEEN = "\x00"
_SLOT = re.compile(r"\{([^{}:]+):?([^{}]*)\}")


def accepted_overlaps(entities: Sequence[DraftEntity]) -> list[DraftEntity]:
    """The entities; the later of two that can have the same key accepts the finding."""
    found = list(entities)
    for first, second in combinations(range(len(found)), 2):
        if common_text(_language(found[first]), _language(found[second])) is not None:
            found[second] = replace(found[second], accept={**found[second].accept, "ST101": REASON})
    return found


def _language(entity: DraftEntity) -> Language:
    keys = entity.keys[TABLE]
    parts = [part for position in (*keys.partition, *keys.sort) for part in (*_parts(entity, position), _END)]
    return concat(*parts)


_END = literal(_BETWEEN)


def _parts(entity: DraftEntity, position: Position) -> Iterator[Language]:
    """Literals, and what the codecs of the fields between them can write."""
    if not isinstance(position, str):
        yield ANYTHING
        return
    types: dict[str, str] = {each.name: each.type for each in entity.fields}
    end = 0
    for slot in _SLOT.finditer(position):
        yield literal(position[end : slot.start()])
        kind = types.get(slot[1])
        known = PYTHON_TYPES.get(kind) if kind is not None else None
        yield ANYTHING if known is None else choose_codec(known, slot[2], DELIMITER).language
        end = slot.end()
    yield literal(position[end:])
