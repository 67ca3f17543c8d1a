"""The shape of a request names its attributes, operators and options, and shows `?` for every value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr, Key  # type: ignore[import-untyped]

from singletable.catalogue.request_shapes import masked_statement
from tests.catalogue.recorded import RecordedClients, recorded

ITEM = {"pk": "USER#ada", "sk": "ORDER#2026-04-10#o1", "status": "secret-1", "price": 7}


@pytest.fixture
def clients(tmp_path: Path) -> Any:
    with recorded(tmp_path / "catalogue.jsonl") as found:
        found.create_table("tbl", "pk", "sk", index=("status", "sk"))
        found.resource.Table("tbl").put_item(Item=ITEM)
        yield found


def shape_of(clients: RecordedClients) -> dict[str, Any]:
    return clients.shapes()[-1]


def test_a_query_of_a_resource_has_the_shape_of_its_conditions(clients: RecordedClients) -> None:
    clients.resource.Table("tbl").query(
        KeyConditionExpression=Key("pk").eq("USER#ada") & Key("sk").begins_with("ORDER#"),
        FilterExpression=Attr("price").gt(5) | Attr("status").is_in(["secret-1", "secret-2"]),
        ProjectionExpression="#s, price",
        ExpressionAttributeNames={"#s": "status"},
        ScanIndexForward=False,
        Limit=5,
    )
    assert shape_of(clients) == {
        "operation": "Query",
        "table": "tbl",
        "limit": 5,
        "descending": True,
        "key": [["pk", "=", "USER#?"], ["sk", "begins_with", "ORDER#"]],
        "filter": "price > ? OR status IN (?, ...)",
        "projection": ["status", "price"],
    }


def test_a_query_of_a_client_has_the_same_shape_as_that_of_a_resource(clients: RecordedClients) -> None:
    clients.resource.Table("tbl").query(
        IndexName="by-status", KeyConditionExpression=Key("status").eq("secret-1") & Key("sk").between("a", "b")
    )
    from_resource = shape_of(clients)
    clients.client.query(
        TableName="tbl",
        IndexName="by-status",
        KeyConditionExpression="#a = :a AND sk BETWEEN :b AND :c",
        ExpressionAttributeNames={"#a": "status"},
        ExpressionAttributeValues={":a": {"S": "secret-1"}, ":b": {"S": "a"}, ":c": {"S": "b"}},
    )
    assert from_resource == {**shape_of(clients)}
    assert from_resource["key"] == [["status", "=", "?"], ["sk", "BETWEEN", "?", "?"]]


def test_legacy_parameters_have_a_request_shape_too(clients: RecordedClients) -> None:
    clients.client.query(
        TableName="tbl",
        KeyConditions={
            "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "USER#ada"}]},
            "sk": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "ORDER#"}]},
        },
        QueryFilter={"price": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "5"}]}},
    )
    assert shape_of(clients)["key"] == [["pk", "=", "USER#?"], ["sk", "begins_with", "ORDER#"]]
    assert shape_of(clients)["filter"] == "price GT ?"


def test_writes_have_the_shape_of_their_key_condition_and_update(clients: RecordedClients) -> None:
    assert shape_of(clients) == {
        "operation": "PutItem",
        "table": "tbl",
        "key": [["pk", "=", "USER#?"], ["sk", "=", "ORDER#?#?"]],
    }
    clients.resource.Table("tbl").update_item(
        Key={"pk": ITEM["pk"], "sk": ITEM["sk"]},
        UpdateExpression="SET #s = :s, price = price - :n REMOVE note",
        ConditionExpression=Attr("status").eq("secret-1"),
        ExpressionAttributeNames={"#s": "status"},
        ExpressionAttributeValues={":s": "secret-3", ":n": 1},
    )
    assert shape_of(clients)["update"] == "SET status = ?, price = price - ? REMOVE note"
    assert shape_of(clients)["condition"] == "status = ?"


def test_the_request_shape_of_a_transaction_has_each_different_part_once(clients: RecordedClients) -> None:
    puts = [{"Put": {"TableName": "tbl", "Item": {"pk": {"S": "USER#a"}, "sk": {"S": f"ORDER#{n}"}}}} for n in "123"]
    check = {"pk": {"S": "USER#ada"}, "sk": {"S": "PROFILE"}}
    clients.client.transact_write_items(
        TransactItems=[
            {"ConditionCheck": {"TableName": "tbl", "Key": check, "ConditionExpression": "attribute_not_exists(pk)"}},
            *puts,
        ]
    )
    shape = shape_of(clients)
    assert [part["operation"] for part in shape["parts"]] == ["ConditionCheck", "PutItem"]
    assert shape["parts"][0]["key"] == [["pk", "=", "USER#?"], ["sk", "=", "PROFILE"]]
    assert clients.requests()[-1]["parts"] == [1, 3]


def test_request_shapes_contain_no_value(clients: RecordedClients) -> None:
    table = clients.resource.Table("tbl")
    table.query(KeyConditionExpression=Key("pk").eq("USER#ada"), FilterExpression=Attr("status").eq("secret-2"))
    table.scan()
    clients.client.execute_statement(Statement="""SELECT * FROM "tbl" WHERE pk = 'USER#ada' AND price = 7123""")
    text = clients.path.read_text(encoding="utf-8")
    assert len(clients.requests()) == 4
    assert not [value for value in ("secret", "ada", "2026-04", "o1", "7123") if value in text]


@pytest.mark.parametrize(
    ("statement", "masked"),
    [
        (
            """SELECT * FROM "my-table" WHERE pk = 'it''s' AND n >= 4.5e3""",
            'SELECT * FROM "my-table" WHERE pk = ? AND n >= ?',
        ),
        ("INSERT INTO t VALUE {'pk': 'a', 'n': 1}", "INSERT INTO t VALUE {?: ?, ?: ?}"),
        ("SELECT * FROM t WHERE pk IN ['a', 'b',  'c']", "SELECT * FROM t WHERE pk IN [?, ...]"),
        ("SELECT a1 FROM t2 WHERE pk = 'no end", "SELECT a1 FROM t2 WHERE pk = ?"),
    ],
)
def test_the_request_shape_of_a_partiql_statement_has_no_literals(statement: str, masked: str) -> None:
    assert masked_statement(statement) == masked


def test_capital_letters_in_a_request_shape_are_a_constant_only_next_to_a_label_with_a_delimiter(
    clients: RecordedClients,
) -> None:
    table = clients.resource.Table("tbl")
    table.get_item(Key={"pk": "USER#ada", "sk": "PROFILE"})
    assert shape_of(clients)["key"] == [["pk", "=", "USER#?"], ["sk", "=", "PROFILE"]]
    table.get_item(Key={"pk": "JFK", "sk": "SECRET"})
    assert shape_of(clients)["key"] == [["pk", "=", "?"], ["sk", "=", "?"]]
    table.query(
        IndexName="by-status",
        KeyConditionExpression=Key("status").eq("PENDING") & Key("sk").between("AAA", "ZZZ"),
    )
    assert shape_of(clients)["key"] == [["status", "=", "?"], ["sk", "BETWEEN", "?", "?"]]
