"""Ranges of collections: whether items of another entity can be between the members of a collection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from singletable.model.entity import Entity
from singletable.model.keys import TemplatePart

_FIELD = re.compile(r"\{[^{}]*\}")
_LAST = chr(0x10FFFF)
"""The character that sorts last."""


@dataclass(frozen=True)
class KeyTexts:
    """The texts of an entity's key: the partition key without its fields, and the range of the sort key."""

    partition: str
    first: str
    last: str

    def can_be_between(self, members: Sequence[KeyTexts]) -> bool:
        """Return whether an item can be in the range from the first to the last member of a collection."""
        if all(each.partition != self.partition for each in members):
            return False
        return self.last >= min(each.first for each in members) and self.first <= max(each.last for each in members)


def key_texts(partition: str, sort: str) -> KeyTexts:
    """Return the texts of a key with these templates."""
    literal, field, _ = sort.partition("{")
    return KeyTexts(_FIELD.sub("{}", partition), literal, literal + _LAST if field else literal)


def declared_key_texts(entity: Entity, alias: str) -> KeyTexts | None:
    """Return the texts of a declared key. Return None if the entity has no such key, or one that is not templates."""
    placement = entity.placements.get(alias)
    parts = () if placement is None else (*placement.partition[:1], *placement.sort[:1])
    templates = [each.template.text for each in parts if isinstance(each, TemplatePart)]
    return key_texts(*templates) if len(templates) == 2 else None
