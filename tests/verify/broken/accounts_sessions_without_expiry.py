"""The sessions of users never expire."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("SESSION#{id}", "SESSION"))
@dataclass
class Session:
    id: str
    user_id: str


class Accounts(Table, entities=[Session]):
    @pattern()
    def session(self, id: str) -> Session | None:
        """Get a session."""
        return get(Session)
