"""All orders are in four partitions, one per status, and are read very often."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from singletable import Page, Table, entity, pattern, query

Status = Literal["OPEN", "PAID", "SHIPPED", "CLOSED"]


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("STATUS#{status}", "{placed_on}#{id}"))
@dataclass
class Order:
    id: str
    status: Status
    placed_on: date


class Orders(Table, entities=[Order]):
    @pattern(frequency="very high")
    def orders_by_status(self, status: Status, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """Find the orders in one status, newest first."""
        return query(Order, newest_first=True)
