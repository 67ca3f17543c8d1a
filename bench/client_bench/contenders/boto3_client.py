"""boto3's client with boto3's own TypeDeserializer: dicts, made into objects by hand."""

from __future__ import annotations

from typing import Any

import boto3
from boto3.dynamodb.types import TypeDeserializer

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, Order, made, partition_of, sort_of


def open_sync(url: str) -> Reads:
    """`get_item` and `query` of the client, each value by the TypeDeserializer."""
    client = boto3.client("dynamodb", endpoint_url=url)
    value = TypeDeserializer().deserialize

    def plain(item: dict[str, Any]) -> Order:
        return made({name: value(each) for name, each in item.items()})

    def get(customer: str, order: str) -> Order:
        key = {"PK": {"S": partition_of(customer)}, "SK": {"S": sort_of(order)}}
        return plain(client.get_item(TableName=TABLE, Key=key)["Item"])

    def query(customer: str) -> list[Order]:
        pages = client.get_paginator("query").paginate(
            TableName=TABLE,
            KeyConditionExpression="PK = :partition",
            ExpressionAttributeValues={":partition": {"S": partition_of(customer)}},
        )
        return [plain(item) for page in pages for item in page["Items"]]

    return Reads(get, query)
