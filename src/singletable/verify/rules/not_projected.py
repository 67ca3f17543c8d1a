"""ST115: an index that would serve a pattern, but does not hold the fields it answers with."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.obstacles import NotProjected
from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_pattern, told_by
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST115", "fields not in the index", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Patterns refused for a projection."""
    for refusal in facts.refusals:
        if told_by(refusal) is NotProjected:
            yield on_pattern(RULE, refusal.pattern, refusal.reason, remedy(facts.design, refusal))
