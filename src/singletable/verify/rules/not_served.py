"""ST002: a pattern that no index serves as it is asked."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.obstacles import NotProjected, NotStrong, Unordered, WrongOrder
from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST002", "no index serves it", "error")
_TOLD_ELSEWHERE = (NotProjected, NotStrong, Unordered, WrongOrder)


def check(facts: Facts) -> Iterator[Finding]:
    """Refused patterns, except for what a rule of its own says more sharply."""
    for refusal in facts.refusals:
        elsewhere = bool(refusal.obstacles) and all(isinstance(o, _TOLD_ELSEWHERE) for o in refusal.obstacles)
        if not refusal.needs_scan and not elsewhere:
            details = [f"{each.index}: {'; '.join(each.reasons)}" for each in refusal.passed_over[1:]]
            yield on_pattern(RULE, refusal.pattern, refusal.reason, remedy(facts.design, refusal), *details)
