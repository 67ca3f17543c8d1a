"""Store what a device reports: one PutItem, and its kind's partition of GSI1 takes the same, however hot it is."""

from decimal import Decimal

from ..script import Script
from .model import Event, Guide
from .rows import ROWS, moment

AT = moment("2026-04-27T08:00:00")


def ask(guide: Guide) -> Event:
    event = guide.report(Event(device_id="d_009", id="e_new", at=AT, kind="HEARTBEAT", value=Decimal(1)))
    guide.delete(event)  # so that the table is as it was
    return event


def tell(event: Event) -> None:
    print(f"{event.device_id} reported {event.kind} at {event.at:%Y-%m-%dT%H:%M:%SZ}")


SCRIPT = Script(Guide, ROWS, ask, tell)

if __name__ == "__main__":
    SCRIPT.main()
