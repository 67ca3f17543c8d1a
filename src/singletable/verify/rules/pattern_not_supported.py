"""ST002: the pattern is not supported, because no index serves it, or a write is not possible as declared."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.remedies import remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, reported_mismatch, unsupported_finding

RULE = Rule("ST002", "pattern not supported", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find unsupported patterns that no more specific rule reports."""
    for each in planned.unsupported:
        if not each.needs_scan and reported_mismatch(each) is None:
            yield unsupported_finding(RULE, each, remedy(planned.design, each))
