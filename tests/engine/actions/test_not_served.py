"""What surrounds the tables: limits and endpoints, and what is told of replicas and streams that there are none of."""

from __future__ import annotations

import pytest

from singletable.engine.dispatch import ACTIONS, NOT_SERVED
from singletable.engine.engine import Engine
from tests.engine.tables import INVALID, Document, create, definitions, key_schema, refused


def test_limits_are_those_of_a_new_account(engine: Engine) -> None:
    assert engine.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }


def test_the_endpoint_is_the_one_that_the_engine_was_told() -> None:
    with Engine(endpoint="127.0.0.1:8000") as engine:
        (endpoint,) = engine.call("DescribeEndpoints", {})["Endpoints"]
    assert endpoint == {"Address": "127.0.0.1:8000", "CachePeriodInMinutes": 1440}
    with Engine(region="eu-west-1") as engine:
        assert engine.call("DescribeEndpoints", {})["Endpoints"][0]["Address"] == "dynamodb.eu-west-1.amazonaws.com"


def test_there_are_no_destinations_and_no_global_tables(engine: Engine) -> None:
    assert engine.call("DescribeKinesisStreamingDestination", {"TableName": "table"}) == {
        "TableName": "table",
        "KinesisDataStreamDestinations": [],
    }
    assert engine.call("ListGlobalTables", {"Limit": 10}) == {"GlobalTables": []}


@pytest.mark.parametrize(
    ("action", "request_", "code", "words"),
    [
        (
            "DescribeKinesisStreamingDestination",
            {"TableName": "missing"},
            "ResourceNotFoundException",
            "Requested resource not found: Table: missing not found",
        ),
        (
            "DescribeTableReplicaAutoScaling",
            {"TableName": "table"},
            "ResourceNotFoundException",
            "Global table with name: 'table' does not exist.",
        ),
        (
            "DescribeGlobalTable",
            {"GlobalTableName": "table"},
            "GlobalTableNotFoundException",
            "Global table with name: 'table' does not exist.",
        ),
        (
            "DescribeGlobalTableSettings",
            {"GlobalTableName": "table"},
            "GlobalTableNotFoundException",
            "Global table with name: 'table' does not exist.",
        ),
    ],
)
def test_what_is_not_there_is_not_found(engine: Engine, action: str, request_: Document, code: str, words: str) -> None:
    refusal = refused(engine, action, request_)
    assert (refusal.code, refusal.message) == (code, words)


@pytest.mark.parametrize("action", ["SearchVectors", "EnableKinesisStreamingDestination", "CreateGlobalTable"])
def test_what_is_not_served_is_refused_with_the_reason(engine: Engine, action: str) -> None:
    refusal = refused(engine, action, {"TableName": "table", "TopK": 5})
    assert refusal.code == "ValidationException"
    assert refusal.message.startswith(f"{action} is not served by this engine: ")


def test_every_action_that_is_not_served_has_a_reason_of_its_own_kind() -> None:
    assert all(f"DynamoDB_20120810.{action}" in ACTIONS for action in NOT_SERVED)


def test_vector_indexes_are_refused_for_new_tables_and_for_those_there_are(engine: Engine) -> None:
    request = {
        "TableName": "vectors",
        "KeySchema": key_schema("pk"),
        "AttributeDefinitions": definitions(pk="S"),
        "BillingMode": "PAY_PER_REQUEST",
        "VectorIndexes": [{"IndexName": "near"}],
    }
    words = "not served by this engine: it has no vector indexes"
    assert refused(engine, "CreateTable", request).message == f"{INVALID}VectorIndexes is {words}"
    change = {"TableName": "table", "VectorIndexUpdates": [{"Create": {"IndexName": "near"}}]}
    assert refused(engine, "UpdateTable", change).message == f"{INVALID}VectorIndexUpdates is {words}"
    create(engine, "plain", VectorIndexes=[])
