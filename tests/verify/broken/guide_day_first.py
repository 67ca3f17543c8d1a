"""Dates are formatted with the day first, so 2 January sorts after 1 December."""

from datetime import date

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("USER#{user_id}", "ORDER#{placed_on:%d-%m-%Y}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_on: date


class Guide(Table, entities=[Order]):
    @pattern(frequency="high", expected_items=20)
    def latest_orders(self, user_id: str) -> Page[Order]:
        """P3: get the latest N orders for a user."""
        return query(Order, newest_first=True)
