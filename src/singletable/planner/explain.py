"""Explanations: the exact requests for given arguments, the proof that they are enough, and what they cost."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.errors import DesignError, Problem
from singletable.model.design import Design
from singletable.planner.bind import Request, read_requests
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.plan import Outcome, Plan, Refusal, Verdict

RequestsFor = Callable[[Any, float], tuple[Request, ...]]
"""The exact requests of a write, for the object that is stored (None for no item) and a time."""


@dataclass(frozen=True)
class Explanation:
    """What a pattern sends to DynamoDB, and why that is right.

    `requests` are as every AWS SDK takes them; `proof` says sentence by sentence why they are enough; `estimate` is
    what a call reads or writes. In the requests of a write, values that come from a stored item, from the clock or
    from a token are placeholders such as `<status computed from the stored item>`; `given` fills them in.
    """

    plan: Plan
    requests: tuple[Request, ...]
    proof: tuple[str, ...]
    estimate: Estimate
    requests_for: RequestsFor | None = field(default=None, repr=False, compare=False)

    def given(self, stored: Any, *, now: float | None = None) -> Explanation:
        """The same with the exact requests for a stored object, or for None if there is no item, at a time."""
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
"""The requests of a write pattern; the data layer makes them, as it sends them."""


def explain(
    design: Design, outcome: Outcome, bound: inspect.BoundArguments, write_requests: WriteRequests | None = None
) -> Explanation:
    """The explanation for a caller's arguments; raises DesignError for a pattern that cannot be served.

    A pattern that writes needs `write_requests`.
    """
    if isinstance(outcome, Refusal):
        raise DesignError(refusal_problem(outcome))
    bound.apply_defaults()
    arguments: dict[str, Any] = dict(bound.arguments)
    arguments.pop(next(iter(bound.signature.parameters)))
    requests_for: RequestsFor | None = None
    if outcome.pattern.is_write:
        assert write_requests is not None, "the caller knows how writes are sent"
        requests, requests_for = write_requests(design, outcome, arguments)
    else:
        requests = read_requests(design, outcome, arguments)
    return Explanation(outcome, requests, proof(design, outcome), estimate(design, outcome), requests_for)


def refusal_problem(refusal: Refusal) -> Problem:
    """A refusal as a problem with its place in the code."""
    return Problem(f"pattern {refusal.pattern.name} is refused: {refusal.reason}", refusal.pattern.location)


def proof(design: Design, plan: Plan) -> tuple[str, ...]:
    """Why the plan answers the pattern, sentence by sentence."""
    return tuple(line for line in (*_request_lines(plan), *_range_lines(plan), *_cost_lines(design, plan)) if line)


def _request_lines(plan: Plan) -> list[str]:
    where = "the table" if plan.index.is_table else plan.index.label
    lines = [f"{plan.operation} on {where}: {plan.key_condition()}"]
    for rewrite in plan.rewrites:
        if rewrite.unknown:
            missing = ", ".join(rewrite.unknown)
            lines.append(f'{rewrite.attribute} = "{rewrite.template}" also needs {missing}: read first, then written')
        elif rewrite.is_removed:
            lines.append(f"{rewrite.attribute} goes with the item's place in {rewrite.index.label}")
        else:
            lines.append(f'{rewrite.attribute} of {rewrite.index.label} is written anew: "{rewrite.template}"')
    if plan.validation_read is not None:
        lines.append(f"the item is read first and written if it is unchanged: {plan.validation_read}")
    if plan.kept is not None:
        lines.append(f"in one transaction with {', '.join(plan.kept.what)}")
    if plan.hydrate:
        lines.append(f"BatchGetItem fetches the whole items, since {plan.index.label} holds {plan.index.projection}")
    if plan.each_above is not None:
        name = plan.each_above.name
        lines.append(f"one key for each {{{name}*}}: {name} and every path above it, up to 100 in a request")
    for spread in plan.spreads:
        lines.append(f"one Query for each {{{spread.name}*}}: {spread.what}")
    return lines


def _range_lines(plan: Plan) -> list[str]:
    if plan.pattern.is_write or plan.operation == "GetItem":
        return [f"verdict: {verdict_text(plan)}"]
    if plan.operation == "BatchGetItem":
        return [f"order: {plan.order}", f"verdict: {verdict_text(plan)}"]
    wanted = ", ".join(entity.label for entity in plan.wanted)
    lines = [f"the range holds {wanted} only" if not plan.foreign else _foreign_line(plan, wanted)]
    if plan.order:
        lines.append(f"order: {plan.order}{'' if plan.forward else ' (read backwards)'}")
    if plan.limit is not None:
        lines.append(f"limit: {plan.limit.show()}")
    if plan.filter is not None:
        lines.append("a filter discards items after they are read and billed")
    if not plan.strong_possible:
        lines.append("eventually consistent only")
    lines.append(f"verdict: {verdict_text(plan)}")
    return lines


def _foreign_line(plan: Plan, wanted: str) -> str:
    others = ", ".join(entity.label for entity in plan.foreign)
    return f"the range holds {wanted}, and can also hold {others}, which is read in vain"


def _cost_lines(design: Design, plan: Plan) -> list[str]:
    cost = estimate(design, plan)
    what = "item" if cost.items == 1 else "items"
    verb = "writes" if cost.kind == "write" else "reads"
    line = f"{verb} {cost.items} {what}, {cost.bytes} bytes, {cost}"
    return [line + (f" (guessed: {'; '.join(cost.guessed)})" if cost.guessed else "")]


def verdict_text(outcome: Outcome) -> str:
    """The verdict with its number: `declared fan-out of 8`."""
    if outcome.verdict in (Verdict.ONE_REQUEST, Verdict.REFUSED) or isinstance(outcome, Refusal):
        return outcome.verdict.value
    return f"{outcome.verdict.value} of {outcome.fanout}"
