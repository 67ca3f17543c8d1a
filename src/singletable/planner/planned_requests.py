"""Build the requests of a read plan from the caller's arguments, in the form that every AWS SDK accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import Constant, Parameter
from singletable.lazy_dataclass import dataclass
from singletable.model.design import Design
from singletable.model.fields import fields_of
from singletable.model.keys import KeyValue, check_bytes
from singletable.planner.operands import Arguments, KeyComparison, comparison_text, value_of
from singletable.planner.plan import Plan
from singletable.planner.stored_items import check_argument, key_attribute_value, stored_value
from singletable.planner.trims import trimmed_attributes
from singletable.values.attribute_value import AttributeValue
from singletable.values.limits import BATCH_GET_KEYS_MAX


@dataclass(frozen=True)
class Request:
    """One request to DynamoDB: the operation and its parameters in DynamoDB's JSON."""

    operation: str
    parameters: Mapping[str, Any]


def read_requests(design: Design, plan: Plan, arguments: Arguments) -> tuple[Request, ...]:
    """Return every request of a read for these arguments, in the order of its fan-out."""
    if plan.operation == "GetItem":
        key = item_key(plan, arguments)
        placeholders = Placeholders()
        parameters: dict[str, Any] = {"TableName": design.name, "Key": key, **_projection(design, plan, placeholders)}
        if placeholders.names:
            parameters["ExpressionAttributeNames"] = placeholders.names
        return (Request("GetItem", {**parameters, **_consistent(plan)}),)
    if plan.operation == "BatchGetItem":
        return tuple(_batches(design, plan, ancestor_keys(plan, arguments)))
    if not plan.fan_outs:
        _check_fanout(plan, 1)
        return (_query(design, plan, arguments, {}),)
    found = remaining_requests(design, plan, arguments, set())
    _check_fanout(plan, len(found))
    return found


def ancestor_keys(plan: Plan, arguments: Arguments) -> list[dict[str, AttributeValue]]:
    """Return the keys of a node and all its ancestors, with the root first."""
    item_key(plan, arguments)  # raises an error if the arguments do not form a valid key
    ancestors = plan.each_ancestor
    assert ancestors is not None, "a BatchGetItem reads ancestors"
    declared, depth = plan.pattern.options.fanout, len(arguments[ancestors.name])
    if declared is not None and depth > declared:
        raise ArgumentRefused(
            f"{plan.pattern.name}: the path {arguments[ancestors.name]!r} has {depth} elements, but the pattern "
            f"declares fanout={declared}; pass a shorter path, or increase fanout="
        )
    return [item_key(plan, each) for each in ancestors.each(arguments)]


def _batches(design: Design, plan: Plan, keys: list[dict[str, AttributeValue]]) -> Iterator[Request]:
    for start in range(0, len(keys), BATCH_GET_KEYS_MAX):
        chunk = {"Keys": keys[start : start + BATCH_GET_KEYS_MAX], **_consistent(plan)}
        yield Request("BatchGetItem", {"RequestItems": {design.name: chunk}})


def remaining_requests(
    design: Design, plan: Plan, arguments: Arguments, sent: set[tuple[str, ...]]
) -> tuple[Request, ...]:
    """Return the Queries for these arguments that are not in `sent`, and add them to `sent`."""
    fan_outs = [values for values in _fan_out_values(plan, arguments) if values not in sent]
    sent.update(fan_outs)
    names = [fan_out.name for fan_out in plan.fan_outs]
    return tuple(_query(design, plan, arguments, dict(zip(names, values, strict=True))) for values in fan_outs)


def check_fanout(plan: Plan, arguments: Arguments) -> None:
    """Raise ArgumentRefused if these arguments need more Queries than the pattern declares."""
    _check_fanout(plan, prod(len(fan_out.values(arguments)) for fan_out in plan.fan_outs))


def _check_fanout(plan: Plan, count: int) -> None:
    declared = plan.pattern.options.fanout
    if declared is not None and count > declared:
        raise ArgumentRefused(
            f"{plan.pattern.name}: these arguments need {count} Queries, but the pattern declares fanout={declared}; "
            "pass narrower arguments, or increase fanout="
        )


def _fan_out_values(plan: Plan, arguments: Arguments) -> Iterator[tuple[str, ...]]:
    return product(*(fan_out.values(arguments) for fan_out in plan.fan_outs))


def _query(design: Design, plan: Plan, arguments: Arguments, fan_out: Mapping[str, str]) -> Request:
    placeholders = Placeholders()
    key_condition = _key_condition(plan, placeholders, arguments, fan_out)
    parameters: dict[str, Any] = {"TableName": design.name}
    if not plan.index.is_table:
        parameters["IndexName"] = plan.index.name
    parameters["KeyConditionExpression"] = key_condition
    if plan.filter is not None:
        printer = printer_for(placeholders, plan, arguments)
        parameters["FilterExpression"] = printer.condition(plan.filter)
    parameters |= _projection(design, plan, placeholders)
    parameters["ExpressionAttributeNames"] = placeholders.names
    parameters["ExpressionAttributeValues"] = placeholders.values
    if not plan.forward:
        parameters["ScanIndexForward"] = False
    if plan.limit is not None:
        parameters["Limit"] = _limit(plan, arguments)
    return Request("Query", {**parameters, **_consistent(plan)})


def _projection(design: Design, plan: Plan, placeholders: Placeholders) -> dict[str, str]:
    """Return the projection of a view: its fields, the keys, and the type and version attributes."""
    names = projected_attributes(design, plan)
    return {"ProjectionExpression": ", ".join(placeholders.name(name) for name in names)} if names else {}


def _consistent(plan: Plan) -> dict[str, bool]:
    return {"ConsistentRead": True} if plan.consistent else {}


def _limit(plan: Plan, arguments: Arguments) -> int:
    assert plan.limit is not None, "the caller checks that there is a limit"
    count = plan.limit.count
    limit = count if isinstance(count, int) else arguments[count.name]
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ArgumentRefused(f"limit must be an int of at least 1, got {limit!r}")
    return limit + plan.limit.extra


def _key_condition(plan: Plan, placeholders: Placeholders, arguments: Arguments, fan_out: Mapping[str, str]) -> str:
    """Return the key condition expression and register its names and values."""
    written = plan.written_condition
    values: dict[str, AttributeValue] = {}
    for test, is_sort, names in written.tests:
        bound = [operand.bind(arguments, fan_out) for operand in test.operands]
        if test.operator != "=" and (bound[0] == "" or len(bound) > 1):
            break
        for name, value in zip(names, bound, strict=True):
            check_bytes(test.attribute, value, sort=is_sort)
            values[name] = key_attribute_value(value)
    else:
        placeholders.names, placeholders.values = dict(written.names), values
        return written.text
    # Check that two bounds are in order, and omit comparisons that are true for every key.
    texts = [_test(test, placeholders, arguments, fan_out, sort=is_sort) for test, is_sort, _ in written.tests]
    return " AND ".join(text for text in texts if text is not None)


def _test(
    test: KeyComparison, placeholders: Placeholders, arguments: Arguments, fan_out: Mapping[str, str], *, sort: bool
) -> str | None:
    """Return the comparison as an expression. Return None if it is true for every key."""
    operator, values = test.operator, [operand.bind(arguments, fan_out) for operand in test.operands]
    if operator == "BETWEEN" and not _in_order(*values):
        raise ArgumentRefused(
            f"the range {test.show()} is empty: {values[0]!r} sorts after {values[1]!r}; swap low and high"
        )
    # DynamoDB rejects an empty operand, and every key sorts after an empty text
    if values[0] == "" and operator != "=":
        if operator != "BETWEEN":
            return None
        operator, values = "<=", values[1:]
    for value in values:
        check_bytes(test.attribute, value, sort=sort)
    written = [placeholders.value(key_attribute_value(value)) for value in values]
    return comparison_text(placeholders.name(test.attribute), operator, written)


def _in_order(low: KeyValue, high: KeyValue) -> bool:
    if isinstance(low, str) and isinstance(high, str):
        return low.encode() <= high.encode()
    return low <= high  # type: ignore[operator]  # both are numbers, or both are bytes


def item_key(plan: Plan, arguments: Arguments) -> dict[str, AttributeValue]:
    """Return the key of the single item that a plan reads or writes."""
    key: dict[str, AttributeValue] = {}
    for tests, sort in ((plan.partition, False), (plan.sort, True)):
        for test in tests:
            value = test.operands[0].bind(arguments, {})
            check_bytes(test.attribute, value, sort=sort)
            key[test.attribute] = key_attribute_value(value)
    return key


def printer_for(placeholders: Placeholders, plan: Plan, arguments: Arguments) -> Printer:
    """Return a printer that writes expressions with the attribute names of an entity and the values of a call."""
    attributes, codecs = plan.entities[0].attributes, plan.entities[0].declaration.codecs

    def resolve(source: Constant | Parameter) -> AttributeValue:
        value = value_of(source, arguments)
        if isinstance(source, Parameter):
            value = check_argument(plan.pattern.parameters[source.name], value)
        return stored_value(value, codecs)

    return Printer(placeholders, lambda name: attributes.get(name, name), resolve)


def projected_attributes(design: Design, plan: Plan) -> tuple[str, ...]:
    """Return the attributes that a view needs. The result is empty if the view reads whole index entries."""
    if plan.view is None or plan.index.projection.kind != "ALL":
        return ()
    # the upgrade of an item of an older version needs the whole item
    if any(entity.upgrades for entity in plan.entities):
        return ()
    settings, names = design.settings, [*design.table.key_attributes, *plan.index.key_attributes]
    for entity in plan.entities:
        names += [entity.attributes[name] for name in _view_fields(plan.view)]
        names += [settings.schema_version_attribute] if entity.declaration.schema_version is not None else []
    names += trimmed_attributes(plan)
    names += [name for name in (settings.type_attribute, design.ttl_attribute) if name]
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=256)  # slow to compute, and every call of a pattern uses it
def _view_fields(view: type) -> tuple[str, ...]:
    return tuple(fields_of(view))
