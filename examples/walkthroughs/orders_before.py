"""Orders that are found only by their ID."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(
    key=("ORDER#{id}", "METADATA"),
)
@dataclass
class Order:
    id: str
    customer: str
    status: str


class Orders(Table, entities=[Order]):
    """The orders of a shop."""

    @pattern()
    def order(self, id: str) -> Order | None:
        """Get an order by ID."""
        return get(Order)
