"""An order is read with all its line items, and their number is unbounded."""

from pydantic import BaseModel

from singletable import Table, collection, entity, pattern


@entity(key=("ORDER#{id}", "METADATA"))
class Order(BaseModel):
    id: str


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"))
class OrderItem(BaseModel):
    order_id: str
    sku: str


class WholeOrder(BaseModel):
    order: Order
    items: list[OrderItem]


class Shop(Table, entities=[Order, OrderItem]):
    @pattern(frequency="high")
    def whole_order(self, order_id: str) -> WholeOrder | None:
        """Get an order with all line items."""
        return collection(WholeOrder)
