"""Line numbers are not padded, so line 10 sorts before line 9."""

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{order_id}", "ITEM#{line}"))
class OrderItem(BaseModel):
    order_id: str
    line: int


class Commerce(Table, entities=[OrderItem]):
    @pattern()
    def items(self, order_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[OrderItem]:
        """Get the items of an order."""
        return query(OrderItem)
