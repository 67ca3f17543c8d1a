"""Counters: the rules of a counter's field, for an action that changes it together with other writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from singletable.client.answers import Item
from singletable.client.write.actions import Action, Requirement
from singletable.client.write.field_changes import FieldPlan
from singletable.client.write.prepare import Preparer
from singletable.expressions.tree import Constant
from singletable.model.entity import Entity


def with_counter_rules(preparer: Preparer, action: Action) -> Action:
    """The action on condition that its counters stay within their bounds; raises InvalidValue for an item to put."""
    owner = action.counts_in
    if owner is None:
        return action
    if action.kind == "Put" and action.item is not None:
        if not preparer.trusts(owner):
            preparer.writes(owner).validator.read_slowly(action.item)
        return action
    bounds = tuple(_bounds(preparer, owner, action))
    return replace(action, requirements=(*action.requirements, *bounds)) if bounds else action


def _bounds(preparer: Preparer, owner: Entity, action: Action) -> Iterator[Requirement]:
    fields = {owner.attributes[name]: name for name in preparer.keeping(owner).counters}
    for change in action.changes:
        name = fields.get(str(change.path.steps[0]))
        if name is None or change.action != "ADD" or not isinstance(change.value, Constant):
            continue
        plan, amount = preparer.writes(owner).counter_plan(name), int(change.value.value["N"])
        bound = plan.bind(amount)
        for each in plan.expressed(bound.form, bound.values).bounds:
            yield Requirement(each.condition, _breaks(plan, name, amount, each.rule), action.intent)


def _breaks(plan: FieldPlan, name: str, amount: int, rule: str) -> Callable[[Item | None], Exception]:
    def error(item: Item | None) -> Exception:
        stored = (item or {}).get(plan.entity.attributes[name], {}).get("N", "0")
        changes = f"{rule}, and the write changes this counter by {amount:+}"
        return plan.invalid(int(stored) + amount, changes, sent=True)

    return error
