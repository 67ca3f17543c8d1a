"""boto3's resource: dicts, made into objects by hand."""

from __future__ import annotations

import boto3
from boto3.dynamodb.conditions import Key

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, Order, made, partition_of, sort_of


def open_sync(url: str) -> Reads:
    """`Table.get_item` and `Table.query`."""
    table = boto3.resource("dynamodb", endpoint_url=url).Table(TABLE)

    def get(customer: str, order: str) -> Order:
        return made(table.get_item(Key={"PK": partition_of(customer), "SK": sort_of(order)})["Item"])

    def query(customer: str) -> list[Order]:
        asked = {"KeyConditionExpression": Key("PK").eq(partition_of(customer))}
        page = table.query(**asked)
        found = [made(item) for item in page["Items"]]
        while "LastEvaluatedKey" in page:
            page = table.query(**asked, ExclusiveStartKey=page["LastEvaluatedKey"])
            found += [made(item) for item in page["Items"]]
        return found

    return Reads(get, query)
