"""The log of a device grows for ever in one partition."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, pattern, query


@entity(key=("DEVICE#{device_id}", "LOG#{at}#{id}"))
@dataclass
class LogEntry:
    device_id: str
    id: str
    at: datetime
    text: str


class Devices(Table, entities=[LogEntry]):
    @pattern()
    def log_of_device(self, device_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[LogEntry]:
        """Read the log of a device, newest first."""
        return query(LogEntry, newest_first=True)
