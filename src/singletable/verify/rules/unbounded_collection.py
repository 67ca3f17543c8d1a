"""ST110: an item collection is read whole and has no declared bound."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.estimate import estimate
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST110", "unbounded collection", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find collections whose list has no limit and no expected size, or needs many pages."""
    for plan in planned.plans:
        pairs = zip(plan.members, plan.entities, strict=False)
        lists = [entity for member, entity in pairs if member.kind == "many"]
        if not lists or plan.limit is not None:
            continue
        open_ended = [e.label for e in lists if e.expected_in(plan.index) is None]
        if open_ended and plan.pattern.options.expected_items is None:
            names = ", ".join(open_ended)
            message = f"reads every {names} in the partition, but no limit or expected number of items is declared"
            remedy = "Declare expected_per_partition= on the entity, or give the collection a limit."
            yield pattern_finding(RULE, plan.pattern, message, remedy)
            continue
        pages = estimate(planned.design, plan).pages
        if pages > 1:
            message = f"the collection needs {pages} pages of 1 MB, one request each"
            yield pattern_finding(
                RULE, plan.pattern, message, "Give it a limit, or read the list page by page with query(...)."
            )
