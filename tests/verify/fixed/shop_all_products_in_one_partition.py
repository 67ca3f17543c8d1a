"""The number of products is declared."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("PRODUCTS", "PRODUCT#{sku}"), expected_per_partition={"key": 1000})
@dataclass
class Product:
    sku: str
    name: str


class Shop(Table, entities=[Product]):
    @pattern()
    def products(self, *, limit: int = 20, cursor: str | None = None) -> Page[Product]:
        """List the products."""
        return query(Product)
