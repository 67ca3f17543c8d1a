"""The plan of a write and the caller's arguments become one request, with every index key it has to bring in line."""

from __future__ import annotations

import time
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.expressions.printer import Placeholders
from singletable.expressions.tree import And, Change, Compare, Condition, Constant, Function, Or, Parameter, Path
from singletable.model.binding import held_values
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.intents import Write
from singletable.planner.bind import Request, item_key, key_attribute_value, printer_for
from singletable.planner.items import item_of, values_of
from singletable.planner.operands import Arguments, value_of
from singletable.planner.plan import Plan
from singletable.planner.writes import takes_item


def write_request(design: Design, plan: Plan, arguments: Arguments) -> Request:
    """The one request that writes what the pattern says."""
    entity, intent = plan.wanted[0], plan.pattern.intent
    assert isinstance(intent, Write), "a write's plan has a write's intent"
    placeholders = Placeholders()
    printer = printer_for(placeholders, plan, arguments)
    parameters: dict[str, Any] = {"TableName": design.name}
    if intent.kind in ("put", "create"):
        parameters["Item"] = item_of(design, entity, written_values(plan, entity, arguments))
    else:
        parameters["Key"] = item_key(plan, arguments)
    if intent.changes:
        keys = _rewritten_keys(plan, entity, arguments, placeholders)
        parameters["UpdateExpression"] = printer.update(intent.changes, keys)
    if (condition := _condition(design, entity, intent)) is not None:
        parameters["ConditionExpression"] = printer.condition(condition)
    if placeholders.names:
        parameters["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        parameters["ExpressionAttributeValues"] = placeholders.values
    return Request(plan.operation, parameters)


def _condition(design: Design, entity: Entity, intent: Write) -> Condition | None:
    """Create never overwrites, update never creates; a condition of the pattern's own implies the latter."""
    partition = Path((design.table.partition[0].name,))
    if intent.kind == "create":
        none, expiry = Function("attribute_not_exists", (partition,)), entity.declaration.ttl
        # What no read shows any more is not in the way, though DynamoDB may not have taken it away yet.
        return none if expiry is None else Or((none, Compare("<=", Path((expiry,)), Constant(int(time.time())))))
    condition = intent.where
    if intent.kind == "update" and condition is None:
        condition = Function("attribute_exists", (partition,))
    version = None if condition is None else _of_own_version(design, entity)
    return condition if condition is None or version is None else And((condition, version))


def _of_own_version(design: Design, entity: Entity) -> Condition | None:
    """That the item is of the model's schema version; one that says none is of the first."""
    current, attribute = entity.declaration.schema_version, Path((design.settings.schema_version_attribute,))
    if current is None:
        return None
    own = Compare("=", attribute, Constant(current))
    return Or((own, Function("attribute_not_exists", (attribute,)))) if current == 1 else own


def written_values(plan: Plan, entity: Entity, arguments: Arguments) -> dict[str, Any]:
    """The fields of the item that a put or a create writes: those of the object it is given, or one by one."""
    if not takes_item(plan.pattern, entity):
        return {name: arguments[name] for name in entity.fields if name in arguments}
    item = next(a for name, a in arguments.items() if plan.pattern.parameters[name].type is entity.cls)
    if not isinstance(item, entity.cls):
        raise ArgumentRefused(f"{plan.pattern.name} takes a {entity.label}, not {item!r}")
    return values_of(entity, item)


def _rewritten_keys(
    plan: Plan, entity: Entity, arguments: Arguments, placeholders: Placeholders
) -> dict[str, list[str]]:
    """The clauses that bring index keys in line with the changed fields; a missing field takes its key away."""
    values = {name: arguments[name] for name in entity.fields if name in arguments}
    values |= {name: value_of(source, arguments) for name, source in held_values(plan.condition).items()}
    for change in plan.changes:
        values[str(change.path.steps[0])] = _new_value(change, arguments)
    clauses: dict[str, list[str]] = {}
    for rewrite in plan.rewrites:
        if rewrite.unknown:
            continue
        placement, name = entity.placements[rewrite.index.alias], placeholders.name(rewrite.attribute)
        part = next(part for part in placement.parts if part.attribute == rewrite.attribute)
        left = any(entity.fields[field].optional and values.get(field) is None for field in placement.fields)
        value = None if left else part.encode(values)
        if value is None:
            clauses.setdefault("REMOVE", []).append(name)
        else:
            clauses.setdefault("SET", []).append(f"{name} = {placeholders.value(key_attribute_value(value))}")
    return clauses


def _new_value(change: Change, arguments: Arguments) -> Any:
    return value_of(change.value, arguments) if isinstance(change.value, Constant | Parameter) else None
