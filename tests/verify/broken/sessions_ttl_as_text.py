"""The expiry time is text, so DynamoDB never deletes a session."""

from dataclasses import dataclass

from singletable import Table, entity, get, pattern


@entity(key=("SESSION#{id}", "SESSION"))
@dataclass
class Session:
    id: str
    ttl: str


class Sessions(Table, entities=[Session]):
    @pattern()
    def session(self, id: str) -> Session | None:
        """Get a session."""
        return get(Session)
