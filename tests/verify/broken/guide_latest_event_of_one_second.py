"""The latest event of a device is only the latest to the second."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"))
class Event(BaseModel):
    device_id: str
    id: str
    at: datetime


class Guide(Table, entities=[Event]):
    @pattern()
    def latest_event(self, device_id: str) -> Page[Event]:
        """P6: latest event of a given device."""
        return query(Event, newest_first=True, limit=1)
