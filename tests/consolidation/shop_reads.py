"""The shop on four tables and on one, with the reads of both: `ShopReads` returns objects, `RowReads` rows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from examples.shop.model import Customer, Order, OrderItem, Product, Shop
from examples.shop_tables import tables
from examples.shop_tables.old_shop_reads import ShopReads, customer_of, item_of, order_of
from examples.shop_tables.shop_application import ShopApplication
from singletable.consolidation import ShadowReads, ShadowSettings, old_read, switch_mode
from singletable.consolidation.pattern_modes import Mode
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client, boto3_resource

ROWS = 300
EVERY = ShadowSettings(sample=1.0, recheck_seconds=(0.0, 0.001), flush_seconds=0.05, refresh_seconds=0.05)
"""Compares every call, and notices a new mode after 50 ms."""

Row = dict[str, Any]


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
