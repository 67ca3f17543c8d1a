"""aioboto3: the asynchronous boto3, with many concurrent requests on one client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aioboto3
from boto3.dynamodb.conditions import Attr, Key

from tests.clients.python.steps import raises, run

NAME = "aioboto3"


@asynccontextmanager
async def a_table() -> AsyncIterator[Any]:
    async with aioboto3.Session().resource("dynamodb") as resource:
        yield await resource.Table(NAME)


@asynccontextmanager
async def a_client() -> AsyncIterator[Any]:
    async with aioboto3.Session().client("dynamodb") as client:
        yield client


async def a_table_is_created() -> None:
    async with aioboto3.Session().resource("dynamodb") as resource:
        table = await resource.create_table(
            TableName=NAME,
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK")
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "GSI1",
                    "KeySchema": [
                        {"AttributeName": "GSI1PK", "KeyType": "HASH"},
                        {"AttributeName": "GSI1SK", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        await table.wait_until_exists()


async def items_are_written_in_batches_and_read_concurrently() -> None:
    async with a_table() as table:
        async with table.batch_writer() as batch:
            for number in range(30):
                key = {"PK": "CUST#1", "SK": f"ORDER#{number:03d}"}
                index = {"GSI1PK": f"STATUS#{number % 2}", "GSI1SK": f"{number:03d}"}
                await batch.put_item(Item={**key, **index, "n": number})
        keys = [{"PK": "CUST#1", "SK": f"ORDER#{number:03d}"} for number in range(30)]
        found = await asyncio.gather(*(table.get_item(Key=key) for key in keys))
        assert [answer["Item"]["n"] for answer in found] == list(range(30))


async def a_batch_is_got() -> None:
    async with a_client() as client:
        keys = [{"PK": {"S": "CUST#1"}, "SK": {"S": f"ORDER#{number:03d}"}} for number in range(30)]
        answer = await client.batch_get_item(RequestItems={NAME: {"Keys": keys}})
        assert len(answer["Responses"][NAME]) == 30


async def concurrent_updates_are_all_counted() -> None:
    async with a_table() as table:

        async def one_more() -> Any:
            answer = await table.update_item(
                Key={"PK": "COUNTER", "SK": "visits"},
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": 1},
                ReturnValues="UPDATED_NEW",
            )
            return answer["Attributes"]["n"]

        assert sorted(await asyncio.gather(*(one_more() for _ in range(50)))) == list(range(1, 51))


async def errors_are_the_exceptions_of_the_client() -> None:
    async with a_client() as client:
        with raises(client.exceptions.ConditionalCheckFailedException):
            await client.put_item(
                TableName=NAME,
                Item={"PK": {"S": "CUST#1"}, "SK": {"S": "ORDER#000"}},
                ConditionExpression="attribute_not_exists(PK)",
            )
        key = {"PK": {"S": "CUST#1"}, "SK": {"S": "ORDER#000"}}
        check = {"TableName": NAME, "Key": key, "ConditionExpression": "attribute_not_exists(PK)"}
        delete = {"TableName": NAME, "Key": {"PK": {"S": "CUST#1"}, "SK": {"S": "ORDER#001"}}}
        with raises(client.exceptions.TransactionCanceledException) as cancelled:
            await client.transact_write_items(TransactItems=[{"Delete": delete}, {"ConditionCheck": check}])
        reasons = cancelled[0].response["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]


async def queries_are_paged_in_both_directions() -> None:
    async with a_client() as client:
        for forward in (True, False):
            pages = client.get_paginator("query").paginate(
                TableName=NAME,
                IndexName="GSI1",
                KeyConditionExpression="GSI1PK = :status",
                ExpressionAttributeValues={":status": {"S": "STATUS#0"}},
                ScanIndexForward=forward,
                PaginationConfig={"PageSize": 4},
            )
            found = [int(item["n"]["N"]) async for answer in pages for item in answer["Items"]]
            assert found == (list(range(0, 30, 2)) if forward else list(range(28, -1, -2)))
    async with a_table() as table:
        answer = await table.query(
            KeyConditionExpression=Key("PK").eq("CUST#1") & Key("SK").begins_with("ORDER#00"),
            FilterExpression=Attr("n").gte(8),
        )
        assert [item["n"] for item in answer["Items"]] == [8, 9]
        assert (await table.scan(Select="COUNT"))["Count"] == 31


async def items_and_the_table_are_deleted() -> None:
    async with a_table() as table:
        answer = await table.delete_item(Key={"PK": "CUST#1", "SK": "ORDER#002"}, ReturnValues="ALL_OLD")
        assert answer["Attributes"]["n"] == 2
        await table.delete()
        await table.wait_until_not_exists()


if __name__ == "__main__":
    run(
        a_table_is_created,
        items_are_written_in_batches_and_read_concurrently,
        a_batch_is_got,
        concurrent_updates_are_all_counted,
        errors_are_the_exceptions_of_the_client,
        queries_are_paged_in_both_directions,
        items_and_the_table_are_deleted,
    )
