"""The byte interface of the engine: every request, valid or not, gets a response of DynamoDB."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.dispatch import ACTIONS
from singletable.engine.engine import Engine
from singletable.errors import StoreRefused
from tests.engine.backup_requests import REQUESTS, buckets, keep_some
from tests.engine.setting_requests import ALWAYS_REFUSED, SETTING_REQUESTS, SETTINGS
from tests.engine.table_requests import (
    Document,
    create,
    create_hash,
    create_indexed,
    definitions,
    index,
    item,
    put,
    texts,
    values,
)

TARGET = "DynamoDB_20120810."
DYNAMODB = "com.amazonaws.dynamodb.v20120810#"
SERVICE = "com.amazon.coral.service#"
VALIDATE = "com.amazon.coral.validate#"
KEY = texts(pk="a", sk="1")


def filled() -> Engine:
    """Return an engine with a table with both kinds of index, a table without indexes, some items and a backup."""
    engine = Engine(buckets=buckets())
    create_indexed(engine)
    create_hash(engine)
    put(engine, {**KEY, **item(gsiPk="g", lsiSk="l", n=1), "m": {"M": {"x": {"L": [{"N": "1"}]}}}})
    put(engine, {**texts(pk="a", sk="2"), "s": {"SS": ["a", "b"]}})
    put(engine, texts(pk="a"), "hash")
    keep_some(engine)
    return engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    with filled() as made:
        yield made


def answered(engine: Engine, action: str, request: Any) -> tuple[int, Document]:
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    answer = engine.answer(TARGET + action, body)
    document: Document = json.loads(answer.body)
    return answer.status, document


def test_answer_and_call_of_the_engine_return_the_same_result(engine: Engine) -> None:
    request = {"TableName": "table", "Key": KEY}
    assert answered(engine, "GetItem", request) == (200, engine.call("GetItem", request))


@pytest.mark.parametrize(
    ("action", "writes"),
    [("PutItem", True), ("BatchWriteItem", True), ("TransactWriteItems", True), ("GetItem", False), ("Query", False)],
)
def test_a_response_of_the_engine_says_whether_it_wrote(engine: Engine, action: str, writes: bool) -> None:
    answer = engine.answer(TARGET + action, json.dumps(VALID[action]).encode())
    assert (answer.status, answer.wrote) == (200, writes)
    error = engine.answer(TARGET + action, b"{}")
    assert (error.status, error.wrote) == (400, False)


TWICE = {"TransactItems": [{"Put": {"TableName": "hash", "Item": texts(pk="x")}}], "ClientRequestToken": "t"}


@pytest.mark.parametrize(
    ("action", "request_", "document"),
    [
        (
            "PutItem",
            {"TableName": "table", "Item": {}},
            {
                "__type": f"{VALIDATE}ValidationException",
                "message": "One or more parameter values were invalid: Missing the key pk in the item",
            },
        ),
        (
            "GetItem",
            {"TableName": "missing", "Key": KEY},
            {"__type": f"{DYNAMODB}ResourceNotFoundException", "message": "Requested resource not found"},
        ),
        (
            "CreateTable",
            {
                "TableName": "table",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": definitions(pk="S"),
                "BillingMode": "PAY_PER_REQUEST",
            },
            {"__type": f"{DYNAMODB}ResourceInUseException", "message": "Table already exists: table"},
        ),
        (
            "UpdateTable",
            {
                "TableName": "table",
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}, {"Delete": {"IndexName": "two"}}],
            },
            {
                "__type": f"{DYNAMODB}LimitExceededException",
                "message": "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
                "per table",
            },
        ),
        (
            "DeleteItem",
            {
                "TableName": "hash",
                "Key": texts(pk="a"),
                "ConditionExpression": "attribute_not_exists(pk)",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            },
            {
                "__type": f"{DYNAMODB}ConditionalCheckFailedException",
                "message": "The conditional request failed",
                "Item": texts(pk="a"),
            },
        ),
        (
            "TransactWriteItems",
            {
                "TransactItems": [
                    {
                        "ConditionCheck": {
                            "TableName": "hash",
                            "Key": texts(pk="x"),
                            "ConditionExpression": "attribute_exists(pk)",
                        }
                    }
                ]
            },
            {
                "__type": f"{DYNAMODB}TransactionCanceledException",
                "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons "
                "[ConditionalCheckFailed]",
                "CancellationReasons": [
                    {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
                ],
            },
        ),
        (
            "PutItem",
            {"TableName": 5, "Item": KEY},
            {"__type": f"{SERVICE}SerializationException", "Message": "NUMBER_VALUE cannot be converted to String"},
        ),
        (
            "PutItem",
            b'{"TableName": "table"',
            {"__type": f"{SERVICE}SerializationException"},
        ),
    ],
)
def test_an_error_of_the_engine_has_the_type_and_message_that_sdks_expect(
    engine: Engine, action: str, request_: Any, document: Document
) -> None:
    assert answered(engine, action, request_) == (400, document)


def test_the_engine_reports_a_reused_idempotency_token_with_its_own_error_type(engine: Engine) -> None:
    assert answered(engine, "TransactWriteItems", TWICE)[0] == 200
    other = {**TWICE, "TransactItems": [{"Delete": {"TableName": "hash", "Key": texts(pk="x")}}]}
    status, document = answered(engine, "TransactWriteItems", other)
    assert (status, document["__type"]) == (400, f"{DYNAMODB}IdempotentParameterMismatchException")


def test_the_engine_reports_a_transaction_conflict_with_its_own_error_type(engine: Engine) -> None:
    engine.faults.conflicts_next = 1
    status, document = answered(engine, "PutItem", VALID["PutItem"])
    assert (status, document["__type"]) == (400, f"{DYNAMODB}TransactionConflictException")


@pytest.mark.parametrize(
    "target",
    ["", "PutItem", TARGET, f"{TARGET}PutItems", f"{TARGET}putItem", "DynamoDB_20111205.PutItem", "\x00", "ä", "🦀"],
)
def test_a_target_that_is_not_in_dispatch_is_an_unknown_operation(engine: Engine, target: str) -> None:
    answer = engine.answer(target, json.dumps(VALID["PutItem"]).encode())
    assert (answer.status, json.loads(answer.body)) == (400, {"__type": f"{SERVICE}UnknownOperationException"})


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"5",
        b'"text"',
        b"{",
        b'{"TableName": "table"} trailing',
        b"\xff\xfe",
        b'{"TableName": "\xff"}',
        b'{"TableName": "\\ud800"}',
        b'{"TableName": NaN}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"Item": {"a": ' + b'{"L": [' * 5_000 + b"]}" * 5_000 + b"}}",
    ],
    ids=repr,
)
@pytest.mark.parametrize("action", ["PutItem", "CreateTable", "BatchGetItem"])
def test_the_engine_rejects_a_malformed_body(engine: Engine, action: str, body: bytes) -> None:
    answer = engine.answer(TARGET + action, body)
    assert answer.status == 400
    assert json.loads(answer.body)["__type"] in (
        f"{SERVICE}SerializationException",
        f"{VALIDATE}ValidationException",
    )


VALID: dict[str, Document] = {
    "CreateTable": {
        "TableName": "made",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "AttributeDefinitions": definitions(pk="S", sk="N", g="B"),
        "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [index("gsi", "g", "sk")],
        "LocalSecondaryIndexes": [index("lsi", "pk", "g")],
        "OnDemandThroughput": {"MaxReadRequestUnits": 5},
        "Tags": [{"Key": "k", "Value": "v"}],
        **SETTINGS,
    },
    "DescribeTable": {"TableName": "table"},
    "UpdateTable": {
        "TableName": "table",
        "AttributeDefinitions": definitions(n="N"),
        "GlobalSecondaryIndexUpdates": [{"Create": index("more", "n")}],
        "BillingMode": "PAY_PER_REQUEST",
    },
    "DeleteTable": {"TableName": "hash"},
    "ListTables": {"Limit": 5, "ExclusiveStartTableName": "abc"},
    "PutItem": {
        "TableName": "table",
        "Item": {**KEY, **item(gsiPk="h", n=2, b=b"b"), "l": {"L": [{"NULL": True}, {"M": {"x": {"BOOL": True}}}]}},
        "ConditionExpression": "n = :n OR attribute_not_exists(#m.x[0])",
        "ExpressionAttributeNames": {"#m": "m"},
        "ExpressionAttributeValues": values(n=1),
        "ReturnValues": "ALL_OLD",
        "ReturnConsumedCapacity": "INDEXES",
        "ReturnItemCollectionMetrics": "SIZE",
    },
    "GetItem": {"TableName": "table", "Key": KEY, "ProjectionExpression": "n, m.x[0]", "ConsistentRead": True},
    "UpdateItem": {
        "TableName": "table",
        "Key": KEY,
        "UpdateExpression": "SET n = if_not_exists(n, :n) + :n, m.x[1] = :n REMOVE lsiSk ADD s :s",
        "ExpressionAttributeValues": {":n": {"N": "1"}, ":s": {"SS": ["c"]}},
        "ReturnValues": "UPDATED_NEW",
    },
    "DeleteItem": {
        "TableName": "table",
        "Key": KEY,
        "ConditionExpression": "size(m) < :n AND NOT contains(n, :n)",
        "ExpressionAttributeValues": values(n=5),
    },
    "Query": {
        "TableName": "table",
        "KeyConditionExpression": "pk = :p AND begins_with(sk, :s)",
        "FilterExpression": "n BETWEEN :n AND :n OR n IN (:n)",
        "ProjectionExpression": "sk, n",
        "ExpressionAttributeValues": values(p="a", s="1", n=1),
        "Limit": 5,
        "ScanIndexForward": False,
        "ReturnConsumedCapacity": "TOTAL",
    },
    "Scan": {
        "TableName": "table",
        "IndexName": "lsi",
        "FilterExpression": "n = :n",
        "ExpressionAttributeValues": values(n=1),
        "ExclusiveStartKey": texts(pk="a", sk="0", lsiSk="l"),
        "Segment": 0,
        "TotalSegments": 1,
        "Select": "ALL_ATTRIBUTES",
    },
    "BatchGetItem": {
        "RequestItems": {
            "table": {"Keys": [KEY, texts(pk="b", sk="1")], "ProjectionExpression": "n"},
            "hash": {"Keys": [texts(pk="a")]},
        }
    },
    "BatchWriteItem": {
        "RequestItems": {
            "table": [{"PutRequest": {"Item": texts(pk="b", sk="1")}}, {"DeleteRequest": {"Key": KEY}}],
            "hash": [{"DeleteRequest": {"Key": texts(pk="a")}}],
        }
    },
    "ExecuteStatement": {"Statement": 'SELECT * FROM "table" WHERE pk = ?', "Parameters": [{"S": "a"}]},
    "BatchExecuteStatement": {
        "Statements": [
            {"Statement": """SELECT n FROM "table" WHERE pk = 'a' AND sk = '1'"""},
            {"Statement": 'SELECT * FROM "hash" WHERE pk = ?', "Parameters": [{"S": "a"}]},
        ]
    },
    "ExecuteTransaction": {
        "TransactStatements": [
            {"Statement": """INSERT INTO "hash" VALUE {'pk': 'b'}"""},
            {"Statement": """UPDATE "table" SET n = n + 1 WHERE pk = 'a' AND sk = '1'"""},
            {"Statement": """EXISTS(SELECT * FROM "hash" WHERE pk = 'a' AND n IS MISSING)"""},
        ]
    },
    "UpdateTimeToLive": {
        "TableName": "table",
        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
    },
    "DescribeTimeToLive": {"TableName": "table"},
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "table", "Key": KEY, "ProjectionExpression": "m"}}]},
    "TransactWriteItems": {
        "ClientRequestToken": "token",
        "TransactItems": [
            {"Put": {"TableName": "hash", "Item": texts(pk="b")}},
            {"Delete": {"TableName": "hash", "Key": texts(pk="a"), "ConditionExpression": "attribute_exists(pk)"}},
            {"ConditionCheck": {"TableName": "table", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}},
            {
                "Update": {
                    "TableName": "table",
                    "Key": texts(pk="b", sk="1"),
                    "UpdateExpression": "SET gsiPk = :g",
                    "ExpressionAttributeValues": values(g="g"),
                }
            },
        ],
    },
    **REQUESTS,
}


VALID |= SETTING_REQUESTS


def test_every_action_of_the_engine_has_a_valid_example_request() -> None:
    targets = {target for target in ACTIONS if not target.startswith("DynamoDBStreams_")}
    assert {f"{TARGET}{action}" for action in VALID} == targets - ALWAYS_REFUSED
    for action, request in VALID.items():
        with filled() as engine:
            engine.call(action, request)


@given(st.text(), st.binary())
def test_the_engine_rejects_arbitrary_targets(target: str, body: bytes) -> None:
    with Engine() as engine:
        assert engine.answer(target, body).status == 400


def test_an_engine_can_be_closed_twice() -> None:
    engine = Engine()
    create(engine)
    engine.close()
    engine.close()


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs /dev/fd")
def test_an_engine_that_cannot_open_a_damaged_store_closes_its_files(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        create(engine)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE catalog SET definition = '{'")
    gc.collect()
    before = len(list(Path("/dev/fd").iterdir()))
    gc.disable()  # the garbage collector would also close them, but later
    try:
        with pytest.raises(StoreRefused):
            Engine(f"file:{path}")
        assert len(list(Path("/dev/fd").iterdir())) == before
    finally:
        gc.enable()
