"""Actions on one item brought into one, since a transaction takes each item once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from singletable.client.answers import Item
from singletable.client.writing.action import Action, Contradiction, Requirement, key_id
from singletable.errors import ArgumentRefused, ConditionFailed
from singletable.expressions.tree import And, Change, Compare, Condition, Constant, Function, Or, Path
from singletable.values.number import add_numbers


def merged(actions: Iterable[Action]) -> list[Action]:
    """The actions, each item once, those that were asked for in their order and first."""
    by_key: dict[tuple[tuple[str, str, str], ...], Action] = {}
    for action in sorted(actions, key=lambda each: not each.is_main):
        key = key_id(action.key)
        known = by_key.get(key)
        by_key[key] = action if known is None else _both(known, action)
    return [_settled(action) for action in by_key.values()]


def _both(first: Action, second: Action) -> Action:
    if first.is_main and second.is_main:
        raise ArgumentRefused(
            f"the transaction names one item twice, {_shown(first)}; DynamoDB takes each item once, "
            "so bring the two actions into one"
        )
    if "ConditionCheck" in (first.kind, second.kind):
        return _with_check(first, second)
    match first.kind, second.kind:
        case "Update", "Update" if first.is_main and not first.requirements:  # an upsert, which may make the item
            return _with_conditions(replace(first, changes=_joined(first, second)), replace(second, requirements=()))
        case "Update", "Update":
            return _with_conditions(replace(first, changes=_joined(first, second)), second)
        case "Put", "Update":
            return _counted(first, second)
        case "Update", "Put":
            return _counted(second, first)
        case "Delete", "Update":
            return _gone(first, second)
        case "Update", "Delete":
            return _gone(second, first)
        case _:
            return _replaced(first, second)


def _gone(delete: Action, update: Action) -> Action:
    """An item that goes needs no further change; but what is newly counted in it has lost its owner."""
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
        return _with_conditions(replace(second, is_main=first.is_main, asked=first.asked), first)
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
    """The changes of both; what both add to is added to once."""
    changes = list(first.changes)
    for change in second.changes:
        same = next((i for i, each in enumerate(changes) if each.path == change.path), None)
        if same is None:
            changes.append(change)
        elif change.action == "ADD" and _is_nothing_unless_there(changes[same]):  # to nothing it is added as well
            changes[same] = change
        elif changes[same].action == change.action == "ADD":
            changes[same] = replace(change, value=Constant(_sum(changes[same], change)))
        elif changes[same] != change:
            raise ArgumentRefused(
                f"two actions of the transaction change {change.path} of {_shown(first)} in different ways; "
                "make them in two transactions"
            )
    return tuple(changes)


def _sum(first: Change, second: Change) -> dict[str, str]:
    assert isinstance(first.value, Constant), "counters are moved by constants"
    assert isinstance(second.value, Constant), "counters are moved by constants"
    return {"N": add_numbers(first.value.value["N"], second.value.value["N"])}


def _counted(put: Action, update: Action) -> Action:
    """An item that is written whole takes in what is added to its counters; its copies it has already."""
    item: Item = dict(put.item or {})
    for change in update.changes:
        if change.action == "ADD" and isinstance(change.value, Constant):
            name = str(change.path.steps[0])
            item[name] = {"N": add_numbers(item.get(name, {"N": "0"})["N"], change.value.value["N"])}
    return replace(put, item=item)


def _replaced(first: Action, second: Action) -> Action:
    """An item that one action takes away and another writes: it changes hands."""
    put, other = (first, second) if first.kind == "Put" else (second, first)
    if put.kind != "Put":
        return _released(first, second)
    if other.kind == "Put":
        if other.requirements:  # two claims of one marker
            raise Contradiction(other.requirements[0])
        return put if put.is_main else other
    if other.is_main:
        raise ArgumentRefused(f"the transaction deletes {_shown(other)} and writes it as well")
    return _handed_over(put, other)


def _released(first: Action, second: Action) -> Action:
    """A marker that two give back, of whom one has it: the other's time had passed when it was taken."""
    if first.is_main or not first.guards or not second.guards:
        return first
    either = Or((_all(first.guards), _all(second.guards)))
    return replace(first, guards=(either,))


def _handed_over(put: Action, release: Action) -> Action:
    """A marker that one gives back and another claims: it may belong to either, and to nobody else."""
    if not release.guards or not put.requirements:
        return put
    (claim,) = put.requirements
    either = Or((claim.condition, _all(release.guards)))
    return replace(put, requirements=(claim._replace(condition=either),))


def _all(guards: tuple[Condition, ...]) -> Condition:
    return guards[0] if len(guards) == 1 else And(guards)


def _settled(action: Action) -> Action:
    """Without additions of nothing, and as a check when nothing else is left; a delete, if nothing is left to count."""
    if action.counted:
        left = tuple(_emptied(action, name, number) for name, number in action.counted.items())
        return replace(action, requirements=(*action.requirements, *left), counted=None)
    if action.kind != "Update" or action.is_main:
        return action
    changes = tuple(each for each in action.changes if not _is_nothing(each))
    if changes:
        return replace(action, changes=changes)
    return replace(action, kind="ConditionCheck", changes=())


def _emptied(delete: Action, name: str, number: int) -> Requirement:
    """That an item which goes counts nothing but what goes with it."""
    path = Path((name,))
    counts = Compare("=", path, Constant({"N": str(number)}))
    none = Function("attribute_not_exists", (path,))

    def failed(item: Item | None) -> Exception:
        found = 0 if item is None else int(item.get(name, {"N": "0"})["N"])
        return ConditionFailed(
            f"{_shown(delete)} has {name} = {found}, and would leave behind what it counts; "
            "delete those first, or in the same transaction"
        )

    return Requirement(counts if number else Or((none, counts)), failed, delete.asked)


def _is_nothing(change: Change) -> bool:
    return change.action == "ADD" and isinstance(change.value, Constant) and change.value.value == {"N": "0"}


def _is_nothing_unless_there(change: Change) -> bool:
    """Whether it leaves a counter as it is, or makes one, as an upsert does."""
    return change.action == "SET" and change.value == Function("if_not_exists", (change.path, Constant({"N": "0"})))


def _shown(action: Action) -> str:
    key = ", ".join(f"{name}={next(iter(value.values()))}" for name, value in action.key.items())
    return action.said or f"the item {key}"
