"""Moved keys: both keys of the items that a migration moves, and the keys in their unique markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from singletable.client.items.item_types import key_matches
from singletable.client.responses import Item
from singletable.errors import ArgumentRefused, RequestRefused
from singletable.evolve.moved_entities import MovedEntity
from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.values.limits import TRANSACTION_ACTIONS_MAX


@dataclass(frozen=True)
class BothKeys:
    """The two keys of an item."""

    old: Item
    new: Item


class MovedKeys:
    """Finds both keys of moved items."""

    def __init__(self, design: Design, moved: Sequence[MovedEntity]) -> None:
        self.moved = tuple(moved)
        self.names = design.table.key_attributes
        """The names of the key attributes."""
        self._markers = [marker for each in moved for marker in each.new.uniques]

    def keys_of(self, key: Item) -> BothKeys | None:
        """Return both keys of a moved item, given one of them. Return None for all other items."""
        for each in self.moved:
            found = each.keys_of(key)
            if found is not None:
                return None if found[0] == found[1] else BothKeys(*found)
        return None

    def is_marker(self, key: Item) -> bool:
        """Return whether a key is that of a unique marker of a moved entity."""
        return any(key_matches(each, key) for each in self._markers)

    def owner(self, value: dict[str, Any], *, is_old: bool) -> dict[str, Any]:
        """Return the value of the attribute of a marker that contains the key of its item."""
        key = value.get("M")
        keys = self.keys_of(key) if isinstance(key, dict) and key.keys() == set(self.names) else None
        return value if keys is None else {"M": keys.old if is_old else keys.new}


def with_key(item: Item, key: Item) -> Item:
    """Return the item with another key."""
    return item | {name: value for name, value in key.items() if name in item}


def check_size(entries: Sequence[Any]) -> None:
    """Raise ArgumentRefused if a transaction has too many actions."""
    if len(entries) > TRANSACTION_ACTIONS_MAX:
        raise ArgumentRefused(
            f"the transaction would have {len(entries)} actions, but the limit is {TRANSACTION_ACTIONS_MAX}. While a "
            "migration moves items, each moved item needs two actions; split the transaction"
        )


def with_reasons(problem: RequestRefused, reasons: Sequence[Mapping[str, Any]]) -> RequestRefused:
    """Return a copy of the error of a cancelled transaction that has these cancellation reasons."""
    fields = {**problem.fields, "CancellationReasons": list(reasons)}
    return type(problem)(problem.code, problem.message, **fields)
