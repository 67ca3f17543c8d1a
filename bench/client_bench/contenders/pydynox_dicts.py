"""Reads with the pydynox client: dicts with int and float numbers, and datetimes as text."""

from __future__ import annotations

from typing import Any

from pydynox import DynamoDBClient

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, partition_of, sort_of


def open_sync(url: str) -> Reads:
    """Use `sync_get_item` and `sync_query` of the client."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)

    def get(customer: str, order: str) -> Any:
        return client.sync_get_item(TABLE, {"PK": partition_of(customer), "SK": sort_of(order)})

    def query(customer: str) -> list[Any]:
        values = {":partition": partition_of(customer)}
        return list(client.sync_query(TABLE, "PK = :partition", expression_attribute_values=values))

    return Reads(get, query)


async def open_async(url: str) -> Reads:
    """Use `get_item` and `query`, which are coroutine methods of the client."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)

    async def get(customer: str, order: str) -> Any:
        return await client.get_item(TABLE, {"PK": partition_of(customer), "SK": sort_of(order)})

    async def query(customer: str) -> list[Any]:
        values = {":partition": partition_of(customer)}
        found = client.query(TABLE, "PK = :partition", expression_attribute_values=values)
        return [each async for each in found]

    return Reads(get, query)
