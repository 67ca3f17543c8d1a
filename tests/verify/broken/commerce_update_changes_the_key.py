"""An update changes the time of an order, which is part of its sort key."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Table, entity, field, pattern, update


@entity(key=("USER#{user_id}", "ORDER#{placed_at:seconds}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_at: datetime


class Commerce(Table, entities=[Order]):
    @pattern(rate=1)
    def backdate(self, user_id: str, placed_at: datetime, id: str, to: datetime) -> Order:
        """Move an order to another time."""
        return update(Order, field(Order, lambda order: order.placed_at).set(to))
