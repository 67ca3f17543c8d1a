"""ST115: an index would serve the pattern, but it does not project the fields of the result."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.mismatches import NotProjected
from singletable.planner.remedies import remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, reported_mismatch, unsupported_finding

RULE = Rule("ST115", "fields not projected", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find patterns that an index could serve if it projected more fields."""
    for each in planned.unsupported:
        if reported_mismatch(each) is NotProjected:
            yield unsupported_finding(RULE, each, remedy(planned.design, each))
