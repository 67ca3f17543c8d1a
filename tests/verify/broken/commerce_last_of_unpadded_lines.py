"""The newest lines are read, but line numbers are not padded and are not times."""

from pydantic import BaseModel

from singletable import Page, Since, Table, entity, pattern, query


@entity(key=("ORDER#{order_id}", "ITEM#{line}"))
class OrderItem(BaseModel):
    order_id: str
    line: int


class Commerce(Table, entities=[OrderItem]):
    @pattern()
    def latest_items(self, order_id: str, line: Since[int]) -> Page[OrderItem]:
        """Get the newest items of an order from a line on."""
        return query(OrderItem, newest_first=True)
