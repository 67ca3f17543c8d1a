"""ST118: an update or a counter that waives rules of a class, so that it can store an item which breaks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from singletable.model.intents import Write
from singletable.model.rules.class_rules import rules_of
from singletable.planner.plan import Plan
from singletable.planner.validation_reads import waived_rules
from singletable.verify.facts import Facts, on_entity, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST118", "rules of the class waived", "warning")
ACCEPTED = 'validate="fields"'
"""The pattern itself accepts the finding; `accept=` can give a better reason."""


def check(facts: Facts) -> Iterator[Finding]:
    """Updates and counters with `validate="fields"` of classes with rules that need the whole object."""
    yield from _updates(facts)
    yield from _counters(facts)


def _updates(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        intent = plan.pattern.intent
        if not isinstance(intent, Write) or intent.validation == "whole":
            continue
        if waived := waived_rules(intent.entity, intent.changes):
            message = f"the update can store an item that breaks a rule of its class: {'; '.join(waived)}"
            yield replace(on_pattern(RULE, plan.pattern, message, _remedy(plan, waived[0])), accepted=ACCEPTED)


def _counters(facts: Facts) -> Iterator[Finding]:
    for entity in facts.design.entities:
        for count in entity.declaration.counted:
            waived = rules_of(count.owner, (count.field,)).whole
            if count.validation == "fields" and waived is not None:
                owner = count.owner.__name__
                message = (
                    f"counting in {owner}.{count.field} can store a {owner} that breaks a rule of its class: {waived}"
                )
                remedy = "Count in an entity of its own, whose class has no such rule."
                yield replace(on_entity(RULE, entity, message, remedy), accepted=ACCEPTED)


def _remedy(plan: Plan, rule: str) -> str:
    requests = replace(plan, validation_read=rule).requests
    declared = plan.pattern.options.fanout
    if requests is None or requests == 1 or (declared is not None and requests <= declared):
        return 'Leave out validate="fields", so that the item is validated whole.'
    return f'Leave out validate="fields", and declare the read before the write with @pattern(fanout={requests}).'
