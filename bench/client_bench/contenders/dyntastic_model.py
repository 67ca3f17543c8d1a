"""Reads with dyntastic: a pydantic model on the boto3 resource."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from dyntastic import Dyntastic

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import TABLE, partition_of, sort_of


def model_at(url: str) -> Any:
    """Return the model, bound to a server."""

    class Order(Dyntastic):
        __table_name__ = TABLE
        __hash_key__ = "PK"
        __range_key__ = "SK"
        __table_region__ = "us-east-1"
        __table_host__ = url

        PK: str
        SK: str
        customer_id: str
        id: str
        status: str
        total: Decimal
        quantity: int
        created_at: datetime
        gift: bool
        tags: list[str]
        address: str
        shipped_at: datetime | None = None
        note: str | None = None

    return Order


def open_sync(url: str) -> Reads:
    """Use `get` and `query` of the model."""
    order_model = model_at(url)

    def get(customer: str, order: str) -> Any:
        return order_model.get(partition_of(customer), sort_of(order))

    def query(customer: str) -> list[Any]:
        return list(order_model.query(partition_of(customer)))

    return Reads(get, query)
