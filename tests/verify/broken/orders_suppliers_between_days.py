"""Suppliers and days are partition keys of one index without a prefix."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("PRODUCT#{id}", "PRODUCT"), gsi1=("{supplier_id}", "PRODUCT#{id}"))
@dataclass
class Product:
    id: str
    supplier_id: str


@entity(key=("ORDER#{id}", "ORDER"), gsi1=("{due_date}", "ORDER#{id}"), cardinality={"due_date": 365})
@dataclass
class Order:
    id: str
    due_date: str


class Orders(Table, entities=[Product, Order]):
    @pattern()
    def products_of_supplier(self, supplier_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Product]:
        """Products of a supplier."""
        return query(Product)

    @pattern()
    def orders_due(self, due_date: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Orders that are due on a day."""
        return query(Order)
