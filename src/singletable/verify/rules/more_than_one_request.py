"""ST003: a pattern that takes more than one request without declaring it."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.planner.plan import Plan, Verdict
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST003", "needs more than one request", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Fan-outs over shards, buckets, cells or values, and updates that must read first, which nobody declared."""
    for plan in facts.plans:
        if plan.verdict is Verdict.UNDECLARED_FANOUT:
            yield on_pattern(RULE, plan.pattern, _message(plan), _remedy(plan))


def _message(plan: Plan) -> str:
    unknown = sorted({name for rewrite in plan.rewrites for name in rewrite.unknown})
    if unknown:
        keys = ", ".join(sorted({rewrite.attribute for rewrite in plan.rewrites if rewrite.unknown}))
        return f"the update changes {keys}, which also needs {', '.join(unknown)}: a read before the write"
    what = " times ".join(spread.what for spread in plan.spreads)
    declared = plan.pattern.options.fanout
    beyond = f", and it declares {declared}" if declared is not None else ""
    return f"takes {plan.fanout} Queries, {what}{beyond}"


def _remedy(plan: Plan) -> str:
    unknown = sorted({name for rewrite in plan.rewrites for name in rewrite.unknown})
    if unknown:
        return f"Take {' and '.join(unknown)} as parameters, or declare the second request with fanout=2."
    fields = sorted({name for spread in plan.spreads for name in getattr(spread.source, "fields", (spread.name,))})
    number = plan.requests if plan.requests is not None else "N"
    return f"Declare it with @pattern(fanout={number}), or take {' and '.join(fields)} as a parameter."
