"""A range of line numbers is read, but numbers that are not padded do not sort by value."""

from pydantic import BaseModel

from singletable import Page, Since, Table, entity, pattern, query


@entity(key=("ORDER#{order_id}", "ITEM#{line}"))
class OrderItem(BaseModel):
    order_id: str
    line: int


class Commerce(Table, entities=[OrderItem]):
    @pattern(expected_items=10)
    def items_from(self, order_id: str, line: Since[int]) -> Page[OrderItem]:
        """Get the items of an order from a line on."""
        return query(OrderItem)
