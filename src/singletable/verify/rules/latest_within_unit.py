"""ST128: a pattern reads the newest or oldest item, but the key contains only part of the time, such as the day."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.design import Design
from singletable.model.key_template import DerivedSlot
from singletable.model.keys import TemplatePart
from singletable.planner.changed_designs import harms_nothing, is_served
from singletable.planner.items_read import limit_of_call
from singletable.planner.plan import Plan
from singletable.planner.remedies import ordered_keys
from singletable.planner.remedy import Alternative, Remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST128", "latest item only to a unit of time", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads of one item whose order is exact only to a unit of time."""
    for plan in planned.plans:
        if plan.order_unit is not None and limit_of_call(plan) == 1:
            first = plan.order.partition(" ")[0]
            message = (
                f"reads one item, {first} first, but {plan.index.display_name} sorts only to the {plan.order_unit}: "
                f"within one {plan.order_unit}, the rest of the key decides which item is first"
            )
            yield pattern_finding(RULE, plan.pattern, message, _remedy(planned.design, plan))


def _remedy(design: Design, plan: Plan) -> Remedy:
    """Return a key that contains the whole time."""
    entity = plan.entities[0]
    slots = (
        slot
        for part in entity.placements[plan.index.alias].sort
        if isinstance(part, TemplatePart)
        for slot in part.template.slots
    )
    for slot in (each for each in slots if isinstance(each, DerivedSlot) and not each.fields[1:]):
        for edits, changed in ordered_keys(design, entity, str(slot)):
            if is_served(changed, plan.pattern) and harms_nothing(design, changed):
                effect = "The keys of stored items change, so write these items again."
                return Remedy("", (Alternative(edits, effect, needs_decision=True),))
    return Remedy("Write the whole time in the key, such as {created_at}.")
