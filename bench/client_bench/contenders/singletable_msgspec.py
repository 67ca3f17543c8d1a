"""Reads with singletable and a msgspec Struct."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from bench.client_bench.contenders import Reads, singletable_read_functions
from bench.client_bench.orders import TABLE
from singletable import Page, Table, entity, get, pattern, query


@entity(key=("CUST#{customer_id}", "ORDER#{id}"))
class Order(Struct):
    """An order with the fields that every contender reads."""

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


class Orders(Table, entities=[Order], name=TABLE):
    """The table that all contenders read."""

    @pattern()
    def order(self, customer_id: str, id: str) -> Order | None:
        """Get an order by its id."""
        return get(Order)

    @pattern()
    def orders_of(self, customer_id: str) -> Page[Order]:
        """Query the orders of a customer."""
        return query(Order)


def open_sync(url: str) -> Reads:
    """Return the patterns of the table."""
    return singletable_read_functions.sync_reads(Orders, url)


async def open_async(url: str) -> Reads:
    """Return the coroutine patterns of the table."""
    return singletable_read_functions.async_reads(Orders, url)
