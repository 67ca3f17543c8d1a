"""Every customer is in the partition CUSTOMER, which is written 500 times per second."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, put, query


@entity(key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER", "{created_at:seconds}"), expected_bytes=1000)
class Customer(BaseModel):
    id: str
    created_at: datetime


class Shop(Table, entities=[Customer]):
    @pattern(frequency="low")
    def customers_by_signup(self, *, limit: int = 20, cursor: str | None = None) -> Page[Customer]:
        """List all customers chronologically."""
        return query(Customer)

    @pattern(rate=500)
    def sign_up(self, customer: Customer) -> Customer:
        """Store a new customer."""
        return put(Customer)
