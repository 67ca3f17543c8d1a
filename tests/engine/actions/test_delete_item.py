"""DeleteItem: deletes an item if its condition holds. A missing item is not an error."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.conditions import FAILS, HOLDS, KEY, OLD, conditional
from tests.engine.table_requests import (
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create_indexed,
    delete,
    error_fields,
    get,
    item,
    put,
    refusals,
    refused,
    scan,
    texts,
    values,
)


def test_delete_item_deletes_only_the_named_item(engine: Engine) -> None:
    for sort in ("0", "1", "2"):
        put(engine, texts(pk="a", sk=sort))
    assert delete(engine, KEY) == {}
    assert scan(engine)["Items"] == [texts(pk="a", sk="0"), texts(pk="a", sk="2")]


def test_delete_item_may_delete_a_missing_item(engine: Engine) -> None:
    assert delete(engine, KEY) == {}
    assert delete(engine, KEY, ReturnValues="ALL_OLD") == {}


def test_delete_item_removes_the_item_from_every_index(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    put(empty_engine, {**KEY, **texts(gsiPk="g", lsiSk="l")})
    delete(empty_engine, KEY)
    assert scan(empty_engine, IndexName="gsi")["Items"] == []
    assert scan(empty_engine, IndexName="lsi")["Items"] == []


@pytest.mark.parametrize(("requested", "answer"), [(None, {}), ("NONE", {}), ("ALL_OLD", {"Attributes": OLD})])
def test_delete_item_returns_the_old_item_on_request(engine: Engine, requested: str | None, answer: Document) -> None:
    put(engine, OLD)
    assert delete(engine, KEY, ReturnValues=requested) == answer


@pytest.mark.parametrize("condition", HOLDS)
def test_delete_item_deletes_an_item_if_the_condition_holds(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    delete(engine, KEY, **conditional(condition))
    assert get(engine, KEY) is None


@pytest.mark.parametrize("condition", FAILS)
def test_delete_item_changes_nothing_if_the_condition_fails(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    refusal = refused(engine, "DeleteItem", {"TableName": "table", "Key": KEY, **conditional(condition)})
    assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
    assert get(engine, KEY) == OLD


def test_delete_item_tests_the_condition_on_a_missing_item_without_attributes(engine: Engine) -> None:
    assert delete(engine, KEY, ConditionExpression="attribute_not_exists(pk)") == {}
    request = {"TableName": "table", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
    assert refused(engine, "DeleteItem", request).code == "ConditionalCheckFailedException"


@pytest.mark.parametrize(("requested", "expected"), [("ALL_OLD", {"Item": OLD}), ("NONE", {}), (None, {})])
def test_delete_item_returns_the_item_of_a_failed_condition_on_request(
    engine: Engine, requested: str | None, expected: Document
) -> None:
    put(engine, OLD)
    request = {
        "TableName": "table",
        "Key": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": requested,
    }
    assert error_fields(refused(engine, "DeleteItem", request)) == expected


@pytest.mark.parametrize("requested", ["SIZE", "NONE", None])
def test_delete_item_returns_item_collection_metrics_for_tables_with_local_indexes(
    engine: Engine, requested: str | None
) -> None:
    create_indexed(engine, "indexed")
    expected = {"ItemCollectionKey": texts(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]} if requested == "SIZE" else None
    answer = delete(engine, KEY, "indexed", ReturnItemCollectionMetrics=requested)
    assert answer.get("ItemCollectionMetrics") == expected
    assert delete(engine, KEY, ReturnItemCollectionMetrics=requested) == {}


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("TOTAL", {"TableName": "hash", "CapacityUnits": 3.0}),
        ("INDEXES", {"TableName": "hash", "CapacityUnits": 3.0, "Table": {"CapacityUnits": 3.0}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_delete_item_consumes_capacity_by_the_size_of_the_deleted_item(
    engine: Engine, requested: str | None, expected: Document | None
) -> None:
    put(engine, texts(pk="a", v="x" * 3000), "hash")
    assert delete(engine, texts(pk="a"), "hash", ReturnConsumedCapacity=requested).get("ConsumedCapacity") == expected


def test_delete_item_consumes_one_unit_for_a_missing_item(engine: Engine) -> None:
    answer = delete(engine, KEY, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "table", "CapacityUnits": 1.0}


def test_delete_item_returns_a_simulated_transaction_conflict(engine: Engine) -> None:
    put(engine, OLD)
    engine.faults.conflicts_next = 1
    assert refused(engine, "DeleteItem", {"TableName": "table", "Key": KEY}).code == "TransactionConflictException"
    assert get(engine, KEY) == OLD


@refusals(
    Refused("a missing table", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
    Refused("a part of the key", {"Key": texts(pk="a")}, "The provided key element does not match the schema"),
    Refused("too many attributes", {"Key": OLD}, "The provided key element does not match the schema"),
    Refused("another type", {"Key": item(pk="a", sk=1)}, "The provided key element does not match the schema"),
    Refused(
        "an empty key",
        {"Key": texts(pk="", sk="1")},
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk",
    ),
    Refused("new values", {"ReturnValues": "UPDATED_NEW"}, "ReturnValues can only be ALL_OLD or NONE"),
    Refused(
        "several wrong parameters are reported together",
        {"ReturnConsumedCapacity": "X", "ReturnValues": "Y"},
        "2 validation errors detected: Value 'X' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
        "satisfy enum value set: [INDEXES, TOTAL, NONE]; Value 'Y' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
    ),
    Refused(
        "a nameless table, alone",
        {"TableName": "", "Key": {}},
        "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length "
        "greater than or equal to 1",
    ),
    Refused(
        "values without an expression",
        {"ExpressionAttributeValues": values(v="v")},
        "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
    ),
    Refused(
        "an undefined value",
        {"ConditionExpression": "n = :n"},
        "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute "
        "value: :n",
    ),
    Refused(
        "a condition before a missing table",
        {"TableName": "missing", "ConditionExpression": "n ="},
        'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
    ),
    Refused(
        "a key that does not match the table before a condition that fails",
        {"Key": texts(pk="a"), "ConditionExpression": "attribute_exists(pk)"},
        "The provided key element does not match the schema",
    ),
)
def test_delete_item_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    put(engine, OLD)
    assert_refused(engine, "DeleteItem", row, TableName="table", Key=KEY)
    assert get(engine, KEY) == OLD
