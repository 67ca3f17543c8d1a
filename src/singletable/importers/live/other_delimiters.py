"""Keys with another delimiter than `#`, such as `config::c1`: they are inferred as if they contained `#`."""

from __future__ import annotations

from dataclasses import replace

from singletable.importers.draft import DraftKeys, DraftTable, Position
from singletable.importers.live.key_words import DELIMITER
from singletable.importers.live.sampled_table import Item, SampledTable

_PAIRS = ("::", "||")
"""Pairs of characters that separate the parts of keys. One character alone can be part of a value, such as a time."""


def other_delimiter(table: SampledTable) -> str | None:
    """Return the pair of characters that separates the parts of most keys, if no key contains `#`."""
    texts = [[item[name].get("S", "") for name in table.key_attributes if name in item] for item in table.items]
    if any(DELIMITER in text for row in texts for text in row):
        return None
    counts = {pair: sum(any(pair in text for text in row) for row in texts) for pair in _PAIRS}
    usual = max(_PAIRS, key=lambda pair: counts[pair])
    return usual if counts[usual] * 2 >= len(texts) > 0 else None


def with_usual_delimiter(table: SampledTable, pair: str) -> SampledTable:
    """Return the table with `#` instead of the pair in all keys."""
    names = table.key_attributes

    def changed(item: Item) -> Item:
        return {
            name: {"S": value["S"].replace(pair, DELIMITER)} if name in names and "S" in value else value
            for name, value in item.items()
        }

    return replace(table, items=tuple(map(changed, table.items)))


def with_other_delimiter(draft: DraftTable, pair: str) -> DraftTable:
    """Return the draft with the pair in its templates and notes."""

    def written(position: Position) -> Position:
        return position.replace(DELIMITER, pair) if isinstance(position, str) else position

    def keys(each: DraftKeys) -> DraftKeys:
        return replace(each, partition=tuple(map(written, each.partition)), sort=tuple(map(written, each.sort)))

    entities = tuple(
        replace(entity, keys={alias: keys(each) for alias, each in entity.keys.items()}) for entity in draft.entities
    )
    notes = tuple(note.replace(DELIMITER, pair) for note in draft.notes)
    return replace(draft, entities=entities, notes=notes, delimiter=pair[0])
