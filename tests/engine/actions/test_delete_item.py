"""DeleteItem: the end of one item if its condition holds, and no error where there is none."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.actions.conditions import FAILS, HOLDS, KEY, OLD, conditional
from tests.engine.tables import (
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create_indexed,
    delete,
    get,
    item,
    put,
    refusals,
    refused,
    scan,
    texts,
    told_fields,
    values,
)


def test_an_item_is_gone_and_its_neighbours_stay(engine: Engine) -> None:
    for sort in ("0", "1", "2"):
        put(engine, texts(pk="a", sk=sort))
    assert delete(engine, KEY) == {}
    assert scan(engine)["Items"] == [texts(pk="a", sk="0"), texts(pk="a", sk="2")]


def test_an_item_that_was_never_there_is_no_error(engine: Engine) -> None:
    assert delete(engine, KEY) == {}
    assert delete(engine, KEY, ReturnValues="ALL_OLD") == {}


def test_an_item_leaves_every_index(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    put(empty_engine, {**KEY, **texts(gsiPk="g", lsiSk="l")})
    delete(empty_engine, KEY)
    assert scan(empty_engine, IndexName="gsi")["Items"] == []
    assert scan(empty_engine, IndexName="lsi")["Items"] == []


@pytest.mark.parametrize(("asked", "answer"), [(None, {}), ("NONE", {}), ("ALL_OLD", {"Attributes": OLD})])
def test_the_item_is_returned_when_asked_for(engine: Engine, asked: str | None, answer: Document) -> None:
    put(engine, OLD)
    assert delete(engine, KEY, ReturnValues=asked) == answer


@pytest.mark.parametrize("condition", HOLDS)
def test_an_item_is_deleted_when_its_condition_holds(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    delete(engine, KEY, **conditional(condition))
    assert get(engine, KEY) is None


@pytest.mark.parametrize("condition", FAILS)
def test_an_item_stays_when_its_condition_fails(engine: Engine, condition: str) -> None:
    put(engine, OLD)
    refusal = refused(engine, "DeleteItem", {"TableName": "table", "Key": KEY, **conditional(condition)})
    assert (refusal.code, refusal.message) == ("ConditionalCheckFailedException", "The conditional request failed")
    assert get(engine, KEY) == OLD


def test_a_condition_on_an_item_that_is_not_there_looks_at_nothing(engine: Engine) -> None:
    assert delete(engine, KEY, ConditionExpression="attribute_not_exists(pk)") == {}
    request = {"TableName": "table", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}
    assert refused(engine, "DeleteItem", request).code == "ConditionalCheckFailedException"


@pytest.mark.parametrize(("asked", "told"), [("ALL_OLD", {"Item": OLD}), ("NONE", {}), (None, {})])
def test_a_failed_condition_tells_the_item_when_asked(engine: Engine, asked: str | None, told: Document) -> None:
    put(engine, OLD)
    request = {
        "TableName": "table",
        "Key": KEY,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": asked,
    }
    assert told_fields(refused(engine, "DeleteItem", request)) == told


@pytest.mark.parametrize("asked", ["SIZE", "NONE", None])
def test_the_size_of_a_collection_is_told_for_tables_with_local_indexes(engine: Engine, asked: str | None) -> None:
    create_indexed(engine, "indexed")
    told = {"ItemCollectionKey": texts(pk="a"), "SizeEstimateRangeGB": [0.0, 1.0]} if asked == "SIZE" else None
    answer = delete(engine, KEY, "indexed", ReturnItemCollectionMetrics=asked)
    assert answer.get("ItemCollectionMetrics") == told
    assert delete(engine, KEY, ReturnItemCollectionMetrics=asked) == {}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("TOTAL", {"TableName": "hash", "CapacityUnits": 3.0}),
        ("INDEXES", {"TableName": "hash", "CapacityUnits": 3.0, "Table": {"CapacityUnits": 3.0}}),
        ("NONE", None),
        (None, None),
    ],
)
def test_capacity_is_that_of_the_item_that_was_there(engine: Engine, asked: str | None, told: Document | None) -> None:
    put(engine, texts(pk="a", v="x" * 3000), "hash")
    assert delete(engine, texts(pk="a"), "hash", ReturnConsumedCapacity=asked).get("ConsumedCapacity") == told


def test_deleting_nothing_consumes_one_unit(engine: Engine) -> None:
    answer = delete(engine, KEY, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "table", "CapacityUnits": 1.0}


def test_a_conflict_can_be_made_to_happen(engine: Engine) -> None:
    put(engine, OLD)
    engine.faults.conflicts_next = 1
    assert refused(engine, "DeleteItem", {"TableName": "table", "Key": KEY}).code == "TransactionConflictException"
    assert get(engine, KEY) == OLD


@refusals(
    Refused("a table that is not there", {"TableName": "missing"}, NOT_FOUND, "ResourceNotFoundException"),
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
        "several wrong parameters are told at once",
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
        "a condition before a table that is not there",
        {"TableName": "missing", "ConditionExpression": "n ="},
        'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
    ),
    Refused(
        "a key that is not the table's before a condition that fails",
        {"Key": texts(pk="a"), "ConditionExpression": "attribute_exists(pk)"},
        "The provided key element does not match the schema",
    ),
)
def test_a_delete_is_refused(engine: Engine, row: Refused) -> None:
    put(engine, OLD)
    assert_refused(engine, "DeleteItem", row, TableName="table", Key=KEY)
    assert get(engine, KEY) == OLD
