"""Shadow reads of the shop: the old implementation of each pattern, which reads the four tables."""

from __future__ import annotations

import json
from datetime import datetime

from singletable import Page
from singletable.consolidation import ShadowReads, ShadowSettings, old_read

from ..shop.model import Customer, Order, OrderItem, Shop, WholeOrder
from .shop_application import ShopApplication
from .tables import Item


def customer_of(row: Item) -> Customer:
    values: Item = {**row, "created_at": datetime.fromisoformat(row["created_at"])}
    return Customer(**values)


def order_of(row: Item) -> Order:
    values: Item = {**row, "created_at": datetime.fromisoformat(row["created_at"])}
    return Order(**values)


def item_of(row: Item) -> OrderItem:
    return OrderItem(**row)


class ShopReads(ShadowReads):
    """The reads of the shop, which return the objects of the new table in every mode."""

    def __init__(self, shop: Shop, old: ShopApplication, settings: ShadowSettings | None = None) -> None:
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
