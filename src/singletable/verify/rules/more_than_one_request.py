"""ST003: a pattern needs more requests than it declares."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from singletable.model.intents import ItemWriteIntent, QueryIntent
from singletable.planner.formatting import format_count
from singletable.planner.key_proposals import entity_identity
from singletable.planner.key_source import parameters_for
from singletable.planner.plan import Plan, Verdict
from singletable.planner.remedy import Alternative, Remedy, SetKeyword, body_place, pattern_place
from singletable.planner.validation_reads import read_reason
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding
from singletable.verify.rules.more_than_one_page import (
    declared_requests,
    pages_message,
    pages_remedy,
    unbounded_message,
    unbounded_remedy,
)

RULE = Rule("ST003", "needs more than one request", "error")
GUESS = 12
"""The fan-out to declare if the number of requests depends on the arguments."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find undeclared fan-outs over shards, buckets, cells or values, and undeclared reads before updates.

    The rule also finds patterns that need more requests, with all pages, than `max_requests=` declares.
    """
    for plan in planned.plans:
        if plan.verdict is Verdict.UNDECLARED_FANOUT:
            is_write = plan.pattern.is_write
            message, remedy = (_write_message, _write_remedy) if is_write else (_read_message, _read_remedy)
            yield pattern_finding(RULE, plan.pattern, message(plan), remedy(plan))
        elif not plan.is_within_max_requests:
            yield pattern_finding(RULE, plan.pattern, _over_budget(plan), _budget_remedy(plan))


def _over_budget(plan: Plan) -> str:
    declared = f"declares max_requests={plan.pattern.options.max_requests}, but"
    needed = plan.requests_of_call
    if needed is None:
        return f"{declared} {unbounded_message(plan)}"
    if plan.verdict is Verdict.SEVERAL_PAGES:
        return f"{declared} {pages_message(plan)}"
    return f"{declared} needs {format_count(needed, 'request')}"


def _budget_remedy(plan: Plan) -> Remedy:
    needed = plan.requests_of_call
    if needed is None:
        return unbounded_remedy(plan)
    if plan.verdict is Verdict.SEVERAL_PAGES:
        return pages_remedy(plan)
    return Remedy("", (declared_requests(plan, needed),))


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


def _write_remedy(plan: Plan) -> Remedy:
    unknown = _unknown_fields(plan)
    declared = _fanout(plan, plan.requests or 2)
    if plan.derived_writes is not None:
        return Remedy("", (declared,))
    body = body_place(plan.pattern)
    if plan.validation_read is not None and not unknown and _is_waivable(plan):
        effect = "The update can then store an item that breaks a rule of its class."
        waived = Alternative((SetKeyword(body, "validate", '"fields"'),), effect, needs_decision=True)
        return Remedy("", (declared, waived))
    if plan.validation_read is not None or set(unknown) & {str(change.path.steps[0]) for change in plan.changes}:
        return Remedy("", (declared,))
    intent = plan.pattern.intent
    if (
        not isinstance(intent, ItemWriteIntent)
        or intent.where is not None
        or set(unknown) & set(plan.pattern.parameters)
    ):
        return Remedy("", (declared,))
    held = " & ".join(f"(item.{name} == {name})" for name in unknown)
    parameters = parameters_for(plan.entities[0], pattern_place(plan.pattern), unknown)
    effect = "The caller then passes the stored value, and the write fails if it has changed."
    return Remedy("", (declared, Alternative((*parameters, SetKeyword(body, "where", f"lambda item: {held}")), effect)))


def _fanout(plan: Plan, requests: int, effect: str = "") -> Alternative:
    """Return the declaration that a call sends several requests."""
    return Alternative((SetKeyword(pattern_place(plan.pattern), "fanout", str(requests)),), effect)


def _is_waivable(plan: Plan) -> bool:
    """Return whether the update needs no read if only the changed fields are validated."""
    return all(read_reason(plan.entities[0].cls, each, validates_whole=False) is None for each in plan.changes)


def _unknown_fields(plan: Plan) -> list[str]:
    """Return the fields that an index key needs and whose new values the update does not determine."""
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


def _read_remedy(plan: Plan) -> Remedy:
    if plan.each_ancestor is not None:
        return Remedy("", (_fanout(plan, GUESS, "This is the maximum depth of a path."),))
    needed = plan.queries if plan.requests is None and plan.hydrate else plan.requests
    if needed is None:
        shards = prod(fan_out.count for fan_out in plan.fan_outs if fan_out.count is not None)
        return Remedy("", (_fanout(plan, GUESS * shards, "This is the maximum number of Queries per call."),))
    known = {name for fan_out in plan.fan_outs for binding in fan_out.bindings for name in binding.fields}
    fields = {name for fan_out in plan.fan_outs for name in getattr(fan_out.source, "fields", (fan_out.name,))}
    entity, more = plan.entities[0], sorted(fields - known)
    if not more or not isinstance(plan.pattern.intent, QueryIntent) or set(more) & set(entity_identity(entity)):
        return Remedy("", (_fanout(plan, needed),))
    edits = parameters_for(entity, pattern_place(plan.pattern), more)
    effect = f"The pattern then returns the items of one {' and '.join(more)} only."
    return Remedy("", (_fanout(plan, needed), Alternative(edits, effect, needs_decision=True)))


def _beyond(plan: Plan) -> str:
    declared = plan.pattern.options.fanout
    return f", but declares fanout={declared}" if declared is not None else ""
