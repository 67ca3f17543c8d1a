"""A product is read by its name, but its key contains only the SKU."""

from pydantic import BaseModel

from singletable import Table, entity, get, pattern


@entity(key=("PRODUCT#{sku}", "METADATA"))
class Product(BaseModel):
    sku: str
    name: str


class Shop(Table, entities=[Product]):
    @pattern()
    def product_called(self, name: str) -> Product | None:
        """Find a product by its name."""
        return get(Product)
