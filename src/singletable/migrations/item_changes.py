"""Changes of stored items as values: the conditional requests of a change, and the write units that it consumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from singletable.client.request_steps import Call
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, KeyId, key_id, merge_actions
from singletable.client.write.stored_expressions import attribute_equals, exists
from singletable.expressions.tree import Change, Constant, Path
from singletable.values.attribute_value import AttributeValue
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
    unchanged: Mapping[str, AttributeValue | None] = field(default_factory=dict)
    """The attributes that must still have these values, or be missing for None. The item must also exist."""
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
    def targets(self) -> tuple[Item, ...]:
        """The keys under which the change puts the item, if it moves the item."""
        return tuple(each.action.key for each in self.related if self.deletes and each.action.kind == "Put")

    @property
    def writes_item(self) -> bool:
        """Whether the change writes its own item. Otherwise it only checks the item."""
        return self.deletes or bool(self.sets or self.removes)

    @property
    def action(self) -> ItemAction:
        """The action on the item itself."""
        equal = (attribute_equals(name, value) for name, value in self.unchanged.items())
        guards = (exists(next(iter(self.key))), *equal)
        if not self.writes_item:
            return ItemAction("ConditionCheck", self.key, 0, guards=guards)
        if self.deletes:
            return ItemAction("Delete", self.key, 0, guards=guards)
        changes = [Change("SET", Path((name,)), Constant(value)) for name, value in self.sets.items()]
        changes += [Change("REMOVE", Path((name,))) for name in self.removes]
        return ItemAction("Update", self.key, 0, None, tuple(changes), guards=guards)

    def update(self, table: str) -> dict[str, Any]:
        """Return the UpdateItem parameters of `action`, for a change without a transaction.

        Most changes of a migration have the same shape, so their expressions are built once.
        """
        shape = (tuple(self.sets), self.removes, tuple((name, each is None) for name, each in self.unchanged.items()))
        fixed = _update_expressions(next(iter(self.key)), *shape)
        values = {f":s{number}": value for number, value in enumerate(self.sets.values())}
        values |= {f":u{number}": value for number, value in enumerate(self.unchanged.values()) if value is not None}
        parameters = {"TableName": table, "Key": self.key, **fixed}
        return parameters | ({"ExpressionAttributeValues": values} if values else {})

    @property
    def actions(self) -> tuple[ItemAction, ...]:
        """The actions on the item and on the related items."""
        return (self.action, *(each.action for each in self.related))


@lru_cache(maxsize=1000)
def _update_expressions(
    partition: str, sets: tuple[str, ...], removes: tuple[str, ...], unchanged: tuple[tuple[str, bool], ...]
) -> Mapping[str, Any]:
    """Return the expressions of an update, with a placeholder for each value.

    `unchanged` contains each attribute in the condition, and whether it must be missing.
    """
    names = {"#k": partition}
    names |= {f"#s{number}": name for number, name in enumerate(sets)}
    names |= {f"#r{number}": name for number, name in enumerate(removes)}
    names |= {f"#u{number}": name for number, (name, _) in enumerate(unchanged)}
    update = [f"SET {', '.join(f'#s{number} = :s{number}' for number in range(len(sets)))}"] if sets else []
    update += [f"REMOVE {', '.join(f'#r{number}' for number in range(len(removes)))}"] if removes else []
    conditions = ["attribute_exists(#k)"]
    for number, (_, is_missing) in enumerate(unchanged):
        conditions.append(f"attribute_not_exists(#u{number})" if is_missing else f"#u{number} = :u{number}")
    return {
        "UpdateExpression": " ".join(update),
        "ConditionExpression": " AND ".join(conditions),
        "ExpressionAttributeNames": names,
    }


@dataclass(frozen=True)
class ChangeRequest:
    """One request: the update of one item, or a transaction with the changes of some items."""

    changes: tuple[ItemChange, ...]
    is_transaction: bool
    epoch_check: ItemAction

    def call(self, table: str) -> Call:
        """Return the request."""
        if not self.is_transaction:
            (change,) = self.changes
            return Call("UpdateItem", {**change.update(table), "ReturnConsumedCapacity": "TOTAL"})
        if any(each.related or each.deletes for each in self.changes):
            actions = merge_actions(action for change in self.changes for action in change.actions)
            assert len(actions) < TRANSACTION_ACTIONS_MAX, "a change has few related items"
            entries = [each.entry(table) for each in actions]
        else:
            entries = [{"Update": each.update(table)} for each in self.changes]
        entries = [self.epoch_check.entry(table), *entries]
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
        yield ChangeRequest((change,), False, epoch_check)
    groups: dict[Any, list[ItemChange]] = {}
    for change in changes:
        if change.related or is_guarded:
            counters = sorted(key_id(each.action.key) for each in change.related if each.is_counter)
            others = any(not each.is_counter for each in change.related)
            own = key_id(change.key) if others or len(counters) > 1 else ()
            groups.setdefault((tuple(counters), own), []).append(change)
    for group in groups.values():
        for start in range(0, len(group), GROUPED_CHANGES_MAX):
            yield ChangeRequest(tuple(group[start : start + GROUPED_CHANGES_MAX]), True, epoch_check)
