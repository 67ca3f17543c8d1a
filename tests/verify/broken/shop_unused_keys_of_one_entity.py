"""Products have keys in GSI1 like the orders, but no pattern reads them there."""

from pydantic import BaseModel

from singletable import Page, Table, entity, get, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{id}"))
class Order(BaseModel):
    id: str
    customer_id: str


@entity(key=("PRODUCT#{sku}", "METADATA"), gsi1=("CATEGORY#{category}", "PRODUCT#{sku}"), cardinality={"category": 40})
class Product(BaseModel):
    sku: str
    category: str


class Shop(Table, entities=[Order, Product]):
    @pattern()
    def orders_of_customer(self, customer_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Get all orders for a customer."""
        return query(Order)

    @pattern()
    def product(self, sku: str) -> Product | None:
        """Get product by SKU."""
        return get(Product)
