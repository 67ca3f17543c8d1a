"""Reads with the boto3 resource: dicts, converted to objects by hand."""

from __future__ import annotations

import boto3
from boto3.dynamodb.conditions import Key

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, Order, order_from_dict, partition_of, sort_of


def open_sync(url: str) -> Reads:
    """Use `Table.get_item` and `Table.query`."""
    table = boto3.resource("dynamodb", endpoint_url=url).Table(TABLE)

    def get(customer: str, order: str) -> Order:
        return order_from_dict(table.get_item(Key={"PK": partition_of(customer), "SK": sort_of(order)})["Item"])

    def query(customer: str) -> list[Order]:
        request = {"KeyConditionExpression": Key("PK").eq(partition_of(customer))}
        page = table.query(**request)
        found = [order_from_dict(item) for item in page["Items"]]
        while "LastEvaluatedKey" in page:
            page = table.query(**request, ExclusiveStartKey=page["LastEvaluatedKey"])
            found += [order_from_dict(item) for item in page["Items"]]
        return found

    return Reads(get, query)
