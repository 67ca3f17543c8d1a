"""ST103: a range that also holds entities nobody asked for, which are read and billed in vain."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.plan import Plan
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST103", "overfetch", "warning")


def check(facts: Facts) -> Iterator[Finding]:
    """Plans whose key range can hold other entities."""
    for plan in facts.plans:
        if plan.foreign:
            names = ", ".join(entity.label for entity in plan.foreign)
            message = f"{plan.key_condition()} can also hold {names}; {_ratio(plan)}"
            remedy = "Give the entities sort keys whose prefixes keep them apart, or ask for them in a collection."
            yield on_pattern(RULE, plan.pattern, message, remedy)


def _ratio(plan: Plan) -> str:
    counts = {e.label: e.expected_in(plan.index) for e in (*plan.wanted, *plan.foreign)}
    missing = [label for label, count in counts.items() if count is None]
    if missing:
        return f"say expected_per_partition= on {' and '.join(missing)} to know how much of it is in vain"
    wanted = sum(counts[entity.label] or 0 for entity in plan.wanted)
    total = sum(count or 0 for count in counts.values())
    return f"reads {total} items for {wanted} wanted, {total / max(wanted, 1):.1f} times as many"
