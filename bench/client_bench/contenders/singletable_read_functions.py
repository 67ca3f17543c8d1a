"""Read functions of a singletable table, the same for every kind of class."""

from __future__ import annotations

from typing import Any

from bench.client_bench.contenders import Reads
from bench.client_bench.orders import SIZES, orders


def open_table(table: Any, url: str) -> Any:
    """Open a table. Fill it first if it is in this process."""
    in_process = url.startswith(("memory:", "file:"))
    found = table.open(url, create=in_process)
    if in_process:
        cls = table.design.entities[0].cls
        for size in SIZES:
            found.put_many(cls(**vars(each)) for each in orders(size))
    return found


def sync_reads(table: Any, url: str) -> Reads:
    """Open a table and return its patterns."""
    found = open_table(table, url)
    orders_of = found.orders_of
    return Reads(found.order, lambda customer: orders_of(customer).items, found.close)


def async_reads(table: Any, url: str) -> Reads:
    """Open a table and return its coroutine patterns."""
    found = open_table(table, url)
    orders_of = found.orders_of.aio

    async def all_orders(customer: str) -> Any:
        return (await orders_of(customer)).items

    return Reads(found.order.aio, all_orders, found.aio.close)
