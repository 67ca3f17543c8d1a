"""Write functions of a singletable table, the same for every kind of class."""

from __future__ import annotations

from typing import Any

from bench.client_bench.contenders import Writes
from bench.client_bench.orders import Order
from bench.client_bench.write_items import WRITE_TABLE


def open_sync(table: Any, url: str) -> Writes:
    """Open a table and return its methods. A table in this process is created."""
    if not url.startswith(("memory:", "file:")):
        return methods_of(table.open(url))
    from singletable.engine import Engine

    return on_engine(table, Engine(url))


def on_engine(table: Any, engine: Any) -> Writes:
    """Create a table in an engine and return its methods."""

    def read_item(key: dict[str, Any]) -> dict[str, Any] | None:
        found: dict[str, Any] | None = engine.call("GetItem", {"TableName": WRITE_TABLE, "Key": key}).get("Item")
        return found

    return methods_of(table.open(engine, create=True), read_item)


def methods_of(found: Any, read_item: Any = None) -> Writes:
    """Return the methods of an open table."""
    cls = type(found).design.entities[0].cls

    def build(order: Order) -> Any:
        return cls(**vars(order))

    def transact(orders: list[Any]) -> None:
        with found.transaction() as transaction:
            for order in orders:
                transaction.put(order)

    return Writes(
        build,
        found.put,
        found.create,
        found.set_note,
        found.set_status,
        found.put_many,
        transact,
        read_item,
        found.close,
    )


def open_async(table: Any, url: str) -> Writes:
    """Open a table on a server and return its coroutine methods."""
    found = table.open(url)
    aio = found.aio
    cls = table.design.entities[0].cls

    def build(order: Order) -> Any:
        return cls(**vars(order))

    async def transact(orders: list[Any]) -> None:
        async with found.transaction() as transaction:
            for order in orders:
                transaction.put(order)

    return Writes(
        build,
        aio.put,
        aio.create,
        found.set_note.aio,
        found.set_status.aio,
        aio.put_many,
        transact,
        close=aio.close,
    )
