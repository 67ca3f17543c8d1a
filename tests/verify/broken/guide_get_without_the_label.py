"""An address is read, but the sort key also contains the label, which no parameter provides."""

from pydantic import BaseModel

from singletable import Table, entity, get, pattern


@entity(key=("USER#{user_id}", "ADDR#{label}"))
class Address(BaseModel):
    user_id: str
    label: str
    city: str


class Guide(Table, entities=[Address]):
    @pattern(frequency="high")
    def address(self, user_id: str) -> Address | None:
        """Get the address of a user."""
        return get(Address)
