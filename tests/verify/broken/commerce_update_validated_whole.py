"""A validator compares two dates of an order, so an update of one date must read the other."""

from datetime import date
from typing import Self

from pydantic import BaseModel, model_validator

from singletable import Table, entity, field, pattern, update


@entity(key=("USER#{user_id}", "ORDER#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_on: date
    delivered_on: date | None = None

    @model_validator(mode="after")
    def dates_in_order(self) -> Self:
        if self.delivered_on is not None and self.delivered_on < self.placed_on:
            raise ValueError("delivered before it was placed")
        return self


class Commerce(Table, entities=[Order]):
    @pattern(rate=5)
    def set_delivery(self, user_id: str, id: str, delivered_on: date) -> Order:
        """Set the date of delivery of an order."""
        return update(Order, field(Order, lambda order: order.delivered_on).set(delivered_on))
