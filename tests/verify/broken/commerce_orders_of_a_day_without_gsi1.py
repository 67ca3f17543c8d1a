"""All orders of a day are read, but no index has the orders of all users in one partition."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Between, Page, Table, entity, pattern, query


@entity(key=("USER#{user_id}", "ORDER#{placed_at:seconds}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_at: datetime
    status: str


class Commerce(Table, entities=[Order]):
    @pattern(frequency="low", expected_items=200)
    def orders_placed(self, placed_at: Between[datetime]) -> Page[Order]:
        """Get all orders placed in a time, across all users."""
        return query(Order)
