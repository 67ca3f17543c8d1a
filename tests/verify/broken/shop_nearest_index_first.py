"""GSI1 has the partition of the pattern, but not its range or order; the report leads with GSI1, not with the table."""

from dataclasses import dataclass
from datetime import date

from singletable import Page, Since, Table, entity, get, pattern, query


@entity(
    key=("ORDER#{id}", "METADATA"),
    gsi1=("CUST#{customer_id}", "STATUS#{status}#{id}"),
    gsi2=("REGION#{region}", "{placed_on}#{id}"),
    expected_per_partition={"gsi1": 30, "gsi2": 1000},
)
@dataclass
class Order:
    id: str
    customer_id: str
    region: str
    status: str
    placed_on: date


class Shop(Table, entities=[Order]):
    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order."""
        return get(Order)

    @pattern()
    def orders_with(self, customer_id: str, status: str) -> Page[Order]:
        """List the orders of a customer in a status."""
        return query(Order)

    @pattern()
    def orders_in(self, region: str, *, limit: int = 20, cursor: str | None = None) -> Page[Order]:
        """List the orders of a region."""
        return query(Order, newest_first=True)

    @pattern()
    def orders_of(self, customer_id: str, placed_on: Since[date]) -> Page[Order]:
        """List the orders of a customer since a day, newest first."""
        return query(Order, newest_first=True)
