"""The key of a customer contains only the shard, so at most eight customers can exist."""

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query, shard


@entity(key=("CUSTOMER#{shard}", "METADATA"), derived={"shard": shard("id", of=8)})
class Customer(BaseModel):
    id: str
    name: str


class Shop(Table, entities=[Customer]):
    @pattern(fanout=8, expected_items=500)
    def customers(self) -> Page[Customer]:
        """List all customers."""
        return query(Customer)
