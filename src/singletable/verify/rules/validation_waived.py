"""ST118: an update or a counter skips rules of a class, so it can store an item that breaks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from singletable.model.intents import ItemWriteIntent
from singletable.model.validation.class_rules import rules_of
from singletable.planner.plan import Plan
from singletable.planner.remedy import Alternative, Remedy, RemoveKeyword, SetKeyword, body_place, pattern_place
from singletable.planner.validation_reads import waived_rules
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding, pattern_finding

RULE = Rule("ST118", "class rules waived", "warning")
ACCEPTED = 'validate="fields"'
"""This option on the pattern accepts the finding. `accept=` can give a better reason."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find updates and counters with `validate="fields"` of classes whose rules need the whole object."""
    yield from _updates(planned)
    yield from _counters(planned)


def _updates(planned: PlannedDesign) -> Iterator[Finding]:
    for plan in planned.plans:
        intent = plan.pattern.intent
        if not isinstance(intent, ItemWriteIntent) or intent.validation == "whole":
            continue
        if waived := waived_rules(intent.entity, intent.changes):
            message = f"the update can store an item that breaks a rule of its class: {'; '.join(waived)}"
            yield replace(pattern_finding(RULE, plan.pattern, message, _remedy(plan, waived[0])), accepted=ACCEPTED)


def _counters(planned: PlannedDesign) -> Iterator[Finding]:
    for entity in planned.design.entities:
        for count in entity.declaration.counted:
            waived = rules_of(count.owner, (count.field,)).whole
            if count.validation == "fields" and waived is not None:
                owner = count.owner.__name__
                message = f"updating the counter {owner}.{count.field} can break a rule of {owner}: {waived}"
                remedy = "Move the counter to a separate entity whose class has no such rule."
                yield replace(entity_finding(RULE, entity, message, remedy), accepted=ACCEPTED)


def _remedy(plan: Plan, rule: str) -> Remedy:
    requests = replace(plan, validation_read=rule).requests
    declared = plan.pattern.options.fanout
    removed = RemoveKeyword(body_place(plan.pattern), "validate")
    if requests is None or requests == 1 or (declared is not None and requests <= declared):
        return Remedy("", (Alternative((removed,), "The whole item is then validated."),))
    fanout = SetKeyword(pattern_place(plan.pattern), "fanout", str(requests))
    return Remedy("", (Alternative((removed, fanout), "The item is then read and validated before the write."),))
