"""ST108: a filter discards more than a tenth of the items that DynamoDB reads and bills."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.formatting import format_count
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST108", "filter discards items", "warning")
DISCARDED_MAX = 0.1


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find filters that discard too many items, or that do not declare how many."""
    for plan in planned.plans:
        options = plan.pattern.options
        if plan.filter is None:
            continue
        if options.expected_items is None or not options.expected_examined:
            message = "has a filter, but does not declare how many items the filter keeps"
            remedy = "Declare expected_items= (items returned) and expected_examined= (items read) in @pattern."
            yield pattern_finding(RULE, plan.pattern, message, remedy)
            continue
        discarded = 1 - options.expected_items / options.expected_examined
        if discarded > DISCARDED_MAX:
            counts = f"reads {format_count(options.expected_examined, 'item')} to return {options.expected_items:,}"
            message = f"{counts}: the filter discards {discarded:.0%}"
            yield pattern_finding(
                RULE, plan.pattern, message, "Put the filtered field into a key, for example of a sparse index."
            )
