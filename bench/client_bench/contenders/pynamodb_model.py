"""Reads with PynamoDB: a model with an attribute for each field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pynamodb.attributes import (
    Attribute,
    BooleanAttribute,
    ListAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UTCDateTimeAttribute,
)
from pynamodb.models import Model

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, partition_of, sort_of


class DecimalAttribute(Attribute[Decimal]):
    """An attribute for Decimal values, which PynamoDB lacks."""

    attr_type = "N"

    def serialize(self, value: Decimal) -> str:
        """Return the text of a number."""
        return str(value)

    def deserialize(self, value: str) -> Decimal:
        """Return the number of a text."""
        return Decimal(value)


def model_at(url: str) -> Any:
    """Return the model, bound to a server."""

    class Order(Model):
        class Meta:
            table_name = TABLE
            host = url
            region = "us-east-1"

        PK = UnicodeAttribute(hash_key=True)
        SK = UnicodeAttribute(range_key=True)
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

    return Order


def open_sync(url: str) -> Reads:
    """Use `Model.get` and `Model.query`."""
    order_model = model_at(url)

    def get(customer: str, order: str) -> Any:
        return order_model.get(partition_of(customer), sort_of(order))

    def query(customer: str) -> list[Any]:
        return list(order_model.query(partition_of(customer)))

    return Reads(get, query)
