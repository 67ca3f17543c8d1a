"""Two events of a device in the same second have the same key, so the second overwrites the first."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("DEVICE#{device_id}", "EVT#{at:seconds}"))
class Event(BaseModel):
    device_id: str
    id: str
    at: datetime


class Guide(Table, entities=[Event]):
    @pattern()
    def latest_events(self, device_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Event]:
        """P6: latest events for a given device."""
        return query(Event, newest_first=True)
