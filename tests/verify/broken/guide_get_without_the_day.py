"""An order is read by its id, but in the sort key the id follows the day, which no parameter provides."""

from datetime import date

from pydantic import BaseModel

from singletable import Table, entity, get, pattern


@entity(key=("USER#{user_id}", "ORDER#{placed_on}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_on: date


class Guide(Table, entities=[Order]):
    @pattern()
    def order(self, user_id: str, id: str) -> Order | None:
        """Get one order of a user."""
        return get(Order)
