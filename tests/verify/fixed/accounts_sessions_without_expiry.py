"""The sessions of users expire."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("SESSION#{id}", "SESSION"), ttl="expires_at")
@dataclass
class Session:
    id: str
    user_id: str
    expires_at: int


class Accounts(Table, entities=[Session]):
    @pattern()
    def session(self, id: str) -> Session | None:
        """Get a session."""
        return get(Session)
