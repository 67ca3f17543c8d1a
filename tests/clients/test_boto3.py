"""boto3 over HTTP: its client, its resource, its paginators, waiters, batch writer and exceptions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from boto3.dynamodb.conditions import Attr, Key  # type: ignore[import-untyped]

from tests.clients.local_server import KEY, LocalServer
from tests.clients.shop import create_shop

names = (f"boto3-{number}" for number in itertools.count())
ORDERS = [
    {
        "PK": "CUST#1",
        "SK": f"ORDER#{number:03d}",
        "GSI1PK": f"STATUS#{number % 2}",
        "GSI1SK": f"{number:03d}",
        "n": number,
    }
    for number in range(30)
]


@pytest.fixture
def table(served: LocalServer) -> Iterator[Any]:
    create_shop(served, name := next(names))
    session = boto3.session.Session(KEY, KEY, region_name="us-east-1")
    created = session.resource("dynamodb", endpoint_url=served.url).Table(name)
    created.wait_until_exists()
    yield created
    created.delete()
    created.wait_until_not_exists()


@pytest.fixture
def orders(table: Any) -> Any:
    with table.batch_writer() as batch:
        for order in ORDERS:
            batch.put_item(Item=order)
    return table


def test_boto3_reads_every_type_unchanged(table: Any) -> None:
    item = {
        "PK": "TYPES",
        "SK": "ALL",
        "number": Decimal("-1234567890.0123456789"),
        "binary": b"\x00\xff",
        "flag": True,
        "nothing": None,
        "list": ["a", Decimal(1), [b"b"]],
        "map": {"a": {"b": {"c": "ü"}}},
        "texts": {"a", "b"},
        "numbers": {Decimal(1), Decimal("2.5")},
        "binaries": {b"a", b"b"},
    }
    table.put_item(Item=item)
    assert table.get_item(Key={"PK": "TYPES", "SK": "ALL"}, ConsistentRead=True)["Item"] == item


def test_boto3_raises_its_own_exception_for_a_failed_condition(orders: Any) -> None:
    exceptions = orders.meta.client.exceptions
    with pytest.raises(exceptions.ConditionalCheckFailedException) as error:
        orders.put_item(
            Item={"PK": "CUST#1", "SK": "ORDER#000"},
            ConditionExpression=Attr("PK").not_exists(),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert error.value.response["Item"]["n"] == {"N": "0"}
    with pytest.raises(exceptions.ResourceNotFoundException):
        orders.meta.client.describe_table(TableName="no-such-table")


def test_boto3_returns_the_changed_attributes_of_an_update(orders: Any) -> None:
    answer = orders.update_item(
        Key={"PK": "CUST#1", "SK": "ORDER#004"},
        UpdateExpression="SET #status = :paid ADD n :one",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":paid": "PAID", ":one": 1},
        ReturnValues="UPDATED_NEW",
    )
    assert answer["Attributes"] == {"status": "PAID", "n": 5}


@pytest.mark.parametrize("forward", [True, False])
def test_boto3_pages_a_query_in_both_directions(orders: Any, forward: bool) -> None:
    request = {
        "TableName": orders.name,
        "KeyConditionExpression": Key("PK").eq("CUST#1") & Key("SK").between("ORDER#005", "ORDER#024"),
        "ScanIndexForward": forward,
        "PaginationConfig": {"PageSize": 7},
    }
    pages = list(orders.meta.client.get_paginator("query").paginate(**request))
    expected = [order["n"] for order in ORDERS[5:25]]
    assert [page["Count"] for page in pages] == [7, 7, 6]
    assert [item["n"] for page in pages for item in page["Items"]] == (expected if forward else expected[::-1])


def test_boto3_queries_an_index_with_a_filter(orders: Any) -> None:
    answer = orders.query(
        IndexName="GSI1",
        KeyConditionExpression=Key("GSI1PK").eq("STATUS#1"),
        FilterExpression=Attr("n").gt(20),
        ProjectionExpression="n",
    )
    assert answer["Items"] == [{"n": number} for number in (21, 23, 25, 27, 29)]
    assert answer["ScannedCount"] == 15


def test_boto3_writes_and_reads_a_batch(orders: Any) -> None:
    keys = [{"PK": order["PK"], "SK": order["SK"]} for order in ORDERS]
    answer = orders.meta.client.batch_get_item(RequestItems={orders.name: {"Keys": keys}})
    assert sorted(item["n"] for item in answer["Responses"][orders.name]) == list(range(30))
    assert answer["UnprocessedKeys"] == {}


def test_boto3_shows_a_reason_for_each_action_of_a_cancelled_transaction(orders: Any) -> None:
    client = orders.meta.client
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": orders.name, "Item": {"PK": "CUST#2", "SK": "PROFILE"}}},
                {
                    "ConditionCheck": {
                        "TableName": orders.name,
                        "Key": {"PK": "CUST#1", "SK": "ORDER#001"},
                        "ConditionExpression": "n > :n",
                        "ExpressionAttributeValues": {":n": 5},
                    }
                },
            ]
        )
    reasons = cancelled.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert "Item" not in orders.get_item(Key={"PK": "CUST#2", "SK": "PROFILE"})


def test_boto3_pages_a_scan_and_splits_it_into_segments(orders: Any) -> None:
    paginator = orders.meta.client.get_paginator("scan")
    pages = list(paginator.paginate(TableName=orders.name, PaginationConfig={"PageSize": 8}))
    assert [page["Count"] for page in pages] == [8, 8, 8, 6]
    segments = [orders.scan(TotalSegments=3, Segment=segment)["Items"] for segment in range(3)]
    assert sorted(item["n"] for items in segments for item in items) == list(range(30))


def test_boto3_returns_the_old_item_of_a_delete(orders: Any) -> None:
    answer = orders.delete_item(Key={"PK": "CUST#1", "SK": "ORDER#002"}, ReturnValues="ALL_OLD")
    assert answer["Attributes"]["n"] == 2
    assert "Item" not in orders.get_item(Key={"PK": "CUST#1", "SK": "ORDER#002"})


def test_boto3_adds_and_removes_an_index(orders: Any) -> None:
    by_number = {"AttributeName": "n", "KeyType": "HASH"}
    created = {"IndexName": "GSI2", "KeySchema": [by_number], "Projection": {"ProjectionType": "KEYS_ONLY"}}
    orders.meta.client.update_table(
        TableName=orders.name,
        AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": created}],
    )
    orders.wait_until_exists()
    while any(index["IndexStatus"] != "ACTIVE" for index in orders.global_secondary_indexes):
        orders.reload()
    answer = orders.query(IndexName="GSI2", KeyConditionExpression=Key("n").eq(7))
    assert answer["Items"] == [{"PK": "CUST#1", "SK": "ORDER#007", "n": 7}]
    orders.meta.client.update_table(
        TableName=orders.name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "GSI2"}}]
    )


def test_boto3_supports_legacy_parameters(served: LocalServer, orders: Any) -> None:
    served.needs_legacy_parameters()
    answer = orders.query(
        KeyConditions={
            "PK": {"ComparisonOperator": "EQ", "AttributeValueList": ["CUST#1"]},
            "SK": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": ["ORDER#00"]},
        },
        QueryFilter={"n": {"ComparisonOperator": "GT", "AttributeValueList": [6]}},
        AttributesToGet=["n"],
    )
    assert answer["Items"] == [{"n": 7}, {"n": 8}, {"n": 9}]
    with pytest.raises(orders.meta.client.exceptions.ConditionalCheckFailedException):
        orders.put_item(Item={"PK": "CUST#1", "SK": "ORDER#001"}, Expected={"PK": {"Exists": False}})


def test_boto3_executes_partiql_statements(served: LocalServer, orders: Any) -> None:
    served.needs("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction")
    client = orders.meta.client
    select = f'SELECT n FROM "{orders.name}" WHERE PK = ? AND begins_with(SK, ?)'
    answer = client.execute_statement(Statement=select, Parameters=["CUST#1", "ORDER#01"])
    assert [item["n"] for item in answer["Items"]] == list(range(10, 20))
    insert = f"INSERT INTO \"{orders.name}\" VALUE {{'PK': ?, 'SK': ?}}"
    client.execute_transaction(TransactStatements=[{"Statement": insert, "Parameters": ["CUST#3", "PROFILE"]}])
    with pytest.raises(client.exceptions.DuplicateItemException):
        client.execute_statement(Statement=insert, Parameters=["CUST#3", "PROFILE"])
    one = f"SELECT * FROM \"{orders.name}\" WHERE PK = 'CUST#3' AND SK = 'PROFILE'"
    answers = client.batch_execute_statement(Statements=[{"Statement": one}])["Responses"]
    assert [answer["Item"] for answer in answers] == [{"PK": "CUST#3", "SK": "PROFILE"}]


def test_boto3_reads_the_writes_from_a_stream(served: LocalServer, table: Any) -> None:
    served.needs("dynamodbstreams:ListStreams", "dynamodbstreams:GetRecords")
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    table.meta.client.update_table(TableName=table.name, StreamSpecification=specification)
    table.put_item(Item={"PK": "CUST#1", "SK": "PROFILE", "name": "Ada"})
    table.delete_item(Key={"PK": "CUST#1", "SK": "PROFILE"})
    table.reload()
    streams = served.client("dynamodbstreams")
    (shard,) = streams.describe_stream(StreamArn=table.latest_stream_arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=table.latest_stream_arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    records = streams.get_records(ShardIterator=iterator)["Records"]
    assert [record["eventName"] for record in records] == ["INSERT", "REMOVE"]
    assert records[1]["dynamodb"]["OldImage"]["name"] == {"S": "Ada"}


def test_boto3_enables_time_to_live(served: LocalServer, table: Any) -> None:
    served.needs("UpdateTimeToLive", "DescribeTimeToLive")
    client = table.meta.client
    client.update_time_to_live(
        TableName=table.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
    )
    described = client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    assert described["AttributeName"] == "expires"
    assert described["TimeToLiveStatus"] in {"ENABLING", "ENABLED"}


def test_boto3_restores_a_backup(served: LocalServer, orders: Any) -> None:
    served.needs("CreateBackup", "RestoreTableFromBackup", "DeleteBackup")
    client = orders.meta.client
    backup = client.create_backup(TableName=orders.name, BackupName="nightly")["BackupDetails"]
    restored = f"{orders.name}-restored"
    client.restore_table_from_backup(TargetTableName=restored, BackupArn=backup["BackupArn"])
    client.get_waiter("table_exists").wait(TableName=restored)
    assert client.scan(TableName=restored, Select="COUNT")["Count"] == 30
    client.delete_table(TableName=restored)


def test_boto3_describes_the_limits_of_the_account(served: LocalServer) -> None:
    served.needs("DescribeLimits", "DescribeEndpoints")
    assert served.client().describe_limits()["TableMaxWriteCapacityUnits"] > 0
    assert served.client().describe_endpoints()["Endpoints"]
