"""Five designs for a customer list in several partitions: shards by hash, letter, month, region or function."""

from datetime import datetime
from enum import Enum

from pydantic import BaseModel

from singletable import Between, Page, Table, bucket, derive, entity, first_letter, pattern, query, shard


class Region(Enum):
    """The region in which a customer lives."""

    EUROPE = "eu"
    AMERICAS = "am"
    ASIA = "as"


class CustomerFields(BaseModel):
    """The fields of every variant."""

    id: str
    name: str
    region: Region
    created_at: datetime


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER#{shard}", "{created_at:seconds}#{id}"),
    derived={"shard": shard("id", of=8)},
    expected_per_partition={"gsi1": 625},
)
class CustomerByHash(CustomerFields):
    """A customer in one of eight shards, chosen by a hash."""


class ShopByHash(Table, entities=[CustomerByHash]):
    """The list of all customers, from eight shards."""

    @pattern(frequency="high", fanout=8)
    def customers(self) -> Page[CustomerByHash]:
        """List all customers chronologically."""
        return query(CustomerByHash)


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER#{letter}", "{name}#{id}"),
    derived={"letter": first_letter("name")},
    expected_per_partition={"gsi1": 200},
)
class CustomerByLetter(CustomerFields):
    """A customer in the shard of the first letter of the name."""


class ShopByLetter(Table, entities=[CustomerByLetter]):
    """The list of all customers in alphabetical order."""

    @pattern(frequency="medium", fanout=37)
    def customers(self) -> Page[CustomerByLetter]:
        """List all customers by name."""
        return query(CustomerByLetter, order_by=lambda customer: customer.name)

    @pattern(frequency="high")
    def customers_named(self, name: str) -> Page[CustomerByLetter]:
        """Find the customers with a name."""
        return query(CustomerByLetter)


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER#{month}", "{created_at:seconds}#{id}"),
    derived={"month": bucket("created_at", "month")},
    expected_per_partition={"gsi1": 400},
)
class CustomerByMonth(CustomerFields):
    """A customer in the shard of the month of signup."""


class ShopByMonth(Table, entities=[CustomerByMonth]):
    """The customers of a period."""

    @pattern(frequency="medium", fanout=13)
    def customers_since(self, created_at: Between[datetime]) -> Page[CustomerByMonth]:
        """List the customers who signed up in a period, newest first."""
        return query(CustomerByMonth, newest_first=True)


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER#{region}", "{created_at:seconds}#{id}"),
    expected_per_partition={"gsi1": 1700},
    cardinality={"region": 3},
)
class CustomerByRegion(CustomerFields):
    """A customer in the shard of the region."""


class ShopByRegion(Table, entities=[CustomerByRegion]):
    """The customers of one region, or of all three."""

    @pattern(frequency="medium", fanout=3)
    def customers(self) -> Page[CustomerByRegion]:
        """List all customers chronologically."""
        return query(CustomerByRegion)

    @pattern(frequency="medium")
    def customers_in(self, region: Region) -> Page[CustomerByRegion]:
        """List the customers of a region."""
        return query(CustomerByRegion)


def initials(name: str, region: Region) -> str:
    """Return a custom shard: the region, and the half of the alphabet that contains the first letter of the name."""
    return f"{region.value}-{'1' if name[:1].upper() < 'N' else '2'}"


@entity(
    key=("CUST#{id}", "METADATA"),
    gsi1=("CUSTOMER#{part}", "{created_at:seconds}#{id}"),
    derived={
        "part": derive(initials, "name", "region", values=[f"{r.value}-{half}" for r in Region for half in "12"]),
    },
    expected_per_partition={"gsi1": 850},
)
class CustomerByFunction(CustomerFields):
    """A customer in the shard that a custom function chooses."""


class ShopByFunction(Table, entities=[CustomerByFunction]):
    """The list of all customers, from six shards."""

    @pattern(frequency="medium", fanout=6)
    def customers(self) -> Page[CustomerByFunction]:
        """List all customers chronologically."""
        return query(CustomerByFunction)
