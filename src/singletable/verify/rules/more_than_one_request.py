"""ST003: a pattern that takes more than one request without declaring it."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from singletable.planner.plan import Plan, Verdict
from singletable.planner.validation_reads import read_reason
from singletable.verify.facts import Facts, on_pattern
from singletable.verify.finding import Finding, Rule

RULE = Rule("ST003", "needs more than one request", "error")


def check(facts: Facts) -> Iterator[Finding]:
    """Fan-outs over shards, buckets, cells or values, and updates that must read first, which nobody declared."""
    for plan in facts.plans:
        if plan.verdict is Verdict.UNDECLARED_FANOUT:
            is_write = plan.pattern.is_write
            message, remedy = (_write_message, _write_remedy) if is_write else (_read_message, _read_remedy)
            yield on_pattern(RULE, plan.pattern, message(plan), remedy(plan))


def _write_message(plan: Plan) -> str:
    unknown = _unknown_fields(plan)
    if plan.kept is not None:
        reads = f"for derived data ({', '.join(plan.kept.what)})"
        if plan.validation_read is not None and not plan.kept.looks_first:
            reads += f" and for validation ({plan.validation_read})"
        return f"takes {plan.requests} requests, since it also reads {reads}{_beyond(plan)}"
    if unknown:
        keys = ", ".join(sorted({rewrite.attribute for rewrite in plan.rewrites if rewrite.unknown}))
        return f"the update changes {keys}, which also needs the old {', '.join(unknown)}: a read before the write"
    return f"the update validates the whole item, a read before the write: {plan.validation_read}"


def _write_remedy(plan: Plan) -> str:
    unknown, second = _unknown_fields(plan), "the second request with @pattern(fanout=2)"
    if plan.kept is not None:
        return f"Declare it with @pattern(fanout={plan.requests})."
    if plan.validation_read is not None and not unknown and _is_waivable(plan):
        return f'Declare {second}, turn the rule into one of a single field, or waive it with validate="fields".'
    if plan.validation_read is not None or set(unknown) & {str(change.path.steps[0]) for change in plan.changes}:
        return f"Declare {second}."
    held = " & ".join(f"(item.{name} == {name})" for name in unknown)
    return f"Hold it by a condition, where=lambda item: {held}, or declare {second}."


def _is_waivable(plan: Plan) -> bool:
    """Whether the update needs no read when only its fields are validated."""
    return all(read_reason(plan.wanted[0].cls, each, validates_whole=False) is None for each in plan.changes)


def _unknown_fields(plan: Plan) -> list[str]:
    """The fields that an index key also needs, and that the update does not know."""
    return sorted({name for rewrite in plan.rewrites for name in rewrite.unknown})


def _read_message(plan: Plan) -> str:
    if plan.hydrate:
        queries = "a Query" if plan.queries == 1 else f"{plan.queries or 'several'} Queries"
        count = f"{plan.requests} requests, " if plan.requests is not None else ""
        return f"takes {count}{queries} and a BatchGetItem for every 100 items{_beyond(plan)}"
    if plan.each_above is not None:
        return f"takes a key for every element of {plan.each_above.name}, and nothing says how deep it is"
    what = " times ".join(spread.what for spread in plan.spreads)
    return f"takes {plan.queries or 'several'} Queries, {what}{_beyond(plan)}"


def _read_remedy(plan: Plan) -> str:
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


def _beyond(plan: Plan) -> str:
    declared = plan.pattern.options.fanout
    return f", and it declares {declared}" if declared is not None else ""
