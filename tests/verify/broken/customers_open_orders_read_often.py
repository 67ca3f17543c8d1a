"""All open orders are in one partition that every call reads."""

from dataclasses import dataclass
from datetime import date

from singletable import Page, Table, entity, pattern, query


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("STATUS#{status}", "{placed_on}#{id}"),
    expected_bytes=1000,
    expected_per_partition={"gsi1": 80},
)
@dataclass
class Order:
    id: str
    status: str
    placed_on: date


class Orders(Table, entities=[Order]):
    @pattern(rate=500)
    def open_orders(self) -> Page[Order]:
        """Find all open orders, by date."""
        return query(Order, where=lambda order: order.status == "OPEN")
