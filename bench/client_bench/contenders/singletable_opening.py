"""How a table of singletable is opened for reading, the same for every kind of class."""

from __future__ import annotations

from typing import Any

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import SIZES, orders


def opened(table: Any, url: str) -> Any:
    """The open table; one inside this process is filled first."""
    is_inside = url.startswith(("memory:", "file:"))
    found = table.open(url, create=is_inside)
    if is_inside:
        cls = table.design.entities[0].cls
        for size in SIZES:
            found.put_many(cls(**vars(each)) for each in orders(size))
    return found


def sync(table: Any, url: str) -> Reads:
    """Patterns that are called."""
    found = opened(table, url)
    orders_of = found.orders_of
    return Reads(found.order, lambda customer: orders_of(customer).items, found.close)


def awaited(table: Any, url: str) -> Reads:
    """Patterns that are awaited."""
    found = opened(table, url)
    orders_of = found.orders_of.aio

    async def all_orders(customer: str) -> Any:
        return (await orders_of(customer)).items

    return Reads(found.order.aio, all_orders, found.aio.close)
