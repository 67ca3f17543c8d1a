"""A product is put from single parameters, but none of them provides its required price."""

from decimal import Decimal

from pydantic import BaseModel

from singletable import Table, entity, pattern, put


@entity(key=("PRODUCT#{sku}", "METADATA"))
class Product(BaseModel):
    sku: str
    name: str
    price: Decimal


class Shop(Table, entities=[Product]):
    @pattern(rate=1)
    def add_product(self, sku: str, name: str) -> Product:
        """Add a product."""
        return put(Product)
