"""Item actions: writes and condition checks of single items, sent alone or merged into one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from singletable.client.responses import Item
from singletable.client.write.stored_expressions import all_of, expression_parameters
from singletable.errors import ArgumentRefused, ConditionFailed
from singletable.expressions.evaluate import compile_condition
from singletable.expressions.tree import Change, Compare, Condition, Constant, Function, Or, Path
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.entity import Entity
from singletable.values.scalars import add_numbers

ActionKind = Literal["Put", "Update", "Delete", "ConditionCheck"]
KeyId = tuple[tuple[str, str, str], ...]
"""The key in hashable form."""

RETURN_ITEM_ON_FAILURE = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
RETURN_VALUES = {"Put": {}, "Update": {"ReturnValues": "ALL_NEW"}, "Delete": {"ReturnValues": "ALL_OLD"}}


class Requirement(NamedTuple):
    """A condition of the caller or the design, and the error for an item that does not meet the condition."""

    condition: Condition
    error: Callable[[Item | None], Exception]
    intent: int
    """The position of the write intent that has the requirement."""


class Contradiction(Exception):
    """A requirement that cannot be met, because of another write or because of the stored item."""

    def __init__(self, requirement: Requirement, item: Item | None = None) -> None:
        self.requirement = requirement
        self.item = item
        super().__init__()


@dataclass(frozen=True)
class ItemAction:
    """A put, update, delete or condition check of one item, with its conditions."""

    kind: ActionKind
    key: Item
    intent: int
    """The position of the write intent that causes the action."""
    item: Item | None = None
    changes: tuple[Change, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    guards: tuple[Condition, ...] = ()
    """Conditions on the state that planning has read or assumed. If one of them fails, the action is planned again."""
    label: str = ""
    """The name of the item for messages. It is set only if the caller requested the action."""
    is_requested: bool = False
    """Whether the caller requested the action. All other actions maintain derived data."""
    counted: Mapping[str, int] | None = None
    """For a delete: the number of counted items that the transaction deletes, for each counter of the item."""
    is_dispensable: bool = False
    """Whether the transaction may omit the action if the item does not exist."""
    counts_in: Entity | None = None
    """The entity of the item, if the action changes counters."""
    table: str | None = None
    """The name of the table of the item, if it is not the table that the transaction writes."""

    @property
    def condition(self) -> Condition | None:
        """Return the conjunction of all requirements and guards."""
        return all_of(*(requirement.condition for requirement in self.requirements), *self.guards)

    @property
    def operation(self) -> str:
        """Return the DynamoDB operation that performs the action alone."""
        return f"{self.kind}Item"

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a separate request, without the table name."""
        return {**self._parameters(), **RETURN_VALUES[self.kind]}

    def entry(self, table: str) -> dict[str, Any]:
        """Return the action as an entry of a transaction that writes a table."""
        return {self.kind: {"TableName": self.table or table, **self._parameters()}}

    def _parameters(self) -> dict[str, Any]:
        subject = {"Item": self.item} if self.kind == "Put" else {"Key": self.key}
        condition = self.condition
        if condition is None and not self.changes:
            return subject
        return {
            **subject,
            **expression_parameters(condition, self.changes),
            **(RETURN_ITEM_ON_FAILURE if condition else {}),
        }

    def failures(self, item: Item | None) -> list[Requirement]:
        """Return the requirements that the stored item does not meet."""
        return [each for each in self.requirements if not compile_condition(each.condition)(item or {}, {})]


def key_id(key: Item) -> KeyId:
    """Return a key in hashable form."""
    return tuple(sorted((name, kind, str(value)) for name, typed in key.items() for kind, value in typed.items()))


def merge_actions(actions: Iterable[ItemAction]) -> list[ItemAction]:
    """Merge actions on the same item, because a transaction accepts each item once. Requested actions come first."""
    by_key: dict[KeyId, ItemAction] = {}
    for action in sorted(actions, key=lambda each: not each.is_requested):
        key = key_id(action.key)
        known = by_key.get(key)
        by_key[key] = action if known is None else _merge_pair(known, action)
    return [_finish(action) for action in by_key.values()]


def _merge_pair(first: ItemAction, second: ItemAction) -> ItemAction:
    return replace(_merge_kinds(first, second), counts_in=first.counts_in or second.counts_in)


def _merge_kinds(first: ItemAction, second: ItemAction) -> ItemAction:
    if first.is_requested and second.is_requested:
        raise ArgumentRefused(
            f"the transaction contains two actions on one item: {_item_label(first)}; DynamoDB accepts each item only "
            "once, so combine the two actions"
        )
    if "ConditionCheck" in (first.kind, second.kind):
        return _with_check(first, second)
    match first.kind, second.kind:
        case "Update", "Update" if first.is_requested and not first.requirements:  # an upsert can create the item
            return _with_conditions(
                replace(first, changes=_merge_changes(first, second)), replace(second, requirements=())
            )
        case "Update", "Update":
            return _with_conditions(replace(first, changes=_merge_changes(first, second)), second)
        case "Put", "Update":
            return _put_with_counts(first, second)
        case "Update", "Put":
            return _put_with_counts(second, first)
        case "Delete", "Update":
            return _delete_with_counts(first, second)
        case "Update", "Delete":
            return _delete_with_counts(second, first)
        case _:
            return _merge_replacement(first, second)


def _delete_with_counts(delete: ItemAction, update: ItemAction) -> ItemAction:
    """Merge counter changes into a delete. Raise Contradiction if the deleted owner would count a new item."""
    if update.requirements and not update.is_dispensable:
        raise Contradiction(update.requirements[0])
    counted = dict(delete.counted or {})
    for change in update.changes:
        name = str(change.path.steps[0])
        if change.action == "ADD" and name in counted and isinstance(change.value, Constant):
            counted[name] -= int(change.value.value["N"])
    return replace(delete, counted=counted)


def _with_check(first: ItemAction, second: ItemAction) -> ItemAction:
    if first.kind == "ConditionCheck" and second.kind != "ConditionCheck":
        return _with_conditions(replace(second, is_requested=first.is_requested, intent=first.intent), first)
    return _with_conditions(first, second)


def _with_conditions(action: ItemAction, other: ItemAction) -> ItemAction:
    guards = (*action.guards, *(guard for guard in other.guards if guard not in action.guards))
    known = {requirement.condition for requirement in action.requirements if _is_hashable(requirement.condition)}
    added = tuple(each for each in other.requirements if not (_is_hashable(each.condition) and each.condition in known))
    dispensable = action.is_dispensable and other.is_dispensable
    return replace(action, guards=guards, requirements=(*action.requirements, *added), is_dispensable=dispensable)


def _is_hashable(condition: object) -> bool:
    try:
        hash(condition)
    except TypeError:
        return False
    return True


def _merge_changes(first: ItemAction, second: ItemAction) -> tuple[Change, ...]:
    """Return the changes of both actions. Additions to the same attribute become their sum."""
    changes = list(first.changes)
    for change in second.changes:
        same = next((i for i, each in enumerate(changes) if each.path == change.path), None)
        if same is None:
            changes.append(change)
        elif change.action == "ADD" and _is_zero_unless_present(changes[same]):  # an ADD action also starts from zero
            changes[same] = change
        elif changes[same].action == change.action == "ADD":
            changes[same] = replace(change, value=Constant(_sum(changes[same], change)))
        elif changes[same] != change:
            raise ArgumentRefused(
                f"two actions of the transaction change {change.path} of {_item_label(first)} differently; "
                "use two transactions"
            )
    return tuple(changes)


def _sum(first: Change, second: Change) -> dict[str, str]:
    assert isinstance(first.value, Constant), "counters change by constants"
    assert isinstance(second.value, Constant), "counters change by constants"
    return {"N": add_numbers(first.value.value["N"], second.value.value["N"])}


def _put_with_counts(put: ItemAction, update: ItemAction) -> ItemAction:
    """Add counter changes to the item of a put. The item already contains its copies."""
    item: Item = dict(put.item or {})
    for change in update.changes:
        if change.action == "ADD" and isinstance(change.value, Constant):
            name = str(change.path.steps[0])
            item[name] = {"N": add_numbers(item.get(name, {"N": "0"})["N"], change.value.value["N"])}
    return replace(put, item=item)


def _merge_replacement(first: ItemAction, second: ItemAction) -> ItemAction:
    """Merge two actions on one item. Each action is a put or a delete."""
    put, other = (first, second) if first.kind == "Put" else (second, first)
    if put.kind != "Put":
        return _merge_releases(first, second)
    if other.kind == "Put":
        if other.requirements:  # two items have the same unique value
            raise Contradiction(other.requirements[0])
        return put if put.is_requested else other
    if other.is_requested:
        raise ArgumentRefused(
            f"the transaction both deletes and writes {_item_label(other)}; remove one of these actions"
        )
    return _hand_over_marker(put, other)


def _merge_releases(first: ItemAction, second: ItemAction) -> ItemAction:
    """Merge two deletes of one unique marker; the guard of either delete is enough."""
    if first.is_requested or not first.guards or not second.guards:
        return first
    either = Or(tuple(each for each in (all_of(*first.guards), all_of(*second.guards)) if each is not None))
    return replace(first, guards=(either,))


def _hand_over_marker(put: ItemAction, release: ItemAction) -> ItemAction:
    """Merge the delete of a unique marker for one item with the put of the marker for another item."""
    released = all_of(*release.guards)
    if released is None or not put.requirements:
        return put
    (claim,) = put.requirements
    return replace(put, requirements=(claim._replace(condition=Or((claim.condition, released))),))


def _finish(action: ItemAction) -> ItemAction:
    """Return a merged action in the form in which it is sent.

    A delete of an item with counters requires that all items that it counts are deleted too. An update for derived data
    loses its additions of zero; if no change remains, it becomes a condition check.
    """
    if action.counted:
        left = tuple(_counts_exactly(action, name, number) for name, number in action.counted.items())
        return replace(action, requirements=(*action.requirements, *left), counted=None)
    if action.kind != "Update" or action.is_requested:
        return action
    changes = tuple(each for each in action.changes if not _is_zero(each))
    if changes:
        return replace(action, changes=changes)
    return replace(action, kind="ConditionCheck", changes=())


def _counts_exactly(delete: ItemAction, name: str, number: int) -> Requirement:
    """Require that all items that a deleted item counts are deleted in the same transaction."""
    path = Path((name,))
    counts = Compare("=", path, Constant({"N": str(number)}))
    none = Function("attribute_not_exists", (path,))

    def error(item: Item | None) -> Exception:
        found = 0 if item is None else int(item.get(name, {"N": "0"})["N"])
        return ConditionFailed(
            f"{_item_label(delete)} has {name} = {found}: it still counts other items; delete these items first, or in "
            "the same transaction"
        )

    return Requirement(counts if number else Or((none, counts)), error, delete.intent)


def _is_zero(change: Change) -> bool:
    return change.action == "ADD" and isinstance(change.value, Constant) and change.value.value == {"N": "0"}


def _is_zero_unless_present(change: Change) -> bool:
    """Return whether a change sets a missing counter to zero, as an upsert does."""
    return change.action == "SET" and change.value == Function("if_not_exists", (change.path, Constant({"N": "0"})))


def _item_label(action: ItemAction) -> str:
    key = ", ".join(f"{name}={next(iter(value.values()))}" for name, value in action.key.items())
    return action.label or f"the item {key}"
