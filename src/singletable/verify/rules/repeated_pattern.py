"""ST129: two patterns send the same request and return the same result."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.intents import CollectionIntent, GetIntent, QueryIntent
from singletable.planner.plan import Plan
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST129", "pattern repeated", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads whose plan, parameters and result are those of an earlier pattern."""
    seen: dict[str, str] = {}
    for plan in planned.plans:
        if isinstance(plan.pattern.intent, GetIntent | QueryIntent | CollectionIntent):
            first = seen.setdefault(_request(plan), plan.pattern.name)
            if first != plan.pattern.name:
                message = f"sends the same request as {first}, and returns the same items"
                yield pattern_finding(RULE, plan.pattern, message, "Remove one of the two patterns.")


def _request(plan: Plan) -> str:
    """Return everything that determines the requests and the result of a read."""
    # The signature has the parameters with their types and defaults; the intent has the conditions and the order.
    return repr((plan.pattern.intent, str(plan.pattern.signature), plan.pattern.options, plan.index.alias))
