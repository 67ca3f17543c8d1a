"""ST104: a pattern that asks for an order which the sort key does not give."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.obstacles import WrongOrder
from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_pattern, told_by
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST104", "order not given by the sort key", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Patterns refused for their order alone."""
    for refusal in facts.refusals:
        if told_by(refusal) is WrongOrder:
            yield on_pattern(RULE, refusal.pattern, refusal.reason, remedy(facts.design, refusal))
