"""Writes with singletable and a msgspec Struct."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from bench.client_bench.contenders import Writes, singletable_write_functions
from bench.client_bench.write_items import WRITE_TABLE
from singletable import Table, entity, field, pattern, update


@entity(
    key=("CUST#{customer_id}", "ORDER#{id}"),
    gsi1=("STATUS#{status}", "ORDER#{customer_id}#{id}"),
    gsi2=("CUST#{customer_id}", "PLACED#{created_at}"),
)
class Order(Struct):
    """An order with two global secondary indexes."""

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


class Orders(Table, entities=[Order], name=WRITE_TABLE):
    """The table that all contenders write."""

    @pattern()
    def set_note(self, customer_id: str, id: str, note: str) -> Order:
        """Change a field that no key contains."""
        return update(Order, field(Order, lambda o: o.note).set(note))

    @pattern()
    def set_status(self, customer_id: str, id: str, status: str) -> Order:
        """Change a field that a key of the first index contains."""
        return update(Order, field(Order, lambda o: o.status).set(status))


def open_sync(url: str) -> Writes:
    """Use the methods of the table."""
    return singletable_write_functions.open_sync(Orders, url)


async def open_async(url: str) -> Writes:
    """Use the coroutine methods of the table."""
    return singletable_write_functions.open_async(Orders, url)
