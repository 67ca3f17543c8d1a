"""Writes with PynamoDB: a model with an attribute for each field and for each index key."""

from __future__ import annotations

from typing import Any

from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UTCDateTimeAttribute,
)
from pynamodb.connection import Connection
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from bench.client_bench.contenders import Writes
from bench.client_bench.contenders.pynamodb_model import DecimalAttribute
from bench.client_bench.orders import Order
from bench.client_bench.write_items import WRITE_TABLE, keys_of, status_partition, table_key


def model_at(url: str) -> Any:
    """Return the model, bound to a server."""

    class WrittenOrder(Model):
        class Meta:
            table_name = WRITE_TABLE
            host = url
            region = "us-east-1"

        PK = UnicodeAttribute(hash_key=True)
        SK = UnicodeAttribute(range_key=True)
        GSI1PK = UnicodeAttribute()
        GSI1SK = UnicodeAttribute()
        GSI2PK = UnicodeAttribute()
        GSI2SK = UnicodeAttribute()
        entity_type = UnicodeAttribute(default="Order")
        customer_id = UnicodeAttribute()
        id = UnicodeAttribute()
        status = UnicodeAttribute()
        total = DecimalAttribute()
        quantity = NumberAttribute()
        created_at = UTCDateTimeAttribute()
        gift = BooleanAttribute()
        tags = ListAttribute(of=UnicodeAttribute)
        address = UnicodeAttribute()
        shipped_at = UTCDateTimeAttribute(null=True)
        note = UnicodeAttribute(null=True)

    return WrittenOrder


def open_sync(url: str) -> Writes:
    """Use `save`, `update` and `batch_write` of the model, and `TransactWrite`."""
    model = model_at(url)
    connection = Connection(region="us-east-1", host=url)
    is_stored, is_new = model.PK.exists(), model.PK.does_not_exist()

    def build(order: Order) -> Any:
        return model(**keys_of(order), **vars(order))

    def put(order: Any) -> None:
        order.save()

    def create(order: Any) -> None:
        order.save(condition=is_new)

    def set_note(customer: str, order: str, note: str) -> Any:
        changed = model(**table_key(customer, order))
        changed.update(actions=[model.note.set(note)], condition=is_stored)
        return changed

    def set_status(customer: str, order: str, status: str) -> Any:
        changed = model(**table_key(customer, order))
        actions = [model.status.set(status), model.GSI1PK.set(status_partition(status))]
        changed.update(actions=actions, condition=is_stored)
        return changed

    def put_batch(orders: list[Any]) -> None:
        with model.batch_write() as batch:
            for order in orders:
                batch.save(order)

    def transact(orders: list[Any]) -> None:
        with TransactWrite(connection=connection) as transaction:
            for order in orders:
                transaction.save(order)

    return Writes(build, put, create, set_note, set_status, put_batch, transact)
