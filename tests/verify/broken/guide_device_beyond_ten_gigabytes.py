"""A device has 20 million events of 1 KB in one partition, but a local secondary index limits it to 10 GB."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, query


@entity(
    key=("DEVICE#{device_id}", "EVT#{id}"),
    lsi1="{at:seconds}",
    expected_bytes=1024,
    expected_per_partition=20_000_000,
)
class Event(BaseModel):
    device_id: str
    id: str
    at: datetime


class Guide(Table, entities=[Event]):
    @pattern()
    def latest_events(self, device_id: str, *, limit: int = 100, cursor: str | None = None) -> Page[Event]:
        """P6: latest events for a given device."""
        return query(Event, newest_first=True)
