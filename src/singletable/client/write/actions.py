"""Actions: single writes and condition checks of items, alone in a request or merged into one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from singletable.client.answers import Item
from singletable.client.write.conditions import all_of, printed
from singletable.errors import ArgumentRefused, ConditionFailed
from singletable.expressions.evaluate import compiled
from singletable.expressions.tree import Change, Compare, Condition, Constant, Function, Or, Path
from singletable.model.entity import Entity
from singletable.values.number import add_numbers

ActionKind = Literal["Put", "Update", "Delete", "ConditionCheck"]
KeyId = tuple[tuple[str, str, str], ...]
"""A key in a form that can be looked up."""

RETURN_ITEM_ON_FAILURE = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
RETURN_VALUES = {"Put": {}, "Update": {"ReturnValues": "ALL_NEW"}, "Delete": {"ReturnValues": "ALL_OLD"}}


class Requirement(NamedTuple):
    """A condition that the caller or the design requires, and the error for an item that does not meet it."""

    condition: Condition
    error: Callable[[Item | None], Exception]
    intent: int
    """The number of the intent that requires it."""


class Contradiction(Exception):
    """A requirement that cannot hold, because of another write or because of the item as it was read."""

    def __init__(self, requirement: Requirement, item: Item | None = None) -> None:
        self.requirement = requirement
        self.item = item
        super().__init__()


@dataclass(frozen=True)
class Action:
    """One item to put, update, delete or check, on conditions."""

    kind: ActionKind
    key: Item
    intent: int
    """The number of the intent that it belongs to."""
    item: Item | None = None
    changes: tuple[Change, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    guards: tuple[Condition, ...] = ()
    """What was read or assumed when the action was planned; if it no longer holds, the action is planned again."""
    label: str = ""
    """The item for messages, of an action that the caller requested."""
    is_requested: bool = False
    """Whether the caller requested it; other actions write derived data."""
    counted: Mapping[str, int] | None = None
    """Of a delete: the counters of the item, each with the number of counted items that the transaction deletes."""
    is_dispensable: bool = False
    """Whether the other actions may happen without it when its item does not exist."""
    counts_in: Entity | None = None
    """The entity of its item, if the action changes counters of that."""

    @property
    def condition(self) -> Condition | None:
        """The whole condition."""
        return all_of(*(requirement.condition for requirement in self.requirements), *self.guards)

    @property
    def operation(self) -> str:
        """DynamoDB's name for the action as a request of its own."""
        return f"{self.kind}Item"

    def parameters(self) -> dict[str, Any]:
        """The parameters of a request of its own, without the table's name."""
        return {**self._expressed(), **RETURN_VALUES[self.kind]}

    def entry(self, table: str) -> dict[str, Any]:
        """The action as an entry of a transaction."""
        return {self.kind: {"TableName": table, **self._expressed()}}

    def _expressed(self) -> dict[str, Any]:
        subject = {"Item": self.item} if self.kind == "Put" else {"Key": self.key}
        condition = self.condition
        if condition is None and not self.changes:
            return subject
        return {**subject, **printed(condition, self.changes), **(RETURN_ITEM_ON_FAILURE if condition else {})}

    def failures(self, item: Item | None) -> list[Requirement]:
        """The requirements that an item does not meet."""
        return [each for each in self.requirements if not compiled(each.condition)(item or {}, {})]


def key_id(key: Item) -> KeyId:
    """A key in a form that can be looked up."""
    return tuple(sorted((name, kind, str(value)) for name, typed in key.items() for kind, value in typed.items()))


def merged(actions: Iterable[Action]) -> list[Action]:
    """The actions with one for each item, since a transaction may name an item once; requested actions come first."""
    by_key: dict[KeyId, Action] = {}
    for action in sorted(actions, key=lambda each: not each.is_requested):
        key = key_id(action.key)
        known = by_key.get(key)
        by_key[key] = action if known is None else _both(known, action)
    return [_finished(action) for action in by_key.values()]


def _both(first: Action, second: Action) -> Action:
    return replace(_combined(first, second), counts_in=first.counts_in or second.counts_in)


def _combined(first: Action, second: Action) -> Action:
    if first.is_requested and second.is_requested:
        raise ArgumentRefused(
            f"the transaction names one item twice, {_shown(first)}; DynamoDB accepts each item once, "
            "so combine the two actions"
        )
    if "ConditionCheck" in (first.kind, second.kind):
        return _with_check(first, second)
    match first.kind, second.kind:
        case "Update", "Update" if first.is_requested and not first.requirements:  # an upsert may create the item
            return _with_conditions(replace(first, changes=_joined(first, second)), replace(second, requirements=()))
        case "Update", "Update":
            return _with_conditions(replace(first, changes=_joined(first, second)), second)
        case "Put", "Update":
            return _put_with_counts(first, second)
        case "Update", "Put":
            return _put_with_counts(second, first)
        case "Delete", "Update":
            return _delete_with_counts(first, second)
        case "Update", "Delete":
            return _delete_with_counts(second, first)
        case _:
            return _replaced(first, second)


def _delete_with_counts(delete: Action, update: Action) -> Action:
    """A deleted item needs no other change, but an item that it would newly count loses its owner."""
    if update.requirements and not update.is_dispensable:
        raise Contradiction(update.requirements[0])
    counted = dict(delete.counted or {})
    for change in update.changes:
        name = str(change.path.steps[0])
        if change.action == "ADD" and name in counted and isinstance(change.value, Constant):
            counted[name] -= int(change.value.value["N"])
    return replace(delete, counted=counted)


def _with_check(first: Action, second: Action) -> Action:
    if first.kind == "ConditionCheck" and second.kind != "ConditionCheck":
        return _with_conditions(replace(second, is_requested=first.is_requested, intent=first.intent), first)
    return _with_conditions(first, second)


def _with_conditions(action: Action, other: Action) -> Action:
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


def _joined(first: Action, second: Action) -> tuple[Change, ...]:
    """The changes of both; additions to one attribute are summed."""
    changes = list(first.changes)
    for change in second.changes:
        same = next((i for i, each in enumerate(changes) if each.path == change.path), None)
        if same is None:
            changes.append(change)
        elif change.action == "ADD" and _is_zero_unless_present(changes[same]):  # ADD starts from zero as well
            changes[same] = change
        elif changes[same].action == change.action == "ADD":
            changes[same] = replace(change, value=Constant(_sum(changes[same], change)))
        elif changes[same] != change:
            raise ArgumentRefused(
                f"two actions of the transaction change {change.path} of {_shown(first)} in different ways; "
                "use two transactions"
            )
    return tuple(changes)


def _sum(first: Change, second: Change) -> dict[str, str]:
    assert isinstance(first.value, Constant), "counters change by constants"
    assert isinstance(second.value, Constant), "counters change by constants"
    return {"N": add_numbers(first.value.value["N"], second.value.value["N"])}


def _put_with_counts(put: Action, update: Action) -> Action:
    """A put item includes what the transaction adds to its counters; its copies are in it already."""
    item: Item = dict(put.item or {})
    for change in update.changes:
        if change.action == "ADD" and isinstance(change.value, Constant):
            name = str(change.path.steps[0])
            item[name] = {"N": add_numbers(item.get(name, {"N": "0"})["N"], change.value.value["N"])}
    return replace(put, item=item)


def _replaced(first: Action, second: Action) -> Action:
    """One action for an item that one of them deletes and the other puts."""
    put, other = (first, second) if first.kind == "Put" else (second, first)
    if put.kind != "Put":
        return _released_by_two(first, second)
    if other.kind == "Put":
        if other.requirements:  # two items claim one unique value
            raise Contradiction(other.requirements[0])
        return put if put.is_requested else other
    if other.is_requested:
        raise ArgumentRefused(f"the transaction both deletes and writes {_shown(other)}; leave one of them out")
    return _handed_over(put, other)


def _released_by_two(first: Action, second: Action) -> Action:
    """A unique marker that two items release: it belongs to one, and had expired for the other."""
    if first.is_requested or not first.guards or not second.guards:
        return first
    either = Or(tuple(each for each in (all_of(*first.guards), all_of(*second.guards)) if each is not None))
    return replace(first, guards=(either,))


def _handed_over(put: Action, release: Action) -> Action:
    """A unique marker that one item releases and another claims: it may belong to either, and to no third."""
    released = all_of(*release.guards)
    if released is None or not put.requirements:
        return put
    (claim,) = put.requirements
    return replace(put, requirements=(claim._replace(condition=Or((claim.condition, released))),))


def _finished(action: Action) -> Action:
    """The action without additions of zero; a check if no change is left; a delete with conditions on its counters."""
    if action.counted:
        left = tuple(_counts_exactly(action, name, number) for name, number in action.counted.items())
        return replace(action, requirements=(*action.requirements, *left), counted=None)
    if action.kind != "Update" or action.is_requested:
        return action
    changes = tuple(each for each in action.changes if not _is_zero(each))
    if changes:
        return replace(action, changes=changes)
    return replace(action, kind="ConditionCheck", changes=())


def _counts_exactly(delete: Action, name: str, number: int) -> Requirement:
    """The deleted item counts no other items than those that the transaction deletes."""
    path = Path((name,))
    counts = Compare("=", path, Constant({"N": str(number)}))
    none = Function("attribute_not_exists", (path,))

    def error(item: Item | None) -> Exception:
        found = 0 if item is None else int(item.get(name, {"N": "0"})["N"])
        return ConditionFailed(
            f"{_shown(delete)} has {name} = {found}: it still counts other items; "
            "delete those first, or in the same transaction"
        )

    return Requirement(counts if number else Or((none, counts)), error, delete.intent)


def _is_zero(change: Change) -> bool:
    return change.action == "ADD" and isinstance(change.value, Constant) and change.value.value == {"N": "0"}


def _is_zero_unless_present(change: Change) -> bool:
    """Whether a change leaves a counter as it is or starts it at zero, as an upsert does."""
    return change.action == "SET" and change.value == Function("if_not_exists", (change.path, Constant({"N": "0"})))


def _shown(action: Action) -> str:
    key = ", ".join(f"{name}={next(iter(value.values()))}" for name, value in action.key.items())
    return action.label or f"the item {key}"
