"""ST001: a pattern for which no index knows the partition, so that only a Scan would find its items."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.remedy import remedy
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST001", "needs a Scan", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Patterns refused because every index leaves the partition open."""
    for refusal in facts.refusals:
        if refusal.needs_scan:
            yield on_pattern(RULE, refusal.pattern, refusal.reason, remedy(facts.design, refusal))
