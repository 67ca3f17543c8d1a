"""DeleteTable: deletes a table with its items, unless it is protected."""

from __future__ import annotations

import pytest

from singletable.engine.engine import Engine
from tests.engine.table_requests import (
    NOT_FOUND,
    Document,
    Refused,
    assert_refused,
    create,
    create_indexed,
    put,
    refusals,
    refused,
    scan,
    texts,
)


def test_delete_table_responds_with_deleting_and_the_table_is_deleted(engine: Engine) -> None:
    answer = engine.call("DeleteTable", {"TableName": "table"})
    assert answer["TableDescription"]["TableName"] == "table"
    assert answer["TableDescription"]["TableStatus"] == "DELETING"
    assert set(answer["TableDescription"]) & {"TableId", "TableArn", "ProvisionedThroughput", "ItemCount"}
    for missing in ("AttributeDefinitions", "KeySchema", "CreationDateTime", "GlobalSecondaryIndexes"):
        assert missing not in answer["TableDescription"]
    assert engine.call("ListTables", {})["TableNames"] == ["hash"]


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        ("PutItem", {"TableName": "table", "Item": texts(pk="a", sk="1")}),
        ("GetItem", {"TableName": "table", "Key": texts(pk="a", sk="1")}),
        ("Scan", {"TableName": "table"}),
    ],
)
def test_requests_to_a_table_fail_after_delete_table(engine: Engine, action: str, request_: Document) -> None:
    engine.call("DeleteTable", {"TableName": "table"})
    refusal = refused(engine, action, request_)
    assert (refusal.code, refusal.message) == ("ResourceNotFoundException", NOT_FOUND)


def test_delete_table_leaves_no_items_for_a_new_table_of_the_same_name(empty_engine: Engine) -> None:
    create_indexed(empty_engine)
    put(empty_engine, texts(pk="a", sk="1", gsiPk="g", lsiSk="l"))
    before = empty_engine.call("DescribeTable", {"TableName": "table"})["Table"]["TableId"]
    empty_engine.call("DeleteTable", {"TableName": "table"})
    create_indexed(empty_engine)
    assert scan(empty_engine)["Items"] == []
    assert scan(empty_engine, IndexName="gsi")["Items"] == []
    assert empty_engine.call("DescribeTable", {"TableName": "table"})["Table"]["TableId"] != before


def test_delete_table_does_not_delete_a_table_with_deletion_protection(empty_engine: Engine) -> None:
    create(empty_engine, DeletionProtectionEnabled=True)
    refusal = refused(empty_engine, "DeleteTable", {"TableName": "table"})
    assert (refusal.code, refusal.message) == (
        "ValidationException",
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
    )
    empty_engine.call("UpdateTable", {"TableName": "table", "DeletionProtectionEnabled": False})
    empty_engine.call("DeleteTable", {"TableName": "table"})
    assert empty_engine.call("ListTables", {})["TableNames"] == []


@refusals(
    Refused(
        "a missing table",
        {"TableName": "missing"},
        "Requested resource not found: Table: missing not found",
        "ResourceNotFoundException",
    ),
    Refused("no name", {}, "The parameter 'TableName' is required but was not present in the request"),
)
def test_delete_table_rejects_an_invalid_request(engine: Engine, row: Refused) -> None:
    assert_refused(engine, "DeleteTable", row)
