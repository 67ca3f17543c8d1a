"""Explanations: the exact requests for given arguments, the proof that they serve the pattern, and their cost."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable
from dataclasses import field
from typing import Any

from singletable.errors import DesignError, Problem
from singletable.lazy_dataclass import dataclass, replace
from singletable.model.design import Design
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.formatting import GUESS_MARK, format_page_limit
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.planner.planned_requests import Request, read_requests
from singletable.planner.trims import Trim

RequestsFor = Callable[[Any, float], tuple[Request, ...]]
"""A function that returns the exact requests of a write for the stored object (None for no item) and a time."""


@dataclass(frozen=True)
class Explanation:
    """The requests that a pattern sends to DynamoDB, and why they serve it.

    `requests` are in the form that every AWS SDK accepts. `proof` explains line by line why they serve the pattern.
    `estimate` has the items, bytes and units of one call. In the requests of a write, values from the stored item, the
    clock or a token are placeholders such as `<status computed from the stored item>`; `given` fills them in.
    """

    plan: Plan
    requests: tuple[Request, ...]
    proof: tuple[str, ...]
    estimate: Estimate
    requests_for: RequestsFor | None = field(default=None, repr=False, compare=False)

    def given(self, stored: Any, *, now: float | None = None) -> Explanation:
        """Return the explanation with the exact requests for a stored object (None: no item) at the time `now`."""
        if self.requests_for is None:
            return self
        return replace(self, requests=self.requests_for(stored, time.time() if now is None else now))

    def __str__(self) -> str:
        lines = [f"{self.plan.pattern.name}: {self.plan.pattern.title}", *(f"  {line}" for line in self.proof)]
        for request in self.requests:
            body = json.dumps(request.parameters, indent=2, ensure_ascii=False)
            lines.append(f"{request.operation} {body}")
        return "\n".join(lines)


WriteRequests = Callable[[Design, Plan, dict[str, Any]], tuple[tuple[Request, ...], RequestsFor]]
"""A function that builds the requests of a write pattern; the data layer provides it."""


def explain(
    design: Design, outcome: Outcome, bound: inspect.BoundArguments, write_requests: WriteRequests | None = None
) -> Explanation:
    """Explain a pattern for given arguments. Raise DesignError if the pattern is not supported.

    A pattern that writes needs `write_requests`.
    """
    if isinstance(outcome, UnsupportedPattern):
        raise DesignError(unsupported_problem(outcome))
    bound.apply_defaults()
    arguments: dict[str, Any] = dict(bound.arguments)
    arguments.pop(next(iter(bound.signature.parameters)))
    requests_for: RequestsFor | None = None
    if outcome.pattern.is_write:
        assert write_requests is not None, "the caller passes write_requests for writes"
        requests, requests_for = write_requests(design, outcome, arguments)
    else:
        requests = read_requests(design, outcome, arguments)
    return Explanation(outcome, requests, proof(design, outcome), estimate(design, outcome), requests_for)


def unsupported_problem(unsupported: UnsupportedPattern) -> Problem:
    """Return the problem with its location in the source."""
    return Problem(
        f"pattern {unsupported.pattern.name} is not supported: {unsupported.reason}", unsupported.pattern.location
    )


def proof(design: Design, plan: Plan) -> tuple[str, ...]:
    """Explain line by line why the plan serves the pattern."""
    return tuple(line for line in (*_request_lines(plan), *_range_lines(plan), *_cost_lines(design, plan)) if line)


def _request_lines(plan: Plan) -> list[str]:
    where = "the table" if plan.index.is_table else plan.index.label
    lines = [f"{plan.operation} on {where}: {plan.key_condition()}"]
    for rewrite in plan.rewrites:
        if rewrite.unknown:
            missing = ", ".join(rewrite.unknown)
            lines.append(
                f'{rewrite.attribute} = "{rewrite.template}" also needs {missing}: the item is read before the write'
            )
        elif rewrite.is_removed:
            lines.append(f"{rewrite.attribute} is removed: the item leaves {rewrite.index.label}")
        else:
            lines.append(f'{rewrite.attribute} of {rewrite.index.label} is recomputed: "{rewrite.template}"')
    if plan.validation_read is not None:
        lines.append(f"the item is read first and written only if it is unchanged: {plan.validation_read}")
    if plan.derived_writes is not None:
        lines.append(f"in one transaction with {', '.join(plan.derived_writes.what)}")
    if plan.hydrate:
        lines.append(f"BatchGetItem fetches whole items, because {plan.index.label} projects {plan.index.projection}")
    if plan.each_ancestor is not None:
        name = plan.each_ancestor.name
        lines.append(f"one key per {{{name}*}}: {name} and each of its ancestors, up to 100 keys per request")
    for fan_out in plan.fan_outs:
        lines.append(f"one Query per {{{fan_out.name}*}}: {fan_out.what}")
    return lines


def _range_lines(plan: Plan) -> list[str]:
    if plan.pattern.is_write or plan.operation == "GetItem":
        return [f"verdict: {plan.verdict_text()}"]
    if plan.operation == "BatchGetItem":
        return [f"order: {plan.order}", f"verdict: {plan.verdict_text()}"]
    entities = ", ".join(entity.label for entity in plan.entities)
    lines = [f"the range contains only {entities}" if not plan.other_entities else _overfetch_line(plan, entities)]
    if plan.order:
        lines.append(f"order: {plan.order}{'' if plan.forward else ' (read in reverse)'}")
    lines += [_trim_line(plan, trim) for trim in dict.fromkeys(trim for trims in plan.trims for trim in trims)]
    if plan.limit is not None:
        lines.append(f"limit: {plan.limit.show()}{_one_page_text(plan)}")
    if plan.filter is not None:
        lines.append("the filter discards items after DynamoDB has read and billed them")
    if not plan.strong_possible:
        lines.append("eventually consistent reads only")
    lines.append(f"verdict: {plan.verdict_text()}")
    return lines


def _trim_line(plan: Plan, trim: Trim) -> str:
    refill = ", and it continues to read until the page is full" if plan.limit is not None else ""
    return (
        f"the range consists of whole {trim.unit}s of {trim.field}: "
        f"the client discards items outside {trim.binding.text}{refill}"
    )


def _one_page_text(plan: Plan) -> str:
    """Return a sentence with the highest limit for which a call is one request.

    Return "" if no limit guarantees this.
    """
    most, mark = plan.pages.one_page_limit, GUESS_MARK if plan.pages.is_guessed else ""
    is_fixed_low = plan.limit is not None and isinstance(plan.limit.count, int) and plan.pages.count == 1
    return "" if most is None or is_fixed_low else f" ({format_page_limit(most, mark)} of 1 MB)"


def _overfetch_line(plan: Plan, entities: str) -> str:
    others = ", ".join(entity.label for entity in plan.other_entities)
    return f"the range contains {entities} and can also contain {others}, which DynamoDB reads and the client discards"


def _cost_lines(design: Design, plan: Plan) -> list[str]:
    cost = estimate(design, plan)
    what = "item" if cost.items == 1 else "items"
    verb = "writes" if cost.kind == "write" else "reads"
    line = f"{verb} {cost.items} {what}, {cost.bytes} bytes, {cost}"
    return [line + (f" (guessed: {'; '.join(cost.guessed)})" if cost.guessed else "")]
