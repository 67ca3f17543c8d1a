"""Mutations that make a valid request invalid. Each one changes a request, or finds nothing to change."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from tests.differential import expression_mutations
from tests.differential.sides import Request
from tests.engine.oracle.seeded_choices import SeededChoices

Place = tuple[Any, Any]  # a container, and a name or position in it
Mutation = Callable[[SeededChoices, str, Request], bool]

KINDS = {"S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL"}
ENUMERATIONS = (
    *("ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics", "Select", "BillingMode", "KeyType"),
    *("AttributeType", "ProjectionType", "TableClass", "StreamViewType", "ReturnValuesOnConditionCheckFailure"),
    *("ComparisonOperator", "ConditionalOperator", "Action"),
)
TRIES = 6


def places(node: Any) -> Iterator[Place]:
    """Yield every place in a document, from the outside in."""
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, inner in members:
        yield node, name
        yield from places(inner)


def _is_value(node: Any) -> bool:
    return isinstance(node, dict) and len(node) == 1 and next(iter(node)) in KINDS


def _pick(chance: SeededChoices, found: list[Place]) -> Place | None:
    return chance.pick(found) if found else None


def _named(request: Request, *names: str) -> list[Place]:
    return [place for place in places(request) if place[1] in names and isinstance(place[0], dict)]


def drop_a_member(chance: SeededChoices, action: str, request: Request) -> bool:
    """Remove a parameter, at the top or inside, but not inside a value."""
    found = [(holder, name) for holder, name in places(request) if isinstance(holder, dict) and name not in KINDS]
    place = _pick(chance, found)
    if place is None:
        return False
    del place[0][place[1]]
    return True


def name_wrongly(chance: SeededChoices, action: str, request: Request) -> bool:
    """Replace the name of a table or index with an unknown, too short or too long name, or with invalid characters."""
    place = _pick(chance, _named(request, "TableName", "IndexName", "ExclusiveStartTableName"))
    if place is None and isinstance(request.get("RequestItems"), dict) and request["RequestItems"]:
        items = request["RequestItems"]
        place = (items, chance.pick(list(items)))
    if place is None:
        return False
    name = chance.pick(["missing", "ab", "a", "", "x" * 255, "x" * 256, "with space", "a/b", "é€x", "UPPER.lower_1-"])
    if place[1] in ("TableName", "IndexName", "ExclusiveStartTableName"):
        place[0][place[1]] = name
    else:
        place[0][name] = place[0].pop(place[1])
    return True


def break_a_key(chance: SeededChoices, action: str, request: Request) -> bool:
    """Change a key so that it has too few or too many attributes, or one that is empty, too long or of another type."""
    holders = [holder[name] for holder, name in _named(request, "Key", "Item", "ExclusiveStartKey")]
    holders += [key for holder, name in _named(request, "Keys") for key in holder[name] if isinstance(key, dict)]
    holders = [holder for holder in holders if isinstance(holder, dict) and holder]
    if not holders:
        return False
    key = chance.pick(holders)
    name = chance.pick(["pk", "sk", chance.pick(sorted(key))])
    match chance.below(6):
        case 0:
            key.pop(name, None)
        case 1:
            key["extra"] = {"S": "more"}
        case 2:
            key[name] = chance.pick([{"S": ""}, {"B": ""}])
        case 3:
            key[name] = {"S": "x" * chance.pick([1024, 1025, 2048, 2049])}
        case 4:
            key[name] = {"B": "eHh4" * chance.pick([341, 342, 683])}
        case _:
            key[name] = chance.pick([{"S": "a"}, {"N": "1"}, {"B": "YQ=="}, {"BOOL": True}, {"NULL": True}, {"L": []}])
    return True


def _nested(levels: int) -> Any:
    value: Any = {"S": "deep"}
    for level in range(levels):
        value = {"L": [value]} if level % 2 else {"M": {"a": value}}
    return value


VALUES: tuple[Any, ...] = (
    {"N": "1e126"},
    {"N": "-1e126"},
    {"N": "9.99e125"},
    {"N": "1e-131"},
    {"N": "1e-130"},
    {"N": "1" * 38},
    {"N": "1" * 39},
    {"N": "1" + "0" * 60},
    {"N": "0." + "0" * 50 + "1" * 38},
    {"N": "1." + "1" * 38},
    {"N": ""},
    {"N": " 1"},
    {"N": "1 "},
    {"N": "abc"},
    {"N": "NaN"},
    {"N": "Infinity"},
    {"N": "0x10"},
    {"N": "1_000"},
    {"N": "+1"},
    {"N": "-0"},
    {"N": "007.70"},
    {"N": ".5"},
    {"N": "5."},
    {"N": "1E+2"},
    {"N": "--1"},
    {"N": "1e"},
    {"S": ""},
    {"B": ""},
    {"B": "YQ"},
    {"B": "!!"},
    {"B": "YQ==YQ=="},
    {"SS": []},
    {"NS": []},
    {"BS": []},
    {"SS": ["a", "a"]},
    {"SS": [""]},
    {"NS": ["1", "1.0"]},
    {"NS": ["1", "1"]},
    {"NS": ["1", "x"]},
    {"NS": [""]},
    {"NS": ["1e200"]},
    {"BS": ["YQ==", "YQ=="]},
    {"BS": [""]},
    {"NULL": False},
    {},
    {"S": "a", "N": "1"},
    {"S": "a", "NULL": True},
    {"X": "a"},
    {"L": [{}]},
    {"L": [{"N": "x"}]},
    {"L": [{"SS": []}]},
    {"M": {"": {"S": "a"}}},
    {"M": {"a": {}}},
    {"M": {"a": {"NS": ["1", "1"]}}},
    _nested(30),
    _nested(31),
    _nested(32),
    _nested(33),
    {"S": "x" * 400_000},
    {"S": "x" * 409_600},
)


def break_a_value(chance: SeededChoices, action: str, request: Request) -> bool:
    """Replace a value with an invalid value, or with a value at a limit."""
    place = _pick(chance, [(holder, name) for holder, name in places(request) if _is_value(holder[name])])
    if place is None:
        return False
    # Values that are too large for an item are not used as keys, because the sides reject them with different errors.
    place[0][place[1]] = copy.deepcopy(chance.pick(VALUES[:-2] if place[1] in ("pk", "sk") else VALUES))
    return True


def name_an_attribute_oddly(chance: SeededChoices, action: str, request: Request) -> bool:
    """Rename an attribute: the new name is empty, very long, or unusual but valid."""
    holders = [holder[name] for holder, name in _named(request, "Item")]
    if not holders or not isinstance(holders[0], dict):
        return False
    name = chance.pick(["", "x" * 255, "x" * 256, "x" * 65_535, "x" * 65_536, "with space", "é", "a.b", "#a", ":a"])
    chance.pick(holders)[name] = {"N": "1"}
    return True


def leave_an_enumeration(chance: SeededChoices, action: str, request: Request) -> bool:
    """Replace an enum value with an unknown value, or with one that this action does not accept."""
    place = _pick(chance, _named(request, *ENUMERATIONS))
    word = chance.pick(
        ["", "NO", "none", "ALL_NEW", "UPDATED_OLD", "INDEXES", "SIZE", "COUNT", "ALL", "SPECIFIC_ATTRIBUTES"]
    )
    if place is None:
        request[chance.pick(["ReturnValues", "ReturnConsumedCapacity", "Select"])] = word
    else:
        place[0][place[1]] = word
    return True


def leave_a_range(chance: SeededChoices, action: str, request: Request) -> bool:
    """Set limits, segments and units to zero, negative or too large values."""
    if action == "Scan" and chance.one_in(2):
        request.pop("Segment", None)
        request.pop("TotalSegments", None)
        request |= chance.pick(
            [
                {"Segment": 1},
                {"TotalSegments": 2},
                {"Segment": 2, "TotalSegments": 2},
                {"Segment": -1, "TotalSegments": 2},
                {"Segment": 0, "TotalSegments": 0},
                {"Segment": 0, "TotalSegments": 1_000_001},
                {"Segment": 1_000_000, "TotalSegments": 1_000_000},
            ]
        )
        return True
    place = _pick(chance, _named(request, "Limit", "ReadCapacityUnits", "WriteCapacityUnits"))
    if place is None and action not in ("Query", "Scan", "ListTables"):
        return False
    holder, name = place or (request, "Limit")
    holder[name] = chance.pick([0, -1, 101, 2**31, 2**31 - 1])
    return True


def ask_at_odds(chance: SeededChoices, action: str, request: Request) -> bool:
    """Combine parameters that exclude each other."""
    options: list[Request] = [{"ExpressionAttributeNames": {}}, {"ExpressionAttributeValues": {}}]
    if action in ("Query", "Scan"):
        options += [
            {"Select": "SPECIFIC_ATTRIBUTES"},
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            {"Select": "ALL_ATTRIBUTES"},
            {"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "a"},
            {"Select": "COUNT", "ProjectionExpression": "a"},
            {"ConsistentRead": True},
            {"IndexName": "missing"},
            {"AttributesToGet": ["a"], "ProjectionExpression": "a"},
            {"KeyConditionExpression": "pk = :nothing"},
        ]
    if action in ("PutItem", "UpdateItem", "DeleteItem"):
        options += [
            {"Expected": {"a": {"Exists": False}}, "ConditionExpression": "attribute_exists(a)"},
            {"ReturnValues": "UPDATED_NEW"},
            {"ReturnValues": "ALL_OLD"},
        ]
    if action == "TransactWriteItems":
        options += [{"ClientRequestToken": ""}, {"ClientRequestToken": "x" * 37}, {"ClientRequestToken": "x" * 36}]
    if action in ("CreateTable", "UpdateTable"):
        options += [
            {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
            {"AttributeDefinitions": []},
            {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]},
            {"BillingMode": "PROVISIONED"},
            {"GlobalSecondaryIndexes": []},
            {"LocalSecondaryIndexes": []},
            {"GlobalSecondaryIndexUpdates": []},
            {"KeySchema": []},
        ]
    request |= copy.deepcopy(chance.pick(options))
    return True


def change_a_list(chance: SeededChoices, action: str, request: Request) -> bool:
    """Make a list empty, too long, or repeat an element."""
    found = [
        (holder, name)
        for holder, name in places(request)
        if isinstance(holder[name], list) and holder[name] and name not in KINDS
    ]
    place = _pick(chance, found)
    if place is None:
        return False
    holder, name = place
    match chance.below(3):
        case 0:
            holder[name] = []
        case 1:
            holder[name] = [*holder[name], copy.deepcopy(holder[name][0])]
        case _:
            holder[name] = _many(holder[name], chance.pick([6, 21, 26, 101]))
    return True


def _many(elements: list[Any], count: int) -> list[Any]:
    """Return this many copies with different strings."""
    many = []
    for number in range(count):
        each = copy.deepcopy(elements[number % len(elements)])
        for holder, name in list(places(each)):
            if name == "S" or (name == "IndexName" and isinstance(holder[name], str)):
                holder[name] = f"{holder[name]}{number}"
        many.append(each)
    return many


def rearrange_an_action(chance: SeededChoices, action: str, request: Request) -> bool:
    """Change an element of a batch or transaction so that it has no action, or two actions."""
    parts = [part for name in ("TransactItems", "GlobalSecondaryIndexUpdates") for part in request.get(name) or ()]
    if isinstance(request.get("RequestItems"), dict):
        parts += [part for of in request["RequestItems"].values() if isinstance(of, list) for part in of]
    if not parts:
        return False
    part = chance.pick(parts)
    if chance.one_in(2):
        part.clear()
        return True
    word, inner = next(iter(part.items()))
    other = {"Put": "Delete", "PutRequest": "DeleteRequest", "DeleteRequest": "PutRequest", "Get": "Put"}
    extra = {"TableName": inner.get("TableName", ""), "Key": inner.get("Key", {}), "Item": inner.get("Item", {})}
    part[other.get(word, "Put")] = {name: copy.deepcopy(value) for name, value in extra.items() if value}
    return True


def change_a_json_type(chance: SeededChoices, action: str, request: Request) -> bool:
    """Replace a parameter with a value of another JSON type."""
    place = _pick(chance, list(places(request)))
    if place is None:
        return False
    place[0][place[1]] = chance.pick([None, True, 7, 1.5, "text", [], {}, ["a"], {"a": "b"}])
    return True


MUTATIONS: tuple[Mutation, ...] = (
    drop_a_member,
    name_wrongly,
    break_a_key,
    break_a_key,
    break_a_value,
    break_a_value,
    break_a_value,
    name_an_attribute_oddly,
    leave_an_enumeration,
    leave_a_range,
    ask_at_odds,
    change_a_list,
    rearrange_an_action,
    *[expression_mutations.break_an_expression] * 5,
)


def mutate(chance: SeededChoices, action: str, request: Request, *, json_types: bool = False) -> Request:
    """Return the request with one mutation."""
    changed = copy.deepcopy(request)
    ways = (change_a_json_type,) if json_types else MUTATIONS
    for _ in range(TRIES):
        if chance.pick(ways)(chance, action, changed):
            break
    return changed
