"""The expiry time is a number of seconds and the declared TTL."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("SESSION#{id}", "SESSION"), ttl="ttl")
@dataclass
class Session:
    id: str
    ttl: int


class Sessions(Table, entities=[Session]):
    @pattern()
    def session(self, id: str) -> Session | None:
        """Get a session."""
        return get(Session)
