"""A collection with two lists has a limit, which could count either of them."""

from pydantic import BaseModel

from singletable import Table, collection, entity, pattern


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"))
class OrderItem(BaseModel):
    order_id: str
    sku: str


@entity(key=("ORDER#{order_id}", "SHIPMENT#{id}"))
class Shipment(BaseModel):
    order_id: str
    id: str


class Contents(BaseModel):
    items: list[OrderItem]
    shipments: list[Shipment]


class Shop(Table, entities=[OrderItem, Shipment]):
    @pattern()
    def contents(self, order_id: str) -> Contents | None:
        """The first ten items and shipments of an order."""
        return collection(Contents, limit=10)
