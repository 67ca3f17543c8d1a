"""Every customer is in the partition CUSTOMER, which is read 500 times per second."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER", "{created_at:seconds}"),
    expected_bytes=1000,
    expected_per_partition={"gsi1": 80},
)
class Customer(BaseModel):
    id: str
    created_at: datetime


class Shop(Table, entities=[Customer]):
    @pattern(rate=500)
    def customers_by_signup(self) -> Page[Customer]:
        """List all customers chronologically."""
        return query(Customer)
