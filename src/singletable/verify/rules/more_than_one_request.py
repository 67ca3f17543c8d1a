"""ST003: a pattern needs more requests than it declares."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from singletable.planner.plan import Plan, Verdict
from singletable.planner.validation_reads import read_reason
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST003", "needs more than one request", "error")


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find undeclared fan-outs over shards, buckets, cells or values, and undeclared reads before updates."""
    for plan in planned.plans:
        if plan.verdict is Verdict.UNDECLARED_FANOUT:
            is_write = plan.pattern.is_write
            message, remedy = (_write_message, _write_remedy) if is_write else (_read_message, _read_remedy)
            yield pattern_finding(RULE, plan.pattern, message(plan), remedy(plan))


def _write_message(plan: Plan) -> str:
    unknown = _unknown_fields(plan)
    if plan.derived_writes is not None:
        reads = f"for derived data ({', '.join(plan.derived_writes.what)})"
        if plan.validation_read is not None and not plan.derived_writes.reads_item_first:
            reads += f" and for validation ({plan.validation_read})"
        return f"needs {plan.requests} requests, because it also reads {reads}{_beyond(plan)}"
    if unknown:
        keys = ", ".join(sorted({rewrite.attribute for rewrite in plan.rewrites if rewrite.unknown}))
        return f"changes {keys}, which depends on the stored {', '.join(unknown)}, so it must read the item first"
    return f"validates the whole item, so it must read the item first: {plan.validation_read}"


def _write_remedy(plan: Plan) -> str:
    unknown, second = _unknown_fields(plan), "the second request with @pattern(fanout=2)"
    if plan.derived_writes is not None:
        return f"Declare it with @pattern(fanout={plan.requests})."
    if plan.validation_read is not None and not unknown and _is_waivable(plan):
        return f'Declare {second}, make the rule a single-field rule, or waive it with validate="fields".'
    if plan.validation_read is not None or set(unknown) & {str(change.path.steps[0]) for change in plan.changes}:
        return f"Declare {second}."
    held = " & ".join(f"(item.{name} == {name})" for name in unknown)
    return f"Fix the value with a condition, where=lambda item: {held}, or declare {second}."


def _is_waivable(plan: Plan) -> bool:
    """Whether the update needs no read when only the changed fields are validated."""
    return all(read_reason(plan.entities[0].cls, each, validates_whole=False) is None for each in plan.changes)


def _unknown_fields(plan: Plan) -> list[str]:
    """Return the fields that an index key needs and the update does not know."""
    return sorted({name for rewrite in plan.rewrites for name in rewrite.unknown})


def _read_message(plan: Plan) -> str:
    if plan.hydrate:
        queries = "a Query" if plan.queries == 1 else f"{plan.queries or 'several'} Queries"
        count = f"{plan.requests} requests: " if plan.requests is not None else ""
        return f"needs {count}{queries} and one BatchGetItem per 100 items{_beyond(plan)}"
    if plan.each_ancestor is not None:
        return f"needs one key per element of {plan.each_ancestor.name}, but does not declare the maximum depth"
    what = " times ".join(fan_out.what for fan_out in plan.fan_outs)
    return f"needs {plan.queries or 'several'} Queries ({what}){_beyond(plan)}"


def _read_remedy(plan: Plan) -> str:
    if plan.each_ancestor is not None:
        return "Declare the maximum depth of a path: @pattern(fanout=12)."
    needed = plan.queries if plan.requests is None and plan.hydrate else plan.requests
    if needed is None:
        shards = prod(fan_out.count for fan_out in plan.fan_outs if fan_out.count is not None)
        return f"Declare the maximum number of Queries per call: @pattern(fanout={12 * shards})."
    known = {name for fan_out in plan.fan_outs for binding in fan_out.bindings for name in binding.fields}
    fields = {name for fan_out in plan.fan_outs for name in getattr(fan_out.source, "fields", (fan_out.name,))}
    alternative = f", or add {' and '.join(sorted(fields - known))} as a parameter" if fields - known else ""
    return f"Declare it with @pattern(fanout={needed}){alternative}."


def _beyond(plan: Plan) -> str:
    declared = plan.pattern.options.fanout
    return f", but declares fanout={declared}" if declared is not None else ""
