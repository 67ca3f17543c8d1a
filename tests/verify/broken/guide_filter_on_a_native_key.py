"""The filter tests kind, which is a key attribute of the only index that serves the pattern."""

from pydantic import BaseModel

from singletable import Page, Table, entity, native, pattern, query


@entity(key=("DEVICE#{device_id}", "EVT#{id}"), gsi1=(native("site"), native("kind")))
class Event(BaseModel):
    device_id: str
    id: str
    site: str
    kind: str


class Guide(Table, entities=[Event]):
    @pattern(expected_items=95, expected_examined=100)
    def alarms(self, site: str) -> Page[Event]:
        """The events of a site that are no heartbeats."""
        return query(Event, filter=lambda event: event.kind != "HEARTBEAT")
