"""Renamed attributes: converts an item with the old attribute names to the form that the new design reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from singletable.client.responses import Item
from singletable.evolve.operation import Operation
from singletable.evolve.operations.attribute_renamed import AttributeRenamed


class RenamedAttributes:
    """The attributes that a migration renames, by entity."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._names: dict[str, dict[str, str]] = {}
        for each in operations:
            if isinstance(each, AttributeRenamed):
                self._names.setdefault(each.entity, {})[each.attribute] = each.field.attribute

    def of(self, entity: str) -> Mapping[str, str]:
        """Return the old name of each renamed attribute of an entity."""
        return self._names.get(entity, {})

    def new_form(self, entity: str | None, item: Item) -> Item:
        """Return an item whose new attributes have the values of its old ones."""
        names = self._names.get(entity or "")
        if not names:
            return item
        values = {new: item[old] for new, old in names.items() if old in item}
        return {name: value for name, value in item.items() if name not in names} | values
