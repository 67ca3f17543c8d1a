"""ST118: an update that waives rules of its class, so that it can store an item which breaks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from singletable.model.intents import Write
from singletable.planner.plan import Plan
from singletable.planner.validation_reads import waived_rules
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST118", "rules of the class waived", "warning")
ACCEPTED = 'validate="fields"'
"""The pattern itself accepts the finding; `accept=` can give a better reason."""


def check(facts: Facts) -> Iterator[Finding]:
    """Updates with `validate="fields"` of classes with rules that need the whole object."""
    for plan in facts.plans:
        intent = plan.pattern.intent
        if not isinstance(intent, Write) or intent.validation == "whole":
            continue
        if waived := waived_rules(intent.entity, intent.changes):
            message = f"the update can store an item that breaks a rule of its class: {'; '.join(waived)}"
            yield replace(on_pattern(RULE, plan.pattern, message, _remedy(plan, waived[0])), accepted=ACCEPTED)


def _remedy(plan: Plan, rule: str) -> str:
    requests = replace(plan, validation_read=rule).requests
    declared = plan.pattern.options.fanout
    if requests is None or requests == 1 or (declared is not None and requests <= declared):
        return 'Leave out validate="fields", so that the item is validated whole.'
    return f'Leave out validate="fields", and declare the read before the write with @pattern(fanout={requests}).'
