"""ST110: the result of a read needs several pages of 1 MB, or nothing limits its size."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.expressions.tree import Parameter
from singletable.model.intents import CollectionIntent, QueryIntent
from singletable.model.pattern_declaration import CURSOR, LIMIT
from singletable.planner.formatting import (
    GUESS_MARK,
    format_bytes,
    format_count,
    format_list,
    format_page_limit,
    format_some,
)
from singletable.planner.plan import Plan, Verdict
from singletable.planner.remedy import (
    Alternative,
    Edit,
    Remedy,
    SetKeyword,
    SetParameter,
    body_place,
    pattern_place,
)
from singletable.verify.findings import Finding, PlannedDesign, Rule, pattern_finding

RULE = Rule("ST110", "more than one page", "warning")
SUGGESTED_LIMIT = 100
SUGGESTED_REQUESTS_MAX = 100
"""The largest number of requests that a remedy proposes to declare."""


def check(planned: PlannedDesign) -> Iterator[Finding]:
    """Find reads of several pages and unbounded reads. ST003 reports patterns that declare `max_requests=`."""
    for plan in planned.plans:
        if plan.pattern.options.max_requests is None:
            if plan.verdict is Verdict.UNBOUNDED:
                yield pattern_finding(RULE, plan.pattern, unbounded_message(plan), unbounded_remedy(plan))
            elif plan.verdict is Verdict.SEVERAL_PAGES:
                yield pattern_finding(RULE, plan.pattern, pages_message(plan), pages_remedy(plan))


def unbounded_message(plan: Plan) -> str:
    """Return a message about the entities that make a read unbounded."""
    names, where = format_some(plan.pages.unknown), f"a partition of {plan.index.display_name}"
    if plan.limit is None:
        why = "neither a limit nor the expected number of items is declared"
        return f"is unbounded: it reads every {names} in {where}, and {why}"
    reads_on = f"it reads until it has {plan.limit.show()} items to return"
    return f"is unbounded: {reads_on}, and the expected number of {names} in {where} is not declared"


def unbounded_remedy(plan: Plan) -> Remedy:
    """Return the declaration that only the author can make, and the limit that bounds a read."""
    number = "N" if plan.index.kind != "GSI" else f'{{"{plan.index.alias}": N}}'
    declare = f"Declare expected_per_partition={number} on {format_list(plan.pages.unknown)}"
    if plan.filter is not None and not _has_share(plan):
        return Remedy(f"{declare}, or expected_items= and expected_examined= on the pattern.")
    limit = tuple(_limit(plan))
    return Remedy(f"{declare}, or add a limit:" if limit else f"{declare}.", limit)


def pages_message(plan: Plan) -> str:
    """Return a message about the number of pages that a read needs, and the reason."""
    pages = plan.pages
    items = f"{GUESS_MARK if pages.guesses_items else ''}{format_count(pages.items, 'item')}"
    size = f"{items}, {GUESS_MARK if pages.is_guessed else ''}{format_bytes(pages.bytes)}"
    if plan.limit is not None and (plan.filter is not None or plan.other_entities):
        size += f" until it has {plan.limit.show()} to return"
    if plan.fan_outs:
        return f"each Query reads {size}: {pages.show()}, one request each"
    return f"reads {size}: {pages.show()}, one request each"


def pages_remedy(plan: Plan) -> Remedy:
    """Return the limit that makes a read one page, or else the number of requests to declare."""
    needed = plan.requests_of_call
    alternatives = tuple(_limit(plan))
    if needed and needed <= SUGGESTED_REQUESTS_MAX:
        alternatives += (declared_requests(plan, needed),)
    if plan.pages.one_page_limit is None and isinstance(plan.pattern.intent, CollectionIntent):
        return _one_of("Read the list page by page with query(...)", alternatives)
    if plan.pages.one_page_limit is None:
        return _one_of("Narrow the range with a parameter for the sort key", alternatives)
    return Remedy("" if alternatives else f"Pass a limit of {_most(plan)} or fewer.", alternatives)


def _one_of(change: str, alternatives: tuple[Alternative, ...]) -> Remedy:
    return Remedy(f"{change}, or declare the requests:" if alternatives else f"{change}.", alternatives)


def declared_requests(plan: Plan, needed: int) -> Alternative:
    """Return the declaration that a call may send this number of requests."""
    edit = SetKeyword(pattern_place(plan.pattern), "max_requests", str(needed))
    return Alternative((edit,), f"A call may then send {needed} requests.", needs_decision=True)


def _limit(plan: Plan) -> Iterator[Alternative]:
    """Yield the limit that makes the read one page: a limit parameter, or a lower limit than the declared one."""
    pattern, most = plan.pattern, plan.pages.one_page_limit
    if most is None:
        return
    page = format_page_limit(most, GUESS_MARK if plan.pages.is_guessed else "")
    place, effect = pattern_place(pattern), f"{page.capitalize()}."
    if plan.limit is None and LIMIT not in pattern.parameters:
        suggested = min(most, SUGGESTED_LIMIT)
        edits: tuple[Edit, ...] = (SetParameter(place, LIMIT, f"int = {suggested}"),)
        if isinstance(pattern.intent, QueryIntent) and CURSOR not in pattern.parameters:
            edits += (SetParameter(place, CURSOR, "str | None = None"),)
        yield Alternative(
            edits, f"A call then returns at most {format_count(suggested, 'item')}. {effect}", needs_decision=True
        )
    elif plan.limit is not None and isinstance(plan.limit.count, int):
        yield Alternative((SetKeyword(body_place(pattern), LIMIT, str(most)),), effect, needs_decision=True)
    elif plan.limit is not None and isinstance(plan.limit.count, Parameter):
        name = plan.limit.count.name
        if isinstance(pattern.signature.parameters[name].default, int):
            yield Alternative((SetParameter(place, name, f"int = {most}"),), effect, needs_decision=True)


def _most(plan: Plan) -> str:
    return f"{GUESS_MARK if plan.pages.is_guessed else ''}{plan.pages.one_page_limit:,}"


def _has_share(plan: Plan) -> bool:
    return bool(plan.pattern.options.expected_items and plan.pattern.options.expected_examined)
