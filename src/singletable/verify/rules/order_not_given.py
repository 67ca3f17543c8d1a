"""ST104: the sort key does not provide the order that the pattern needs."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.mismatches import WrongOrder
from singletable.planner.remedies import remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, reported_mismatch, unsupported_finding

RULE = Rule("ST104", "sort key does not provide the order", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find patterns that an index could serve, but not in the required order."""
    for each in planned.unsupported:
        if reported_mismatch(each) is WrongOrder:
            yield unsupported_finding(RULE, each, remedy(planned.design, each))
