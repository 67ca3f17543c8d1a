"""Random traffic: calls to the application, the same for the same seed and the same answers."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from .shop_application import OrderNotPending, ShopApplication
from .tables import CUSTOMERS, ORDERS, PRODUCTS, Item, time_text

SECONDS_MAX = 300_000_000

# How often each method is called, of 100 calls.
SHARES = {
    "customer": 20,
    "product": 20,
    "orders_of_customer": 14,
    "whole_order": 12,
    "order_summary": 3,
    "orders_with_sku": 3,
    "pending_orders_of_customer": 4,
    "customer_email": 3,
    "customers_by_signup": 1,
    "place_order": 8,
    "ship": 5,
    "cancel": 2,
    "register": 2,
    "change_price": 2,
    "add_products": 1,
}


class ShopTraffic:
    """Calls methods of the application at random, for customers, products and orders that exist.

    Several of them can run at the same time if each has a name of its own, which is a part of the IDs that it creates.
    """

    def __init__(self, shop: ShopApplication, rows: Iterable[tuple[str, Item]], seed: int = 1, name: str = "a") -> None:
        self._shop = shop
        self._random = Random(seed)  # noqa: S311  # example data is not secret
        self._times = Random(name)  # noqa: S311  # example data is not secret
        self._name = name
        self._created = 0
        ids: dict[str, list[Any]] = {CUSTOMERS: [], PRODUCTS: [], ORDERS: []}
        for table, row in rows:
            if table in ids:
                ids[table].append(row["sku" if table == PRODUCTS else "id"])
        self._customers, self._products, self._orders = ids[CUSTOMERS], ids[PRODUCTS], ids[ORDERS]
        self._methods = list(SHARES)
        self._weights = list(SHARES.values())

    def step(self) -> str:
        """Make one call and return the name of the method."""
        name = self._random.choices(self._methods, self._weights)[0]
        self.call(name)
        return name

    def call(self, name: str) -> None:
        """Call a method of the application with arguments of this traffic."""
        match name:
            case "customer" | "customer_email" | "orders_of_customer" | "pending_orders_of_customer":
                getattr(self._shop, name)(self._customer())
            case "product" | "orders_with_sku":
                getattr(self._shop, name)(self._product())
            case "whole_order" | "order_summary":
                getattr(self._shop, name)(self._random.choice(self._orders))
            case "ship" | "cancel":
                with suppress(OrderNotPending):
                    getattr(self._shop, name)(self._random.choice(self._orders[-50:]))
            case "customers_by_signup":
                self._shop.customers_by_signup()
            case "place_order":
                self._place_order()
            case "register":
                self._register()
            case "change_price":
                self._shop.change_price(self._product(), Decimal(self._random.randint(80, 240)))
            case _:
                self._add_products()

    def _customer(self) -> str:
        """Return a customer; the first ones are the most active."""
        found: str = self._customers[int(len(self._customers) * self._random.random() ** 2)]
        return found

    def _product(self) -> str:
        found: str = self._random.choice(self._products)
        return found

    def _new_id(self, prefix: str) -> str:
        self._created += 1
        return f"{prefix}-{self._name}-{self._created}"

    def _place_order(self) -> None:
        id = self._new_id("o")
        bought = self._random.sample(self._products, min(len(self._products), self._random.randint(1, 3)))
        items = [{"order_id": id, "sku": sku, "quantity": Decimal(1), "price": Decimal(100)} for sku in bought]
        total = Decimal(100 * len(items))
        # An index does not define the order of two orders of one second, so each one has a second of its own.
        time = time_text(datetime.now(UTC) - timedelta(seconds=self._times.randrange(SECONDS_MAX)))
        placed = {"id": id, "customer_id": self._customer(), "status": "PENDING", "total": total, "created_at": time}
        self._shop.place_order(placed, items)
        self._orders.append(id)

    def _register(self) -> None:
        id = self._new_id("c")
        self._shop.register({"id": id, "name": f"Customer {id}", "email": f"{id}@example.com", "created_at": _now()})
        self._customers.append(id)

    def _add_products(self) -> None:
        products = [
            {"sku": self._new_id("SKU"), "name": "New frame", "price": Decimal(120), "description": "A frame."}
            for _ in range(3)
        ]
        self._shop.add_products(products)
        self._products += [product["sku"] for product in products]


def _now() -> str:
    return time_text(datetime.now(UTC))
