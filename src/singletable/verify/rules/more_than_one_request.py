"""ST003: a pattern that takes more than one request without declaring it."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

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
        return f"the update changes {keys}, which also needs the old {', '.join(unknown)}: a read before the write"
    declared = plan.pattern.options.fanout
    beyond = f", and it declares {declared}" if declared is not None else ""
    if plan.hydrate:
        queries = "a Query" if plan.queries == 1 else f"{plan.queries or 'several'} Queries"
        count = f"{plan.requests} requests, " if plan.requests is not None else ""
        return f"takes {count}{queries} and a BatchGetItem for every 100 items{beyond}"
    if plan.kept is not None:
        what = ", ".join(plan.kept.what)
        return f"takes {plan.requests} requests, since it also reads for what it keeps right ({what}){beyond}"
    if plan.each_above is not None:
        return f"takes a key for every element of {plan.each_above.name}, and nothing says how deep it is"
    what = " times ".join(spread.what for spread in plan.spreads)
    return f"takes {plan.queries or 'several'} Queries, {what}{beyond}"


def _remedy(plan: Plan) -> str:
    unknown = sorted({name for rewrite in plan.rewrites for name in rewrite.unknown})
    if unknown:
        added = {str(change.path.steps[0]) for change in plan.changes}
        if set(unknown) & added:
            return "Declare the second request with @pattern(fanout=2)."
        held = " & ".join(f"(item.{name} == {name})" for name in unknown)
        return (
            f"Hold it by a condition, where=lambda item: {held}, or declare the second request with @pattern(fanout=2)."
        )
    if plan.each_above is not None:
        return "Declare the deepest path that a call may take: @pattern(fanout=12)."
    needed = plan.queries if plan.requests is None and plan.hydrate else plan.requests
    if needed is None:
        shards = prod(spread.count for spread in plan.spreads if spread.count is not None)
        return f"Declare the most that a call may take: @pattern(fanout={12 * shards})."
    known = {name for spread in plan.spreads for binding in spread.bindings for name in binding.fields}
    fields = {name for spread in plan.spreads for name in getattr(spread.source, "fields", (spread.name,))}
    take = f", or take {' and '.join(sorted(fields - known))} as a parameter" if fields - known else ""
    return f"Declare it with @pattern(fanout={needed}){take}."
