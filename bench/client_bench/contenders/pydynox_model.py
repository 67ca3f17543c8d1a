"""Reads with the pydynox Model, which does not distinguish int and float."""

from __future__ import annotations

from typing import Any

from pydynox import DynamoDBClient, Model, ModelConfig
from pydynox.attributes import (
    BooleanAttribute,
    DatetimeAttribute,
    DecimalAttribute,
    ListAttribute,
    NumberAttribute,
    StringAttribute,
)

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, partition_of, sort_of


def model_at(used: DynamoDBClient) -> Any:
    """Return the model, bound to a client."""

    class Order(Model):
        model_config = ModelConfig(table=TABLE, client=used)

        PK = StringAttribute(partition_key=True)
        SK = StringAttribute(sort_key=True)
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

    return Order


def open_sync(url: str) -> Reads:
    """Use `Model.sync_get` and `Model.sync_query`."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)
    order_model = model_at(client)

    def get(customer: str, order: str) -> Any:
        return order_model.sync_get(PK=partition_of(customer), SK=sort_of(order))

    def query(customer: str) -> list[Any]:
        return list(order_model.sync_query(partition_key=partition_of(customer)))

    return Reads(get, query)


async def open_async(url: str) -> Reads:
    """Use the coroutine methods of the model."""
    client = DynamoDBClient(region="us-east-1", endpoint_url=url)
    order_model = model_at(client)

    async def get(customer: str, order: str) -> Any:
        return await order_model.get(PK=partition_of(customer), SK=sort_of(order))

    async def query(customer: str) -> list[Any]:
        return [each async for each in order_model.query(partition_key=partition_of(customer))]

    return Reads(get, query)
