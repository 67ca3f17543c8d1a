"""A pattern with a high frequency reads one of a few status partitions."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("STATUS#{status}", "{customer_id}#{id}"))
@dataclass
class Order:
    id: str
    status: str
    customer_id: str


class Orders(Table, entities=[Order]):
    @pattern(frequency="high")
    def orders_in_status(
        self, status: str, customer_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[Order]:
        """List the orders of a customer in one status."""
        return query(Order)
