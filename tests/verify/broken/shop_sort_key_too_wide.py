"""A line number is padded to 1020 digits, which with its prefix is too long for a sort key."""

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{order_id}", "ITEM#{line:01020d}"))
class OrderItem(BaseModel):
    order_id: str
    line: int


class Shop(Table, entities=[OrderItem]):
    @pattern()
    def items(self, order_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[OrderItem]:
        """Get the items of an order."""
        return query(OrderItem)
