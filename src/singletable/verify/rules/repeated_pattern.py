"""ST129: two patterns send the same request with the same parameters."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.model.intents import CollectionIntent, GetIntent, ItemWriteIntent, QueryIntent
from singletable.planner.plan import Outcome, Plan
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST129", "pattern repeated", "warning")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads and updates that do the same as an earlier pattern."""
    seen: dict[str, str] = {}
    for outcome in planned.outcomes:
        pattern = outcome.pattern
        is_update = isinstance(pattern.intent, ItemWriteIntent) and pattern.intent.kind == "update"
        if is_update or isinstance(pattern.intent, GetIntent | QueryIntent | CollectionIntent):
            first = seen.setdefault(_request(outcome), pattern.name)
            if first != pattern.name:
                message = f"sends the same request as {first}"
                message += ", and changes the same fields" if is_update else ", and returns the same items"
                yield pattern_finding(RULE, pattern, message, "Remove one of the two patterns.")


def _request(outcome: Outcome) -> str:
    """Return everything that determines the requests and the result of a pattern."""
    # The signature has the parameters with their types and defaults; the intent has the conditions and the order.
    pattern = outcome.pattern
    index = outcome.index.alias if isinstance(outcome, Plan) else "none"
    return repr((pattern.intent, str(pattern.signature), pattern.options, index))
