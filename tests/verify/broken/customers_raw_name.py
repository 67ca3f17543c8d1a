"""The key contains a name without escaping, so a name with a delimiter can forge another key."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query


@entity(key=("CUSTOMER#{id}", "PROFILE"), gsi1=("PLAN#{plan}", "{name:raw}"))
@dataclass
class Customer:
    id: str
    name: str
    plan: str


class Customers(Table, entities=[Customer]):
    @pattern()
    def customers_on_plan(self, plan: str, *, limit: int = 20, cursor: str | None = None) -> Page[Customer]:
        """List the customers of a plan."""
        return query(Customer)
