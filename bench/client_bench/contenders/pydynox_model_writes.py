"""Writes with the pydynox Model, whose updates by key return nothing."""

from __future__ import annotations

from typing import Any

from pydynox import BatchWriter, DynamoDBClient, Model, ModelConfig, SyncBatchWriter, SyncTransaction, Transaction
from pydynox.attributes import (
    BooleanAttribute,
    DatetimeAttribute,
    DecimalAttribute,
    ListAttribute,
    NumberAttribute,
    StringAttribute,
)

from bench.client_bench.contenders import Writes
from bench.client_bench.orders import Order
from bench.client_bench.write_items import WRITE_TABLE, keys_of, status_partition, table_key


def model_at(used: DynamoDBClient) -> Any:
    """Return the model, bound to a client."""

    class WrittenOrder(Model):
        model_config = ModelConfig(table=WRITE_TABLE, client=used)

        PK = StringAttribute(partition_key=True)
        SK = StringAttribute(sort_key=True)
        GSI1PK = StringAttribute()
        GSI1SK = StringAttribute()
        GSI2PK = StringAttribute()
        GSI2SK = StringAttribute()
        entity_type = StringAttribute(default="Order")
        customer_id = StringAttribute()
        id = StringAttribute()
        status = StringAttribute()
        total = DecimalAttribute()
        quantity = NumberAttribute()
        created_at = DatetimeAttribute()
        gift = BooleanAttribute()
        tags = ListAttribute()
        address = StringAttribute()
        shipped_at = DatetimeAttribute()
        note = StringAttribute()

    return WrittenOrder


def open_sync(url: str) -> Writes:
    """Use the methods of the model that begin with `sync_`."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)
    model = model_at(client)

    def build(order: Order) -> Any:
        return model(**keys_of(order), **vars(order))

    def put(order: Any) -> None:
        order.sync_save()

    def create(order: Any) -> None:
        order.sync_save(condition=model.PK.not_exists())

    def set_note(customer: str, order: str, note: str) -> None:
        model.sync_update_by_key(condition=model.PK.exists(), **table_key(customer, order), note=note)

    def set_status(customer: str, order: str, status: str) -> None:
        changes = {"status": status, "GSI1PK": status_partition(status)}
        model.sync_update_by_key(condition=model.PK.exists(), **table_key(customer, order), **changes)

    def put_batch(orders: list[Any]) -> None:
        with SyncBatchWriter(client, WRITE_TABLE) as batch:
            for order in orders:
                batch.put(order.to_dict())

    def transact(orders: list[Any]) -> None:
        with SyncTransaction(client) as transaction:
            for order in orders:
                transaction.save_model(order)

    return Writes(build, put, create, set_note, set_status, put_batch, transact)


async def open_async(url: str) -> Writes:
    """Use the coroutine methods of the model."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)
    model = model_at(client)

    def build(order: Order) -> Any:
        return model(**keys_of(order), **vars(order))

    async def put(order: Any) -> None:
        await order.save()

    async def create(order: Any) -> None:
        await order.save(condition=model.PK.not_exists())

    async def set_note(customer: str, order: str, note: str) -> None:
        await model.update_by_key(condition=model.PK.exists(), **table_key(customer, order), note=note)

    async def set_status(customer: str, order: str, status: str) -> None:
        changes = {"status": status, "GSI1PK": status_partition(status)}
        await model.update_by_key(condition=model.PK.exists(), **table_key(customer, order), **changes)

    async def put_batch(orders: list[Any]) -> None:
        async with BatchWriter(client, WRITE_TABLE) as batch:
            for order in orders:
                batch.put(order.to_dict())

    async def transact(orders: list[Any]) -> None:
        async with Transaction(client) as transaction:
            for order in orders:
                transaction.save_model(order)

    return Writes(build, put, create, set_note, set_status, put_batch, transact)
