"""ST116: items that copy another entity's fields cannot be found when those fields change."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.internal_queries import plan_copies_query
from singletable.planner.plan import UnsupportedPattern
from singletable.verify.findings import Finding, PlannedDesign, Rule, entity_finding

RULE = Rule("ST116", "copies cannot be found", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find copies that no index can find by the key of their source."""
    for holder in planned.design.entities:
        for copy in holder.declaration.copies:
            outcome = plan_copies_query(planned.design, copy, holder)
            if isinstance(outcome, UnsupportedPattern):
                by = " and ".join(copy.by.values())
                source = copy.source.__name__
                message = (
                    f"copies {', '.join(copy.fields)} from {source}, but cannot be found by {by}: {outcome.reason}"
                )
                remedy = f"Give {holder.label} a key or an index whose partition key contains {by}."
                yield entity_finding(RULE, holder, message, remedy)
