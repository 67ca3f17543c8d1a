"""The orders of a user in one status are read, but no index has the status in its partition key."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("USER#{user_id}", "ORDER#{placed_at:seconds}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_at: datetime
    status: str


class Commerce(Table, entities=[Order]):
    @pattern(frequency="medium", expected_items=10)
    def orders_in_status(self, user_id: str, status: str) -> Page[Order]:
        """Get a user's order history in one status."""
        return query(Order, newest_first=True)
