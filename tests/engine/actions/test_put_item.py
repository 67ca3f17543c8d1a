"""PutItem: stores an item under its key if its condition holds."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.conditions import FAILS, HOLDS, KEY, OLD, conditional
from tests.engine.table_requests import (
    INVALID,
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create,
    create_hash,
    create_indexed,
    definitions,
    error_fields,
    get,
    index,
    item,
    key_schema,
    put,
    refusals,
    refused,
    scan,
    texts,
    values,
)

EMPTY = "One or more parameter values are not valid. "

ALL_TYPES: Document = {
    "s": {"S": "text"},
    "n": {"N": "-12.5"},
    "b": {"B": b64encode(b"\x00\xff").decode()},
    "yes": {"BOOL": True},
    "no": {"BOOL": False},
    "nothing": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["AA==", "AQ=="]},
    "l": {"L": [{"S": "a"}, {"N": "1"}, {"BOOL": False}, {"NULL": True}, {"L": []}, {"M": {}}]},
    "m": {"M": {"one": {"M": {"two": {"L": [{"M": {"three": {"S": "deep"}}}]}}}}},
    "empty text": {"S": ""},
    "empty binary": {"B": ""},
    "texts in a list": {"L": [{"S": ""}, {"S": "b"}]},
}


def test_put_item_stores_every_type_unchanged(engine: Engine) -> None:
    assert put(engine, {**KEY, **ALL_TYPES}) == {}
    assert get(engine, KEY) == {**KEY, **ALL_TYPES}


@pytest.mark.parametrize(
    ("given", "stored_number"),
    [
        ("007", "7"),
        ("1.50", "1.5"),
        ("-0", "0"),
        ("1E2", "100"),
        ("1e-2", "0.01"),
        ("9" * 38, "9" * 38),
        ("9.9999999999999999999999999999999999999E+125", "9" * 38 + "0" * 88),
        ("-9.9999999999999999999999999999999999999E+125", "-" + "9" * 38 + "0" * 88),
    ],
)
def test_put_item_stores_numbers_in_plain_notation(engine: Engine, given: str, stored_number: str) -> None:
    put(engine, {**KEY, "n": {"N": given}, "set": {"NS": [given, "12"]}})
    stored = get(engine, KEY)
    assert stored is not None
    assert stored["n"] == {"N": stored_number}
    assert sorted(stored["set"]["NS"]) == sorted([stored_number, "12"])


def test_put_item_replaces_the_whole_item(engine: Engine) -> None:
    put(engine, {**KEY, **texts(old="o", both="1")})
    put(engine, {**KEY, **texts(both="2")})
    assert get(engine, KEY) == {**KEY, **texts(both="2")}
    assert len(scan(engine)["Items"]) == 1


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("S", [{"S": "a"}, {"S": "A"}, {"S": "ä"}, {"S": " "}, {"S": "\x00"}, {"S": "x" * 2048}]),
        ("N", [{"N": "0"}, {"N": "-1.5"}, {"N": "1.5"}, {"N": "1E100"}, {"N": "1E-100"}]),
        ("B", [{"B": "AA=="}, {"B": "AAA="}, {"B": "/w=="}, {"B": b64encode(b"x" * 2048).decode()}]),
    ],
)
def test_put_item_distinguishes_keys_of_different_types(engine: Engine, kind: str, keys: list[Document]) -> None:
    create_hash(engine, "keys", kind)
    for number, key in enumerate(keys):
        put(engine, {"pk": key, "n": {"N": str(number)}}, "keys")
    for number, key in enumerate(keys):
        stored = get(engine, {"pk": key}, "keys")
        assert stored is not None
        assert stored["n"] == {"N": str(number)}


def test_put_item_stores_one_number_in_two_notations_as_one_key(engine: Engine) -> None:
    create_hash(engine, "numbers", "N")
    put(engine, {"pk": {"N": "1.0"}}, "numbers")
    put(engine, {"pk": {"N": "1E0"}}, "numbers")
    assert scan(engine, "numbers")["Items"] == [{"pk": {"N": "1"}}]


@pytest.mark.parametrize(
    ("requested", "answer"),
    [(None, {}), ("NONE", {}), ("ALL_OLD", {"Attributes": {**KEY, **texts(v="old")}})],
)
def test_put_item_returns_the_replaced_item_on_request(engine: Engine, requested: str | None, answer: Document) -> None:
    assert put(engine, {**KEY, **texts(v="old")}, ReturnValues=requested) == {}
    assert put(engine, {**KEY, **texts(v="new")}, ReturnValues=requested) == answer


@pytest.mark.parametrize("condition", HOLDS)
def test_put_item_stores_an_item_if_the_condition_holds(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    put(engine, {**KEY, **texts(v="new")}, **conditional(condition))
    assert get(engine, KEY) == {**KEY, **texts(v="new")}


@pytest.mark.parametrize("condition", FAILS)
def test_put_item_changes_nothing_if_a_condition_fails(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    request = {"TableName": "table", "Item": {**KEY, **texts(v="new")}, **conditional(condition)}
    refusal = refused(engine, "PutItem", request)
    assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
    assert refusal.fields == {}
    assert get(engine, KEY) == OLD


def test_put_item_tests_the_condition_on_a_missing_item_without_attributes(engine: Engine) -> None:
    put(engine, KEY, ConditionExpression="attribute_not_exists(pk)")
    assert get(engine, KEY) == KEY
    request = {"TableName": "table", "Item": texts(pk="b", sk="1"), "ConditionExpression": "attribute_exists(pk)"}
    assert refused(engine, "PutItem", request).code == "ConditionalCheckFailedException"
    assert get(engine, texts(pk="b", sk="1")) is None


@pytest.mark.parametrize(("requested", "returns_item"), [("ALL_OLD", True), ("NONE", False), (None, False)])
def test_put_item_returns_the_item_of_a_failed_condition_on_request(
    engine: Engine, requested: str | None, returns_item: bool
) -> None:
    put(engine, OLD)
    request = {
        "TableName": "table",
        "Item": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": requested,
    }
    refusal = refused(engine, "PutItem", request)
    assert error_fields(refusal) == ({"Item": OLD} if returns_item else {})


def test_put_item_returns_no_item_if_a_condition_on_a_missing_item_fails(engine: Engine) -> None:
    request = {
        "TableName": "table",
        "Item": KEY,
        "ConditionExpression": "attribute_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert refused(engine, "PutItem", request).fields == {}


@pytest.mark.parametrize(
    ("attributes", "fits"),
    [
        ({"v": {"S": "x" * (409_600 - 7)}}, True),
        ({"v": {"S": "x" * (409_600 - 6)}}, False),
        ({"v": {"S": "ä" * ((409_600 - 7) // 2)}}, True),
        ({"v": {"S": "ä" * ((409_600 - 7) // 2 + 1)}}, False),
        ({"v": {"B": b64encode(b"x" * (409_600 - 7)).decode()}}, True),
        ({"v": {"B": b64encode(b"x" * (409_600 - 6)).decode()}}, False),
        ({"name" * 50 + str(n): {"S": "x" * 3900} for n in range(100)}, False),
        ({"m": {"M": {"in": {"M": {"in": {"S": "x" * 409_600}}}}}}, False),
        ({"l": {"L": [{"S": "x" * 4200} for _ in range(100)]}}, False),
        ({"ss": {"SS": ["x" * 4200 + str(n) for n in range(100)]}}, False),
    ],
)
def test_put_item_accepts_at_most_400_kb(engine: Engine, attributes: Document, fits: bool) -> None:
    request = {"TableName": "table", "Item": {**KEY, **attributes}}
    if fits:
        engine.call("PutItem", request)
        assert get(engine, KEY) == request["Item"]
    else:
        assert refused(engine, "PutItem", request).message == "Item size has exceeded the maximum allowed size"
        assert get(engine, KEY) is None


def test_put_item_counts_entries_of_local_indexes_towards_the_400_kb(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    large = "x" * 204_800
    put(empty_engine, {**KEY, **texts(gsiPk="g", v=large)})
    request = {"TableName": "table", "Item": {**KEY, **texts(lsiSk="l", v=large)}}
    assert refused(empty_engine, "PutItem", request).message == "Item size has exceeded the maximum allowed size"


@refusals(
    Refused("a missing table", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
    Refused(
        "a table name that is too short",
        {"TableName": "ab"},
        "Invalid table/index name.  Table/index names must be between 3 and 255 characters long, and may contain only "
        "the characters a-z, A-Z, 0-9, '_', '-', and '.'",
    ),
    Refused(
        "no table",
        {"TableName": None},
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
    ),
    Refused(
        "a nameless table",
        {"TableName": ""},
        "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length "
        "greater than or equal to 1",
    ),
    Refused(
        "several wrong parameters are reported together",
        {"ReturnConsumedCapacity": "X", "ReturnItemCollectionMetrics": "Y", "ReturnValues": "Z"},
        "3 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
        "satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'Z' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value 'Y' at "
        "'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
    ),
    Refused("new values", {"ReturnValues": "ALL_NEW"}, "ReturnValues can only be ALL_OLD or NONE"),
    Refused(
        "values of a wrong item before return values",
        {"Item": {**KEY, "v": {"SS": []}}, "ReturnValues": "ALL_NEW"},
        f"{INVALID}An string set  may not be empty",
    ),
    Refused("no partition key", {"Item": texts(sk="1")}, f"{INVALID}Missing the key pk in the item"),
    Refused("no sort key", {"Item": texts(pk="a")}, f"{INVALID}Missing the key sk in the item"),
    Refused(
        "a key of another type",
        {"Item": item(pk=1, sk="1")},
        f"{INVALID}Type mismatch for key pk expected: S actual: N",
    ),
    Refused(
        "an empty partition key",
        {"Item": texts(pk="", sk="1")},
        f"{EMPTY}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
    ),
    Refused(
        "an empty sort key",
        {"Item": texts(pk="a", sk="")},
        f"{EMPTY}The AttributeValue for a key attribute cannot contain an empty string value. Key: sk",
    ),
    Refused(
        "a long partition key",
        {"Item": texts(pk="x" * 2049, sk="1")},
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
    Refused(
        "a long sort key",
        {"Item": texts(pk="a", sk="x" * 1025)},
        f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    ),
    Refused("an empty set of numbers", {"Item": {**KEY, "v": {"NS": []}}}, f"{INVALID}An number set  may not be empty"),
    Refused(
        "an empty set of binaries", {"Item": {**KEY, "v": {"BS": []}}}, f"{INVALID}Binary sets should not be empty"
    ),
    Refused(
        "an empty set in a list",
        {"Item": {**KEY, "v": {"L": [{"SS": []}]}}},
        f"{INVALID}An string set  may not be empty",
    ),
    Refused(
        "one member twice",
        {"Item": {**KEY, "v": {"SS": ["a", "a"]}}},
        f"{INVALID}Input collection [a, a] contains duplicates.",
    ),
    Refused(
        "a null that is false",
        {"Item": {**KEY, "v": {"NULL": False}}},
        f"{INVALID}Null attribute value types must have the value of true",
    ),
    Refused(
        "values without an expression",
        {"ExpressionAttributeValues": values(v="v")},
        "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
    ),
    Refused(
        "names without an expression",
        {"ExpressionAttributeNames": {"#n": "n"}},
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    Refused(
        "an unused value",
        {"ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": values(v="v")},
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
    ),
    Refused(
        "a reserved word",
        {"ConditionExpression": "status = :v", "ExpressionAttributeValues": values(v="v")},
        "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: status",
    ),
    Refused(
        "an empty condition",
        {"ConditionExpression": ""},
        "Invalid ConditionExpression: The expression can not be empty;",
    ),
    Refused(
        "a condition before a missing table",
        {"TableName": "missing", "ConditionExpression": ""},
        "Invalid ConditionExpression: The expression can not be empty;",
    ),
    Refused(
        "a missing table before a key that is not its own",
        {"TableName": "missing", "Item": {}},
        NOT_FOUND,
        "ResourceNotFoundException",
    ),
    Refused(
        "an item that is too large before a missing table",
        {"TableName": "missing", "Item": {**KEY, **texts(v="x" * 409_600)}},
        "Item size has exceeded the maximum allowed size",
    ),
)
def test_put_item_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "PutItem", row, TableName="table", Item=KEY)
    assert scan(engine)["Items"] == []


def wrong(**attributes: Any) -> Document:
    return {"TableName": "indexed", "Item": {**KEY, **attributes}}


@refusals(
    Refused(
        "a number",
        wrong(g={"N": "1"}),
        f"{INVALID}Type mismatch for Index Key g Expected: S Actual: N IndexName: a-local",
    ),
    Refused(
        "a list",
        wrong(h={"L": []}),
        f"{INVALID}Type mismatch for Index Key h Expected: N Actual: L IndexName: m-global",
    ),
    Refused(
        "the index whose name comes first is reported",
        wrong(h={"S": "x"}, g={"BOOL": True}),
        f"{INVALID}Type mismatch for Index Key g Expected: S Actual: BOOL IndexName: a-local",
    ),
    Refused(
        "an attribute after a missing one",
        wrong(h={"NULL": True}),
        f"{INVALID}Type mismatch for Index Key h Expected: N Actual: NULL IndexName: m-global",
    ),
    Refused(
        "an empty string",
        wrong(g={"S": ""}),
        f"{EMPTY}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute "
        "cannot contain an empty string value. IndexName: a-local, IndexKey: g",
    ),
)
def test_put_item_rejects_a_value_that_is_invalid_for_an_index_key(engine: Engine, row: Refused) -> None:
    create(
        engine,
        "indexed",
        AttributeDefinitions=definitions(pk="S", sk="S", g="S", h="N"),
        GlobalSecondaryIndexes=[index("z-global", "g"), index("m-global", "g", "h")],
        LocalSecondaryIndexes=[index("a-local", "pk", "g")],
    )
    assert_refused(engine, "PutItem", row)
    assert scan(engine, "indexed")["Items"] == []


def test_put_item_adds_an_item_to_an_index_only_with_all_its_key_attributes(engine: Engine) -> None:
    create(
        engine,
        "indexed",
        AttributeDefinitions=definitions(pk="S", sk="S", g="S", h="N"),
        GlobalSecondaryIndexes=[index("gsi", "g", "h")],
    )
    for number, attributes in enumerate((item(), item(g="g"), item(h=1), item(g="g", h=1))):
        put(engine, {**texts(pk="a", sk=str(number)), **attributes}, "indexed")
    assert scan(engine, "indexed", IndexName="gsi")["Items"] == [item(pk="a", sk="3", g="g", h=1)]


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("SIZE", {"ItemCollectionKey": texts(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]}),
        ("NONE", None),
        (None, None),
    ],
)
def test_put_item_returns_item_collection_metrics_for_tables_with_local_indexes(
    engine: Engine, requested: str | None, expected: Document | None
) -> None:
    create_indexed(engine, "indexed")
    assert put(engine, KEY, "indexed", ReturnItemCollectionMetrics=requested).get("ItemCollectionMetrics") == expected
    assert "ItemCollectionMetrics" not in put(engine, KEY, ReturnItemCollectionMetrics=requested)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", {"TableName": "hash", "CapacityUnits": 2.0}),
        ("INDEXES", {"TableName": "hash", "CapacityUnits": 2.0, "Table": {"CapacityUnits": 2.0}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_put_item_returns_consumed_capacity_on_request(
    engine: Engine, requested: str | None, expected: Document | None
) -> None:
    answer = put(engine, texts(pk="a", v="x" * 1500), "hash", ReturnConsumedCapacity=requested)
    assert answer.get("ConsumedCapacity") == expected


def test_put_item_returns_a_simulated_transaction_conflict(engine: Engine) -> None:
    engine.faults.conflicts_next = 1
    refusal = refused(engine, "PutItem", {"TableName": "table", "Item": KEY})
    assert (refusal.code, refusal.message) == ("TransactionConflictException", "Transaction is ongoing for the item")
    assert get(engine, KEY) is None
    put(engine, KEY)


def test_put_item_stores_one_item_per_partition_in_a_table_without_sort_key(engine: Engine) -> None:
    create(engine, "hashes", KeySchema=key_schema("pk"), AttributeDefinitions=definitions(pk="S"))
    put(engine, texts(pk="a", sk="1"), "hashes")
    put(engine, texts(pk="a", sk="2"), "hashes")
    assert scan(engine, "hashes")["Items"] == [texts(pk="a", sk="2")]
