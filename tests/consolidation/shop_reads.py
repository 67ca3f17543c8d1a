"""The shop on four tables and on one, with the reads of both: `ShopReads` returns objects, `RowReads` rows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from examples.shop.model import Customer, Order, OrderItem, Product, Shop, WholeOrder
from examples.shop_tables import tables
from examples.shop_tables.shop_application import ShopApplication
from singletable import Page
from singletable.consolidation import ShadowReads, ShadowSettings, old_read, switch_mode
from singletable.consolidation.pattern_modes import Mode
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource

ROWS = 300
EVERY = ShadowSettings(sample=1.0, recheck_seconds=(0.0, 0.001), flush_seconds=0.05, refresh_seconds=0.05)
"""Compares every call, and notices a new mode after 50 ms."""

Row = dict[str, Any]


def customer_of(row: Row) -> Customer:
    return Customer(**{**row, "created_at": datetime.fromisoformat(row["created_at"])})


def order_of(row: Row) -> Order:
    return Order(**{**row, "created_at": datetime.fromisoformat(row["created_at"])})


def item_of(row: Row) -> OrderItem:
    return OrderItem(**row)


class ShopReads(ShadowReads):
    """The reads of an application that has changed to objects already."""

    def __init__(self, shop: Shop, old: ShopApplication, settings: ShadowSettings = EVERY) -> None:
        super().__init__(shop, settings)
        self.old = old

    @old_read(Shop.customer)
    def customer(self, id: str) -> Customer | None:
        row = self.old.customer(id)
        return None if row is None else customer_of(row)

    @old_read(Shop.orders_of_customer)
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        start = None if cursor is None else json.loads(cursor)
        rows = self.old.orders_of_customer(customer_id, limit, start)
        last = {name: rows[-1][name] for name in ("id", "customer_id", "created_at")} if len(rows) == limit else None
        return Page([order_of(row) for row in rows], None if last is None else json.dumps(last))

    @old_read(Shop.whole_order)
    def whole_order(self, order_id: str) -> WholeOrder | None:
        found = self.old.whole_order(order_id)
        return None if found is None else WholeOrder(order=order_of(found[0]), items=[item_of(row) for row in found[1]])

    @old_read(Shop.orders_with_sku)
    def orders_with_sku(self, sku: str) -> Page[OrderItem]:
        return Page([item_of(row) for row in self.old.orders_with_sku(sku)])


def product_row(product: Product | None) -> Row | None:
    return None if product is None else product.model_dump()


class RowReads(ShadowReads):
    """The reads of an application that uses rows, and of one that uses asyncio."""

    def __init__(self, shop: Shop, old: ShopApplication, settings: ShadowSettings = EVERY) -> None:
        super().__init__(shop, settings)
        self.old = old

    @old_read(Shop.product, convert=product_row, ignore=["description"])
    def product(self, sku: str) -> Row | None:
        return self.old.product(sku)

    @old_read(Shop.customer)
    async def customer(self, id: str) -> Customer | None:
        row = await asyncio.to_thread(self.old.customer, id)
        return None if row is None else customer_of(row)


@dataclass(frozen=True)
class TwoShops:
    """The shop on four tables and on one table, both in one engine."""

    engine: Engine
    client: Any
    old: ShopApplication
    new: Shop

    def reads(self, settings: ShadowSettings = EVERY) -> ShopReads:
        return ShopReads(self.new, self.old, settings)

    def put_row(self, table: str, row: Row) -> None:
        """Write a row into an old table only."""
        boto3_resource(self.engine).Table(table).put_item(Item=row)


def objects(count: int = ROWS) -> Iterator[Customer | Order | OrderItem | Product]:
    """Yield the rows of the old tables as objects of the new one."""
    for table, row in tables.rows(count):
        if table == tables.CUSTOMERS:
            yield customer_of(row)
        elif table == tables.ORDERS:
            yield order_of(row)
        elif table == tables.ORDER_ITEMS:
            yield item_of(row)
        else:
            yield Product(**row)


@contextmanager
def two_shops(engine: Engine | None = None) -> Iterator[TwoShops]:
    """Yield both shops with the same rows."""
    used = engine or Engine("memory:")
    client = boto3_client(used)
    tables.create_tables(client)
    tables.fill(client, ROWS)
    with Shop.open(used, create=True) as shop:
        assert not shop.put_many(objects()).failed
        yield TwoShops(used, client, ShopApplication(client, boto3_resource(used)), shop)


def start(reads: ShopReads, *patterns: str, mode: Mode = "shadow") -> None:
    """Register the patterns with a first call, and switch them to a mode."""
    reads.customer("c000001")
    assert reads.drain()
    for pattern in patterns:
        switch_mode(reads.table, pattern, mode, calls_min=0)
    wait_for(reads, dict.fromkeys(patterns, mode))


def wait_for(reads: ShadowReads, modes: dict[str, Mode]) -> None:
    """Wait until the process knows the modes."""
    assert reads.refresh()
    assert {name: reads.modes[name] for name in modes} == modes
