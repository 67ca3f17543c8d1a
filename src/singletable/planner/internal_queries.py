"""Queries that the library itself needs, planned like patterns. They find the copies of an item, or a subtree."""

from __future__ import annotations

import inspect

from singletable.lazy_dataclass import replace
from singletable.model.derived_data import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import QueryIntent
from singletable.model.parameter_types import Equal, Subtree
from singletable.model.pattern_declaration import ParameterDeclaration, PatternDeclaration, PatternOptions
from singletable.planner.plan import Outcome, Plan, UnsupportedPattern
from singletable.planner.planner import plan


def plan_copies_query(design: Design, copy: Copy, holder: Entity) -> Outcome:
    """Plan the query that finds all copies of one source item."""
    parameters = {ours: ParameterDeclaration(ours, Equal, holder.fields[ours].type, True) for ours in copy.by.values()}
    intent = QueryIntent(holder.cls, None, None, None, False, None, None, False, False)
    declaration = PatternDeclaration(
        f"copies of {copy.source.__name__} in {holder.label}",
        f"every {holder.label} that copies fields of one {copy.source.__name__}",
        holder.location,
        parameters,
        intent,
        PatternOptions(),
        inspect.Signature(),
    )
    outcome = plan(design, declaration)
    if isinstance(outcome, UnsupportedPattern):
        thin = plan(design, replace(declaration, intent=replace(intent, hydrate=True)))
        return outcome if isinstance(thin, UnsupportedPattern) else thin
    return outcome


def copy_indexes(design: Design) -> frozenset[tuple[str, str]]:
    """Return the entity labels and index aliases of the queries that find the copies when their source changes."""
    found = (
        (holder.label, plan_copies_query(design, copy, holder))
        for holder in design.entities
        for copy in holder.declaration.copies
    )
    return frozenset((label, outcome.index.alias) for label, outcome in found if isinstance(outcome, Plan))


def plan_subtree_query(design: Design, entity: Entity, path: str, name: str) -> Outcome:
    """Plan the strongly consistent query that reads every item of an entity at or below a path."""
    kinds = {field: Subtree if field == path else Equal for field in sorted(entity.base.fields)}
    parameters = {
        field: ParameterDeclaration(field, test, entity.fields[field].type, True) for field, test in kinds.items()
    }
    intent = QueryIntent(entity.cls, None, None, None, False, None, None, False, True)
    title = f"every {entity.label} at or below a path"
    declaration = PatternDeclaration(
        name, title, entity.location, parameters, intent, PatternOptions(), inspect.Signature()
    )
    return plan(design, declaration)
