"""Entities whose keys can be equal. The importer accepts this finding, because the items already exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from singletable.importers.draft import DraftEntity, Position
from singletable.importers.live.key_templates import PYTHON_TYPES
from singletable.importers.live.key_words import DELIMITER
from singletable.model.codecs.choose_codec import choose_codec
from singletable.model.regular_language import ANYTHING, Language, common_text, concat, literal
from singletable.model.table_schema import TABLE

RAW_REASON = "imported: existing keys contain unescaped text"
OVERLAP_REASON = "imported: existing keys do not distinguish these entities"
_SLOT = re.compile(r"\{([^{}:]+):?([^{}]*)\}")


def with_accepted_overlaps(entities: Sequence[DraftEntity], notes: list[str]) -> list[DraftEntity]:
    """Return the entities.

    If the key of an entity can equal the key of an earlier one, it accepts the finding, with a note.
    """
    found: list[DraftEntity] = []
    languages = [_languages(each) if each.keys else None for each in entities]
    for number, entity in enumerate(entities):
        same = [each.class_name for place, each in enumerate(found) if _overlap(languages[place], languages[number])]
        accept = {"ST101": OVERLAP_REASON} if same else {}
        found.append(replace(entity, accept={**entity.accept, **accept}))
        if same:
            notes.append(
                f'{entity.class_name}: accept={{"ST101": ...}} was added, because its key can equal that of '
                f"{', '.join(same)}. Give it a prefix."
            )
    return found


def _overlap(one: tuple[Language, ...] | None, other: tuple[Language, ...] | None) -> bool:
    """Return whether two keys can be equal. An entity without a key cannot overlap another."""
    if one is None or other is None:
        return False
    return all(common_text(mine, their) is not None for mine, their in zip(one, other, strict=True))


def _languages(entity: DraftEntity) -> tuple[Language, ...]:
    """Return the set of possible texts of each key attribute."""
    keys = entity.keys[TABLE]
    return tuple(concat(*_parts(entity, each)) for each in (*keys.partition, *keys.sort))


def _parts(entity: DraftEntity, position: Position) -> Iterator[Language]:
    """Yield the literals of a template and, between them, the languages of the texts of its fields."""
    if not isinstance(position, str):
        yield ANYTHING
        return
    types: dict[str, str] = {each.name: each.type for each in entity.fields}
    end = 0
    for slot in _SLOT.finditer(position):
        yield literal(position[end : slot.start()])
        known = PYTHON_TYPES.get(types.get(slot[1], ""))
        yield ANYTHING if known is None else choose_codec(known, slot[2], DELIMITER).language
        end = slot.end()
    yield literal(position[end:])
