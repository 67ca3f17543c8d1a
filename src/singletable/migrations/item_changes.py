"""Changes of stored items as values: the conditional requests of a change, and the write units that it consumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from singletable.client.request_steps import Call
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, KeyId, key_id, merge_actions
from singletable.expressions.tree import Change, Condition, Constant, Path
from singletable.values.limits import TRANSACTION_ACTIONS_MAX

GROUPED_CHANGES_MAX = 40
"""The maximum number of items that one transaction adds to a counter."""
Found = Mapping[KeyId, Item | None]
"""Related items that were read, by key."""


class ItemFailure(NamedTuple):
    """An item that a migration cannot convert, and the reason."""

    key: str
    reason: str


class NeedsItems(NamedTuple):
    """The keys of related items that a change depends on, and that were not read yet."""

    keys: tuple[Item, ...]


@dataclass(frozen=True)
class RelatedWrite:
    """A write or a check of another item in the transaction of a change."""

    action: ItemAction
    before: Item | None
    after: Item | None

    @property
    def is_counter(self) -> bool:
        """Whether the write changes a counter, so that the writes of several items can be merged."""
        return self.action.counts_in is not None


@dataclass(frozen=True)
class ItemChange:
    """The change of one stored item, and the conditions under which it may be written."""

    key: Item
    before: Item
    sets: Item = field(default_factory=dict)
    removes: tuple[str, ...] = ()
    guards: tuple[Condition, ...] = ()
    related: tuple[RelatedWrite, ...] = ()
    deletes: bool = False
    """Whether the change deletes the item."""

    @property
    def after(self) -> Item | None:
        """The item after the change, or None if it is deleted."""
        return None if self.deletes else self.applied_to(self.before)

    def applied_to(self, item: Item) -> Item:
        """Return an item with the new and without the removed attributes."""
        return {name: value for name, value in item.items() if name not in self.removes} | self.sets

    @property
    def writes_item(self) -> bool:
        """Whether the change writes its own item. Otherwise it only checks the item."""
        return self.deletes or bool(self.sets or self.removes)

    @property
    def action(self) -> ItemAction:
        """The action on the item itself."""
        if not self.writes_item:
            return ItemAction("ConditionCheck", self.key, 0, guards=self.guards)
        if self.deletes:
            return ItemAction("Delete", self.key, 0, guards=self.guards)
        changes = [Change("SET", Path((name,)), Constant(value)) for name, value in self.sets.items()]
        changes += [Change("REMOVE", Path((name,))) for name in self.removes]
        return ItemAction("Update", self.key, 0, None, tuple(changes), guards=self.guards)

    @property
    def actions(self) -> tuple[ItemAction, ...]:
        """The actions on the item and on the related items."""
        return (self.action, *(each.action for each in self.related))


@dataclass(frozen=True)
class ChangeRequest:
    """One request: the update of one item, or a transaction with the changes of some items."""

    changes: tuple[ItemChange, ...]
    actions: tuple[ItemAction, ...]
    is_transaction: bool

    def call(self, table: str) -> Call:
        """Return the request."""
        if not self.is_transaction:
            (action,) = self.actions
            request = {"TableName": table, **action.parameters(), "ReturnConsumedCapacity": "TOTAL"}
            request.pop("ReturnValues", None)
            request.pop("ReturnValuesOnConditionCheckFailure", None)
            return Call(action.operation, request)
        entries = [each.entry(table) for each in self.actions]
        return Call("TransactWriteItems", {"TransactItems": entries, "ReturnConsumedCapacity": "TOTAL"})


def change_requests(
    changes: Sequence[ItemChange], epoch_check: ItemAction, *, is_guarded: bool
) -> Iterator[ChangeRequest]:
    """Yield the requests for changes of different items.

    A transaction also checks the epoch, so that a runner cannot commit it after another runner has taken over.
    With `is_guarded`, every change is part of a transaction.
    """
    single = [each for each in changes if not each.related and not is_guarded]
    for change in single:
        yield ChangeRequest((change,), (change.action,), is_transaction=False)
    groups: dict[Any, list[ItemChange]] = {}
    for change in changes:
        if change.related or is_guarded:
            counters = sorted(key_id(each.action.key) for each in change.related if each.is_counter)
            others = any(not each.is_counter for each in change.related)
            own = key_id(change.key) if others or len(counters) > 1 else ()
            groups.setdefault((tuple(counters), own), []).append(change)
    for group in groups.values():
        for start in range(0, len(group), GROUPED_CHANGES_MAX):
            part = tuple(group[start : start + GROUPED_CHANGES_MAX])
            actions = [action for change in part for action in change.actions]
            merged = merge_actions(actions)
            assert len(merged) < TRANSACTION_ACTIONS_MAX, "a change has few related items"
            yield ChangeRequest(part, (epoch_check, *merged), is_transaction=True)
