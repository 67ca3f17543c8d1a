"""All events of today are written to one partition of an index."""

from dataclasses import dataclass
from datetime import date

from singletable import Page, Table, entity, pattern, query


@entity(key=("EVENT#{id}", "METADATA"), gsi1=("DAY#{day}", "{device_id}#{id}"))
@dataclass
class Event:
    id: str
    day: date
    device_id: str


class Events(Table, entities=[Event]):
    @pattern()
    def events_of_day(self, day: date, device_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Event]:
        """List the events of a device on a day."""
        return query(Event)
