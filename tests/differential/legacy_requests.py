"""Requests of the legacy API: Expected, AttributeUpdates, KeyConditions and filters."""

from __future__ import annotations

from tests.differential.item_requests import some_left_out
from tests.differential.sides import Request
from tests.differential.world import World
from tests.engine.oracle.generated_requests import capacity
from tests.engine.oracle.generated_values import (
    ATTRIBUTES,
    INDEX_ATTRIBUTES,
    Given,
    attribute,
    ordered_value,
    scalar,
    set_value,
)
from tests.engine.oracle.oracle_values import Item, Value
from tests.engine.oracle.seeded_choices import SeededChoices

# The number of values of each comparison.
OPERATORS = {
    "EQ": 1,
    "NE": 1,
    "LE": 1,
    "LT": 1,
    "GE": 1,
    "GT": 1,
    "NOT_NULL": 0,
    "NULL": 0,
    "CONTAINS": 1,
    "NOT_CONTAINS": 1,
    "BEGINS_WITH": 1,
    "IN": 2,
    "BETWEEN": 2,
}
ORDERED = ("LE", "LT", "GE", "GT", "BETWEEN", "CONTAINS", "NOT_CONTAINS", "IN")


def _named(chance: SeededChoices, given: Given) -> str:
    return chance.pick([*ATTRIBUTES, *ATTRIBUTES, *INDEX_ATTRIBUTES, *given.table.key_names])


def _value(chance: SeededChoices, given: Given, name: str, operator: str, item: Item) -> Value:
    if name in given.pools:
        return given.key_value(chance, name)
    if operator == "BEGINS_WITH":
        return ordered_value(chance, chance.pick("SB"))
    if operator in ORDERED:
        return ordered_value(chance)
    return item[name] if name in item and chance.one_in(2) else attribute(chance, name)


def _condition(chance: SeededChoices, given: Given, name: str, item: Item) -> Request:
    operator = chance.pick(list(OPERATORS))
    values = [_value(chance, given, name, operator, item) for _ in range(OPERATORS[operator])]
    if operator == "BETWEEN" and {*values[0]} != {*values[1]}:
        values[1] = values[0]
    return {"ComparisonOperator": operator} | ({"AttributeValueList": values} if values else {})


def _conditions(chance: SeededChoices, given: Given, item: Item, without: tuple[str, ...] = ()) -> dict[str, Request]:
    names = {_named(chance, given) for _ in chance.times(1, 3)} - set(without)
    return {name: _condition(chance, given, name, item) for name in sorted(names)}


def _expected(chance: SeededChoices, given: Given, item: Item) -> Request:
    if not chance.one_in(2):
        return {}
    expected: dict[str, Request] = {}
    for name in sorted({_named(chance, given) for _ in chance.times(1, 3)}):
        match chance.below(4):
            case 0:
                expected[name] = {"Exists": False}
            case 1:
                expected[name] = {"Value": item[name] if name in item else _value(chance, given, name, "EQ", item)}
            case 2:
                value = _value(chance, given, name, "EQ", item)
                expected[name] = {"Exists": True, "Value": value}
            case _:
                expected[name] = _condition(chance, given, name, item)
    return {"Expected": expected} | _operator(chance)


def _operator(chance: SeededChoices) -> Request:
    return {"ConditionalOperator": chance.pick(["AND", "OR"])} if chance.one_in(3) else {}


def _known(chance: SeededChoices, given: Given) -> tuple[Item, Item]:
    """Return a key, and the item with this key."""
    key = given.key(chance)
    return key, given.table.items.get(given.table.key_of(key), {})


def _written(chance: SeededChoices, request: Request, returns: list[str]) -> Request:
    returned = {"ReturnValues": chance.pick(returns), "ReturnConsumedCapacity": capacity(chance)}
    return some_left_out(chance, request | returned, tuple(returned))


def put(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    item = given.item(chance)
    known = given.table.items.get(given.table.key_of(item), {})
    request = {"TableName": given.table.name, "Item": item, **_expected(chance, given, known)}
    return _written(chance, request, ["NONE", "ALL_OLD"])


def delete(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    key, item = _known(chance, given)
    return _written(
        chance,
        {"TableName": given.table.name, "Key": key, **_expected(chance, given, item)},
        ["NONE", "ALL_OLD"],
    )


def update(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    key, item = _known(chance, given)
    updates = {}
    for name in chance.several([*ATTRIBUTES, *INDEX_ATTRIBUTES], 1, 3):
        updates[name] = _change(chance, given, name, item)
    request = {"TableName": given.table.name, "Key": key, "AttributeUpdates": updates, **_expected(chance, given, item)}
    return _written(chance, request, ["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])


def _change(chance: SeededChoices, given: Given, name: str, item: Item) -> Request:
    if name in given.pools:
        return {"Action": "PUT", "Value": given.index_value(chance, name)}
    match chance.below(5):
        case 0:
            return {"Action": "DELETE"}
        case 1:
            return {"Action": "DELETE", "Value": set_value(chance)}
        case 2:
            added = chance.pick([ordered_value(chance, "N"), set_value(chance), {"L": [scalar(chance)]}])
            return {"Action": "ADD", "Value": added}
        case 3:
            return {"Value": attribute(chance, name)}
        case _:
            return {"Action": "PUT", "Value": attribute(chance, name)}


def get(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    key, _ = _known(chance, given)
    return {"TableName": given.table.name, "Key": key, "AttributesToGet": _attributes(chance, given)}


def _attributes(chance: SeededChoices, given: Given) -> list[str]:
    return sorted({_named(chance, given) for _ in chance.times(1, 4)})


def query(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    table = given.table
    index = table.indexes.get(chance.pick(["", *table.indexes]))
    partition, sort = (index.partition, index.sort) if index else (table.key_names[:1], table.key_names[1:])
    conditions = {name: _equal(given.key_value(chance, name)) for name in partition}
    for name in sort if chance.one_in(2) else ():
        operator = chance.pick(["EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"])
        values = [given.any_key_value(chance, name) for _ in range(OPERATORS[operator])]
        conditions[name] = {"ComparisonOperator": operator, "AttributeValueList": values}
    request: Request = {"TableName": table.name, "KeyConditions": conditions, "ScanIndexForward": chance.one_in(2)}
    if index:
        request["IndexName"] = index.name
    if chance.one_in(3):
        known = given.known_item(chance) if table.items else {}
        request["QueryFilter"] = _conditions(chance, given, known, (*partition, *sort))
        request |= _operator(chance)
    return _page(chance, given, request)


def _equal(value: Value) -> Request:
    return {"ComparisonOperator": "EQ", "AttributeValueList": [value]}


def scan(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    request: Request = {"TableName": given.table.name}
    if given.table.indexes and chance.one_in(3):
        request["IndexName"] = chance.pick(list(given.table.indexes))
    if chance.one_in(2):
        known = given.known_item(chance) if given.table.items else {}
        request["ScanFilter"] = _conditions(chance, given, known)
        request |= _operator(chance)
    return _page(chance, given, request)


def _page(chance: SeededChoices, given: Given, request: Request) -> Request:
    request["ReturnConsumedCapacity"] = capacity(chance)
    if chance.one_in(4):
        request["AttributesToGet"] = _attributes(chance, given)
    if chance.one_in(4):
        request["Limit"] = 1 + chance.below(4)
    if chance.one_in(6):
        request["Select"] = chance.pick(["COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"])
    return request


def batch_get(chance: SeededChoices, world: World) -> Request:
    given = chance.pick(world.tables)
    keys = list({given.table.key_of(key): key for key in (given.key(chance) for _ in chance.times(1, 4))}.values())
    return {"RequestItems": {given.table.name: {"Keys": keys, "AttributesToGet": _attributes(chance, given)}}}
