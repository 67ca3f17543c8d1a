"""singletable with a pydantic model, which validates."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from bench.client_bench.contenders import Reads, singletable_opening
from bench.client_bench.orders import TABLE
from singletable import Page, Table, entity, get, pattern, query


@entity(key=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    """An order, as every contender has it."""

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
        """An order by its name."""
        return get(Order)

    @pattern()
    def orders_of(self, customer_id: str) -> Page[Order]:
        """The orders of a customer."""
        return query(Order)


def open_sync(url: str) -> Reads:
    """Patterns that are called."""
    return singletable_opening.sync(Orders, url)


async def open_async(url: str) -> Reads:
    """Patterns that are awaited."""
    return singletable_opening.awaited(Orders, url)
