"""How a node and everything below it are found where they lie: a strong read of the table, planned like any pattern."""

from __future__ import annotations

import inspect

from singletable.model.declaration import ParameterDeclaration, PatternDeclaration, PatternOptions
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Query
from singletable.model.ranges import Equal, Subtree
from singletable.planner.plan import Outcome
from singletable.planner.planner import plan


def plan_subtree(design: Design, entity: Entity, path: str, name: str) -> Outcome:
    """The plan that reads every item of an entity at or below a path, or the refusal of it."""
    kinds = {field: Subtree if field == path else Equal for field in sorted(entity.base.fields)}
    parameters = {
        field: ParameterDeclaration(field, test, entity.fields[field].type, True) for field, test in kinds.items()
    }
    intent = Query(entity.cls, None, None, None, False, None, None, False, True)
    title = f"every {entity.label} at or below a path"
    declaration = PatternDeclaration(
        name, title, entity.location, parameters, intent, PatternOptions(), inspect.Signature()
    )
    return plan(design, declaration)
