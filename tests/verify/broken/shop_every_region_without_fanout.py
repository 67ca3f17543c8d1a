"""Customers have one partition per region, but the list of all customers declares no fan-out of three."""

from datetime import datetime
from enum import Enum

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


class Region(Enum):
    EUROPE = "eu"
    AMERICAS = "am"
    ASIA = "as"


@entity(
    key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER#{region}", "{created_at:seconds}#{id}"), cardinality={"region": 3}
)
class Customer(BaseModel):
    id: str
    region: Region
    created_at: datetime


class Shop(Table, entities=[Customer]):
    @pattern(frequency="medium", expected_items=3000)
    def customers(self) -> Page[Customer]:
        """List all customers chronologically."""
        return query(Customer)
