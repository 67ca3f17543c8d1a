"""How the items that repeat another entity's values are found: a query of their own, planned like any pattern."""

from __future__ import annotations

import inspect
from dataclasses import replace

from singletable.model.copies import Copy
from singletable.model.declaration import ParameterDeclaration, PatternDeclaration, PatternOptions
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Query
from singletable.model.ranges import Equal
from singletable.planner.plan import Outcome, Plan, Refusal
from singletable.planner.planner import plan


def plan_holders(design: Design, copy: Copy, holder: Entity) -> Outcome:
    """The plan that reads every item which repeats one source, or the refusal of it."""
    parameters = {ours: ParameterDeclaration(ours, Equal, holder.fields[ours].type, True) for ours in copy.by.values()}
    intent = Query(holder.cls, None, None, None, False, None, None, False, False)
    declaration = PatternDeclaration(
        f"copies of {copy.source.__name__} in {holder.label}",
        f"every {holder.label} that repeats one {copy.source.__name__}",
        holder.location,
        parameters,
        intent,
        PatternOptions(),
        inspect.Signature(),
    )
    outcome = plan(design, declaration)
    if isinstance(outcome, Refusal):
        thin = plan(design, replace(declaration, intent=replace(intent, hydrate=True)))
        return outcome if isinstance(thin, Refusal) else thin
    return outcome


def copies_found_by(design: Design) -> frozenset[tuple[str, str]]:
    """The indexes, or the table, that copies are found by when their source changes: holders' labels with aliases."""
    found = (
        (holder.label, plan_holders(design, copy, holder))
        for holder in design.entities
        for copy in holder.declaration.copies
    )
    return frozenset((label, outcome.index.alias) for label, outcome in found if isinstance(outcome, Plan))
