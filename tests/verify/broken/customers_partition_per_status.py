"""An index has one partition per status, and nothing says how many there are."""

from dataclasses import dataclass
from datetime import date

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("STATUS#{status}", "{placed_on}#{id}"))
@dataclass
class Order:
    id: str
    status: str
    placed_on: date


class Orders(Table, entities=[Order]):
    @pattern()
    def orders_in_status(self, status: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """List the orders in one status."""
        return query(Order)
