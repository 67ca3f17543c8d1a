"""The plan of a read and the caller's arguments become requests, in the form that every AWS SDK takes."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from typing import Any

from singletable.errors import ArgumentRefused
from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import Constant, Parameter
from singletable.model.design import Design
from singletable.model.keys import KeyValue, check_bytes
from singletable.planner.operands import Arguments, KeyTest, value_of, written_test
from singletable.planner.plan import Plan
from singletable.planner.projection import projected
from singletable.planner.stored import checked, stored_value
from singletable.values.attribute_value import AttributeValue, number_text
from singletable.values.limits import BATCH_GET_KEYS_MAX


@dataclass(frozen=True)
class Request:
    """One request to DynamoDB: the operation and its parameters in DynamoDB's JSON."""

    operation: str
    parameters: Mapping[str, Any]


def read_requests(design: Design, plan: Plan, arguments: Arguments) -> tuple[Request, ...]:
    """Every request that a read makes for these arguments, in key order of its fan-out."""
    if plan.operation == "GetItem":
        key = item_key(plan, arguments)
        placeholders = Placeholders()
        parameters: dict[str, Any] = {"TableName": design.name, "Key": key, **_projection(design, plan, placeholders)}
        if placeholders.names:
            parameters["ExpressionAttributeNames"] = placeholders.names
        return (Request("GetItem", {**parameters, **_consistent(plan)}),)
    if plan.operation == "BatchGetItem":
        return tuple(_batches(design, plan, keys_above(plan, arguments)))
    if not plan.spreads:
        _check_fanout(plan, 1)
        return (_query(design, plan, arguments, {}),)
    found = further_requests(design, plan, arguments, set())
    _check_fanout(plan, len(found))
    return found


def keys_above(plan: Plan, arguments: Arguments) -> list[dict[str, AttributeValue]]:
    """The keys of all nodes on the way from the root of a tree down to a path, the root's first."""
    item_key(plan, arguments)  # refuses arguments that make no key
    above = plan.each_above
    assert above is not None, "a BatchGetItem is planned for the nodes above a path"
    declared, depth = plan.pattern.options.fanout, len(arguments[above.name])
    if declared is not None and depth > declared:
        raise ArgumentRefused(
            f"{plan.pattern.name} was given a path of {depth} elements, {arguments[above.name]!r}, and declares at "
            f"most {declared}; ask for a shorter path, or raise fanout="
        )
    return [item_key(plan, each) for each in above.each(arguments)]


def _batches(design: Design, plan: Plan, keys: list[dict[str, AttributeValue]]) -> Iterator[Request]:
    for start in range(0, len(keys), BATCH_GET_KEYS_MAX):
        chunk = {"Keys": keys[start : start + BATCH_GET_KEYS_MAX], **_consistent(plan)}
        yield Request("BatchGetItem", {"RequestItems": {design.name: chunk}})


def further_requests(
    design: Design, plan: Plan, arguments: Arguments, asked: set[tuple[str, ...]]
) -> tuple[Request, ...]:
    """The Queries of a read for these arguments but for those that were asked already; they are noted as asked."""
    spreads = [values for values in _spreads(plan, arguments) if values not in asked]
    asked.update(spreads)
    names = [spread.name for spread in plan.spreads]
    return tuple(_query(design, plan, arguments, dict(zip(names, values, strict=True))) for values in spreads)


def check_fanout(plan: Plan, arguments: Arguments) -> None:
    """Raises ArgumentRefused when a read could take more Queries for these arguments than its pattern declares."""
    _check_fanout(plan, prod(len(spread.values(arguments)) for spread in plan.spreads))


def _check_fanout(plan: Plan, count: int) -> None:
    declared = plan.pattern.options.fanout
    if declared is not None and count > declared:
        raise ArgumentRefused(
            f"{plan.pattern.name} would take {count} Queries for these arguments and declares at most {declared}; "
            "narrow the arguments, or raise fanout="
        )


def _spreads(plan: Plan, arguments: Arguments) -> Iterator[tuple[str, ...]]:
    return product(*(spread.values(arguments) for spread in plan.spreads))


def _query(design: Design, plan: Plan, arguments: Arguments, spread: Mapping[str, str]) -> Request:
    placeholders = Placeholders()
    key_condition = _key_condition(plan, placeholders, arguments, spread)
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
    """What a view reads of each item, where whole items lie: its fields, and what tells and places the item."""
    names = projected(design, plan)
    return {"ProjectionExpression": ", ".join(placeholders.name(name) for name in names)} if names else {}


def _consistent(plan: Plan) -> dict[str, bool]:
    return {"ConsistentRead": True} if plan.consistent else {}


def _limit(plan: Plan, arguments: Arguments) -> int:
    assert plan.limit is not None, "asked only where there is one"
    count = plan.limit.count
    limit = count if isinstance(count, int) else arguments[count.name]
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise ArgumentRefused(f"limit is {limit!r}; it counts items and is at least 1")
    return limit + plan.limit.extra


def _key_condition(plan: Plan, placeholders: Placeholders, arguments: Arguments, spread: Mapping[str, str]) -> str:
    """The key condition in DynamoDB's text, its names and values noted."""
    written = plan.written_condition
    values: dict[str, AttributeValue] = {}
    for test, is_sort, names in written.tests:
        bound = [operand.bind(arguments, spread) for operand in test.operands]
        if test.operator != "=" and (bound[0] == "" or len(bound) > 1):
            break
        for name, value in zip(names, bound, strict=True):
            check_bytes(test.attribute, value, sort=is_sort)
            values[name] = key_attribute_value(value)
    else:
        placeholders.names, placeholders.values = dict(written.names), values
        return written.text
    # Two bounds have an order, and some comparisons hold for every key.
    texts = [_test(test, placeholders, arguments, spread, sort=is_sort) for test, is_sort, _ in written.tests]
    return " AND ".join(text for text in texts if text is not None)


def _test(
    test: KeyTest, placeholders: Placeholders, arguments: Arguments, spread: Mapping[str, str], *, sort: bool
) -> str | None:
    """The comparison in DynamoDB's text; None when it holds for every key."""
    operator, values = test.operator, [operand.bind(arguments, spread) for operand in test.operands]
    if operator == "BETWEEN" and not _in_order(*values):
        raise ArgumentRefused(f"{test.show()} is empty: {values[0]!r} sorts after {values[1]!r}; swap low and high")
    if values[0] == "" and operator != "=":  # DynamoDB refuses an empty operand, and every key sorts after it
        if operator != "BETWEEN":
            return None
        operator, values = "<=", values[1:]
    for value in values:
        check_bytes(test.attribute, value, sort=sort)
    written = [placeholders.value(key_attribute_value(value)) for value in values]
    return written_test(placeholders.name(test.attribute), operator, written)


def _in_order(low: KeyValue, high: KeyValue) -> bool:
    if isinstance(low, str) and isinstance(high, str):
        return low.encode() <= high.encode()
    return low <= high  # type: ignore[operator]  # both are numbers, or both are bytes


def key_attribute_value(value: KeyValue) -> AttributeValue:
    """A key's value in DynamoDB's JSON."""
    if isinstance(value, Decimal):
        return {"N": number_text(value)}
    return {"B": base64.b64encode(value).decode()} if isinstance(value, bytes) else {"S": value}


def item_key(plan: Plan, arguments: Arguments) -> dict[str, AttributeValue]:
    """The key of the one item that a plan speaks of."""
    key: dict[str, AttributeValue] = {}
    for tests, sort in ((plan.partition, False), (plan.sort, True)):
        for test in tests:
            value = test.operands[0].bind(arguments, {})
            check_bytes(test.attribute, value, sort=sort)
            key[test.attribute] = key_attribute_value(value)
    return key


def printer_for(placeholders: Placeholders, plan: Plan, arguments: Arguments) -> Printer:
    """A printer that knows the entity's stored names and the caller's values."""
    attributes = plan.wanted[0].attributes

    def resolve(source: Constant | Parameter) -> AttributeValue:
        value = value_of(source, arguments)
        if isinstance(source, Parameter):
            value = checked(plan.pattern.parameters[source.name], value)
        return stored_value(value)

    return Printer(placeholders, lambda name: attributes.get(name, name), resolve)
