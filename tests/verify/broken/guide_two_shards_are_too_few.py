"""Events have two shards, and the traffic of each is two and a half times the limit of a partition."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Page, Table, entity, pattern, put, query, shard


@entity(
    key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVENT#{shard}", "{at:seconds}#{device_id}#{id}"),
    derived={"shard": shard("id", of=2)},
    expected_bytes=1000,
)
class Event(BaseModel):
    device_id: str
    id: str
    at: datetime


class Telemetry(Table, entities=[Event]):
    @pattern(frequency="low", fanout=2)
    def latest_events(self, *, limit: int = 20, cursor: str | None = None) -> Page[Event]:
        """The latest events of all devices."""
        return query(Event, newest_first=True)

    @pattern(rate=5000)
    def report(self, event: Event) -> Event:
        """Store what a device reports."""
        return put(Event)
