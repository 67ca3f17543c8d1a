"""Events of a kind are in ten shards, but the pattern declares no fan-out."""

from datetime import datetime

from pydantic import BaseModel

from singletable import Between, Page, Table, entity, pattern, query, shard


@entity(
    key=("DEVICE#{device_id}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVTTYPE#{kind}#{shard}", "{at:seconds}#{device_id}#{id}"),
    derived={"shard": shard("id", of=10)},
)
class Event(BaseModel):
    device_id: str
    id: str
    at: datetime
    kind: str


class Telemetry(Table, entities=[Event]):
    @pattern(frequency="low", expected_items=100)
    def events_of_kind(self, kind: str, at: Between[datetime]) -> Page[Event]:
        """P7: all events of a type within a time range, from every shard."""
        return query(Event)
