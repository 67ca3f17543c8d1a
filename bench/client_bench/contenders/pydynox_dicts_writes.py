"""Writes with the pydynox client: dicts with floats for exact numbers and text for datetimes."""

from __future__ import annotations

from typing import Any

from pydynox import DynamoDBClient

from bench.client_bench.contenders import Writes
from bench.client_bench.orders import Order
from bench.client_bench.write_items import WRITE_TABLE, plain_item, status_partition, table_key

IS_NEW = "attribute_not_exists(PK)"
IS_STORED = "attribute_exists(PK)"


def build(order: Order) -> dict[str, Any]:
    """Return an item that the client accepts."""
    return {**plain_item(order), "total": float(order.total)}


def changed_status(status: str) -> dict[str, str]:
    """Return the attributes that a change of the status sets."""
    return {"status": status, "GSI1PK": status_partition(status)}


def puts(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the operations of a transaction."""
    return [{"type": "put", "table": WRITE_TABLE, "item": item} for item in items]


def open_sync(url: str) -> Writes:
    """Use the methods of the client that begin with `sync_`."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)

    def put(item: dict[str, Any]) -> None:
        client.sync_put_item(WRITE_TABLE, item)

    def create(item: dict[str, Any]) -> None:
        client.sync_put_item(WRITE_TABLE, item, condition_expression=IS_NEW)

    def update(customer: str, order: str, changes: dict[str, str]) -> Any:
        key = table_key(customer, order)
        return client.sync_update_item(
            WRITE_TABLE, key, updates=changes, condition_expression=IS_STORED, return_values="ALL_NEW"
        )

    def set_note(customer: str, order: str, note: str) -> Any:
        return update(customer, order, {"note": note})

    def set_status(customer: str, order: str, status: str) -> Any:
        return update(customer, order, changed_status(status))

    def put_batch(items: list[dict[str, Any]]) -> None:
        client.sync_batch_write(WRITE_TABLE, put_items=items)

    def transact(items: list[dict[str, Any]]) -> None:
        client.sync_transact_write(puts(items))

    return Writes(build, put, create, set_note, set_status, put_batch, transact)


async def open_async(url: str) -> Writes:
    """Use the coroutine methods of the client."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)

    async def put(item: dict[str, Any]) -> None:
        await client.put_item(WRITE_TABLE, item)

    async def create(item: dict[str, Any]) -> None:
        await client.put_item(WRITE_TABLE, item, condition_expression=IS_NEW)

    async def update(customer: str, order: str, changes: dict[str, str]) -> Any:
        key = table_key(customer, order)
        return await client.update_item(
            WRITE_TABLE, key, updates=changes, condition_expression=IS_STORED, return_values="ALL_NEW"
        )

    async def set_note(customer: str, order: str, note: str) -> Any:
        return await update(customer, order, {"note": note})

    async def set_status(customer: str, order: str, status: str) -> Any:
        return await update(customer, order, changed_status(status))

    async def put_batch(items: list[dict[str, Any]]) -> None:
        await client.batch_write(WRITE_TABLE, put_items=items)

    async def transact(items: list[dict[str, Any]]) -> None:
        await client.transact_write(puts(items))

    return Writes(build, put, create, set_note, set_status, put_batch, transact)
