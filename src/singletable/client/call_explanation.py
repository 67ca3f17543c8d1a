"""Explanations of calls: the exact requests of a pattern for given arguments, reads and writes."""

from __future__ import annotations

import inspect
from typing import Any

from singletable.client.write.dry_run import DryRun
from singletable.model.design import Design
from singletable.planner.bind import Request
from singletable.planner.explain import Explanation, RequestsFor, explain
from singletable.planner.plan import Outcome, Plan

Requests = tuple[Request, ...]


def explain_call(
    design: Design,
    outcome: Outcome,
    bound: inspect.BoundArguments,
    table: str | None = None,
    *,
    is_sample: bool = False,
) -> Explanation:
    """The explanation of a call; `table` is the name of the table where it is not the model's.

    With `is_sample`, the arguments are samples, which the user's classes need not accept.
    """

    def write_requests(design: Design, plan: Plan, arguments: dict[str, Any]) -> tuple[Requests, RequestsFor]:
        run = DryRun(design, table or design.name, lambda writer: writer.pattern(plan, arguments), is_sample=is_sample)
        return run.requests(), lambda stored, now: run.requests_for(plan.wanted[0], stored, now)

    return explain(design, outcome, bound, write_requests)
