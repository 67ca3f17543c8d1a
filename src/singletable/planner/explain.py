"""Explanations: the exact requests for given arguments, the proof that they are enough, and what they cost."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import Any

from singletable.errors import DesignError, Problem
from singletable.model.design import Design
from singletable.planner.bind import Request, read_requests
from singletable.planner.bind_write import write_request
from singletable.planner.estimate import Estimate, estimate
from singletable.planner.plan import Outcome, Plan, Refusal, Verdict


@dataclass(frozen=True)
class Explanation:
    """What a pattern asks of DynamoDB, and why that is right.

    `requests` are as every AWS SDK takes them; `proof` says sentence by sentence why they are enough; `estimate` is
    what a call reads or writes.
    """

    plan: Plan
    requests: tuple[Request, ...]
    proof: tuple[str, ...]
    estimate: Estimate

    def __str__(self) -> str:
        lines = [f"{self.plan.pattern.name}: {self.plan.pattern.title}", *(f"  {line}" for line in self.proof)]
        for request in self.requests:
            body = json.dumps(request.parameters, indent=2, ensure_ascii=False)
            lines.append(f"{request.operation} {body}")
        return "\n".join(lines)


def explain(design: Design, outcome: Outcome, bound: inspect.BoundArguments) -> Explanation:
    """The explanation for a caller's arguments; raises DesignError when the pattern is refused."""
    if isinstance(outcome, Refusal):
        raise DesignError(refusal_problem(outcome))
    bound.apply_defaults()
    arguments: dict[str, Any] = dict(bound.arguments)
    arguments.pop(next(iter(bound.signature.parameters)))
    if outcome.pattern.is_write:
        made: tuple[Request, ...] = (write_request(design, outcome, arguments),)
    else:
        made = read_requests(design, outcome, arguments)
    return Explanation(outcome, made, proof(design, outcome), estimate(design, outcome))


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
