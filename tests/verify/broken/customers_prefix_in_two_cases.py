"""Two entities write the same prefix in different case, so no Query reads both."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("USER#{id}", "PROFILE"))
@dataclass
class User:
    id: str


@entity(key=("User#{user_id}", "ORDER#{id}"))
@dataclass
class Order:
    user_id: str
    id: str


class Customers(Table, entities=[User, Order]):
    @pattern()
    def user(self, id: str) -> User | None:
        """Get a user."""
        return get(User)
