"""ST114: a strongly consistent read that only a global index could answer."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.obstacles import NotStrong
from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_pattern, told_by
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST114", "strong read on a GSI", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Patterns refused because DynamoDB refuses a strong read of a global index."""
    for refusal in facts.refusals:
        if told_by(refusal) is NotStrong:
            yield on_pattern(RULE, refusal.pattern, refusal.reason, remedy(facts.design, refusal))
