"""ST001: no parameter provides the partition key of any index, so only a Scan would find the items."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.remedies import remedy
from singletable.verify.findings import Finding, PlannedDesign, Rule, unsupported_finding

RULE = Rule("ST001", "needs a Scan", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find patterns that no index can serve because the partition key is unknown."""
    for each in planned.unsupported:
        if each.needs_scan:
            yield unsupported_finding(RULE, each, remedy(planned.design, each))
