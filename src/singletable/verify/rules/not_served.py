"""ST002: a pattern that no index serves as it is asked."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_pattern, told_by
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST002", "no index serves it", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Refused patterns, except for what a rule of its own says more sharply."""
    for refusal in facts.refusals:
        if not refusal.needs_scan and told_by(refusal) is None:
            details = [f"{each.index}: {'; '.join(each.reasons)}" for each in refusal.passed_over[1:]]
            yield on_pattern(RULE, refusal.pattern, refusal.reason, remedy(facts.design, refusal), *details)
