"""Every plan of the price list has the same key, so only one plan can exist."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("PLANS", "METADATA"))
@dataclass
class Plan:
    title: str
    price: int


class Customers(Table, entities=[Plan]):
    @pattern()
    def plan(self) -> Plan | None:
        """Get a plan."""
        return get(Plan)
