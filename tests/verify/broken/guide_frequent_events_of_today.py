"""Every second, 2,000 events are written to the partition of today."""

from dataclasses import dataclass
from datetime import date

from singletable import Table, entity, pattern, put


@entity(key=("DAY#{day}", "EVENT#{device_id}#{id}"), expected_bytes=500, expected_items=1_000_000)
@dataclass
class Event:
    id: str
    day: date
    device_id: str


class Events(Table, entities=[Event]):
    @pattern(rate=2000)
    def report(self, event: Event) -> Event:
        """Store an event."""
        return put(Event)
