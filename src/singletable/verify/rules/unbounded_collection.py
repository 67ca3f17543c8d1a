"""ST110: an item collection that is read whole and that nothing bounds."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.estimate import estimate
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST110", "unbounded collection", "warning")


def check(facts: Facts) -> Iterator[Finding]:
    """Collections with a list that has neither a limit nor an expected number of items, or that fills many pages."""
    for plan in facts.plans:
        pairs = zip(plan.members, plan.wanted, strict=False)
        lists = [entity for member, entity in pairs if member.kind == "many"]
        if not lists or plan.limit is not None:
            continue
        open_ended = [e.label for e in lists if e.expected_in(plan.index) is None]
        if open_ended and plan.pattern.options.expected_items is None:
            names = ", ".join(open_ended)
            message = f"reads every {names} of the partition, and nothing says how many there can be"
            remedy = "Say expected_per_partition= on the entity, or give the collection a limit."
            yield on_pattern(RULE, plan.pattern, message, remedy)
            continue
        pages = estimate(facts.design, plan).pages
        if pages > 1:
            message = f"the collection fills {pages} pages of 1 MB, each one request"
            yield on_pattern(RULE, plan.pattern, message, "Give it a limit, or read the list page by page with query.")
