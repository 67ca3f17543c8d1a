"""ST103: a range can also contain other entities, which are read, billed and discarded."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.plan import Plan
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST103", "overfetch", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find plans whose key range can contain other entities."""
    for plan in planned.plans:
        if plan.other_entities:
            names = ", ".join(entity.label for entity in plan.other_entities)
            message = f"the range {plan.key_condition()} can also contain {names}; {_ratio(plan)}"
            remedy = "Give the entities sort keys with different prefixes, or read them together as a collection."
            yield pattern_finding(RULE, plan.pattern, message, remedy)


def _ratio(plan: Plan) -> str:
    counts = {e.label: e.expected_in(plan.index) for e in (*plan.entities, *plan.other_entities)}
    missing = [label for label, count in counts.items() if count is None]
    if missing:
        return f"declare expected_per_partition= on {' and '.join(missing)} to see how many reads are wasted"
    returned = sum(counts[entity.label] or 0 for entity in plan.entities)
    total = sum(count or 0 for count in counts.values())
    return f"reads {total} items to return {returned}, {total / max(returned, 1):.1f} times as many"
