"""ST114: only a global secondary index could serve the pattern, but it does not support strongly consistent reads."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.mismatches import StrongReadOnGsi
from singletable.planner.remedies import remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, reported_mismatch, unsupported_finding

RULE = Rule("ST114", "strong read on a GSI", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find strongly consistent reads that need a global secondary index."""
    for each in planned.unsupported:
        if reported_mismatch(each) is StrongReadOnGsi:
            yield unsupported_finding(RULE, each, remedy(planned.design, each))
