"""Customers have one partition per month, but a pattern over a range of time declares no maximum number of months."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Between, Page, Table, bucket, entity, pattern, query


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER#{month}", "{created_at:seconds}#{id}"),
    derived={"month": bucket("created_at", "month")},
)
class Customer(BaseModel):
    id: str
    created_at: datetime


class Shop(Table, entities=[Customer]):
    @pattern(frequency="medium", expected_items=500)
    def customers_since(self, created_at: Between[datetime]) -> Page[Customer]:
        """List the customers who signed up in a time."""
        return query(Customer)
