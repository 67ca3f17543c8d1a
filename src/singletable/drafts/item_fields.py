"""The fields of one kind of items while their keys are being told: names, types, and the values of every item."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

from singletable.drafts.draft import DraftDerived, DraftField
from singletable.drafts.identifiers import field_identifier


@dataclass
class Fields:
    """The fields of a kind of items: those that attributes hold, and those that only keys hold, added when met."""

    by_name: dict[str, DraftField]
    values: dict[str, list[Any]]
    """The values of each field in every item, as Python has them; None where an item lacks it."""
    raw: set[str] = field(default_factory=set)
    """Fields whose text stands in keys as it is."""
    templates: dict[str, str] = field(default_factory=dict)
    """The templates of key attributes, each of which is one wherever it is a key."""
    derived: dict[str, DraftDerived] = field(default_factory=dict)
    """What the keys compute from fields."""
    key_only: set[str] = field(default_factory=set)
    """Fields that no attribute holds."""
    attributes: frozenset[str] = frozenset()
    """Every attribute that an item has, or could have as a key or a mark."""
    favoured: frozenset[str] = frozenset()
    """Fields that are looked at first: those that only the items of a sparse index have."""

    def kept(self) -> Fields:
        """The fields as they are now."""
        copies = {each.name: copy(getattr(self, each.name)) for each in fields(self)}
        return Fields(**copies)

    def restore(self, before: Fields) -> None:
        """Make them what they were."""
        for each in fields(self):
            setattr(self, each.name, getattr(before, each.name))

    def free_name(self, text: str) -> str:
        """A name for a field or a derived value that no other has, and that no attribute is stored under."""
        return field_identifier(text, (*self.by_name, *self.derived, *self.attributes))

    def add(self, name: str, values: list[str]) -> str:
        """A new field of text with these values, or the one that has them already and is only in keys."""
        for known, seen in self.values.items():
            if seen == values and self.by_name[known].type == "str":
                return known
        free = self.free_name(name)
        self.by_name[free] = DraftField(free, "str")
        self.key_only.add(free)
        self.values[free] = list(values)
        return free
