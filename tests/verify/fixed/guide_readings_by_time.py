"""The id of a reading makes its key unique."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, pattern, query


@entity(key=("DEVICE#{device_id}", "READING#{at}#{message_id}"), expected_per_partition=1_000)
@dataclass
class Reading:
    device_id: str
    at: datetime
    message_id: str
    celsius: float


class Devices(Table, entities=[Reading]):
    @pattern()
    def readings_of_device(self, device_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Reading]:
        """List the readings of a device, newest first."""
        return query(Reading, newest_first=True)
