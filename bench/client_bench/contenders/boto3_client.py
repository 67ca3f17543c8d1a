"""Reads with the boto3 client and the TypeDeserializer of boto3: dicts, converted to objects by hand."""

from __future__ import annotations

from typing import Any

import boto3
from boto3.dynamodb.types import TypeDeserializer

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, Order, order_from_dict, partition_of, sort_of


def open_sync(url: str) -> Reads:
    """Use `get_item` and `query` of the client, and the TypeDeserializer for each value."""
    client = boto3.client("dynamodb", endpoint_url=url)
    value = TypeDeserializer().deserialize

    def to_order(item: dict[str, Any]) -> Order:
        return order_from_dict({name: value(each) for name, each in item.items()})

    def get(customer: str, order: str) -> Order:
        key = {"PK": {"S": partition_of(customer)}, "SK": {"S": sort_of(order)}}
        return to_order(client.get_item(TableName=TABLE, Key=key)["Item"])

    def query(customer: str) -> list[Order]:
        pages = client.get_paginator("query").paginate(
            TableName=TABLE,
            KeyConditionExpression="PK = :partition",
            ExpressionAttributeValues={":partition": {"S": partition_of(customer)}},
        )
        return [to_order(item) for page in pages for item in page["Items"]]

    return Reads(get, query)
