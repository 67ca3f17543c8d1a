"""Limits and endpoints, and actions that the engine does not support."""

from __future__ import annotations

import pytest

from singletable.engine.dispatch import ACTIONS, UNSUPPORTED_ACTIONS
from singletable.engine.engine import Engine
from tests.engine.table_requests import INVALID, Document, create, definitions, key_schema, refused


def test_describe_limits_returns_the_limits_of_a_new_account(engine: Engine) -> None:
    assert engine.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }


def test_describe_endpoints_returns_the_endpoint_of_the_engine() -> None:
    with Engine(endpoint="127.0.0.1:8000") as engine:
        (endpoint,) = engine.call("DescribeEndpoints", {})["Endpoints"]
    assert endpoint == {"Address": "127.0.0.1:8000", "CachePeriodInMinutes": 1440}
    with Engine(region="eu-west-1") as engine:
        assert engine.call("DescribeEndpoints", {})["Endpoints"][0]["Address"] == "dynamodb.eu-west-1.amazonaws.com"


def test_describe_kinesis_streaming_destination_and_list_global_tables_return_nothing(engine: Engine) -> None:
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
def test_describe_actions_of_global_tables_and_kinesis_do_not_find_a_missing_table(
    engine: Engine, action: str, request_: Document, code: str, words: str
) -> None:
    refusal = refused(engine, action, request_)
    assert (refusal.code, refusal.message) == (code, words)


@pytest.mark.parametrize("action", ["SearchVectors", "EnableKinesisStreamingDestination", "CreateGlobalTable"])
def test_an_unsupported_action_is_rejected_with_the_reason(engine: Engine, action: str) -> None:
    refusal = refused(engine, action, {"TableName": "table", "TopK": 5})
    assert refusal.code == "ValidationException"
    assert refusal.message.startswith(f"{action} is not supported by this engine: ")


def test_every_unsupported_action_has_a_reason() -> None:
    assert all(f"DynamoDB_20120810.{action}" in ACTIONS for action in UNSUPPORTED_ACTIONS)


def test_create_table_and_update_table_reject_vector_indexes(engine: Engine) -> None:
    request = {
        "TableName": "vectors",
        "KeySchema": key_schema("pk"),
        "AttributeDefinitions": definitions(pk="S"),
        "BillingMode": "PAY_PER_REQUEST",
        "VectorIndexes": [{"IndexName": "near"}],
    }
    words = "not supported by this engine: it has no vector indexes"
    assert refused(engine, "CreateTable", request).message == f"{INVALID}VectorIndexes is {words}"
    change = {"TableName": "table", "VectorIndexUpdates": [{"Create": {"IndexName": "near"}}]}
    assert refused(engine, "UpdateTable", change).message == f"{INVALID}VectorIndexUpdates is {words}"
    create(engine, "plain", VectorIndexes=[])
