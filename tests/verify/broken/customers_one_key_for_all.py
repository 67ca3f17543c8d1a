"""Every plan of the price list is kept under the same key, so that there is only ever one."""

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
