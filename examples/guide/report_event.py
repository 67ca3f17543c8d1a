"""Store an event of a device: one PutItem also writes its entry in GSI1, which has one partition per event type."""

from decimal import Decimal

from ..script import Script
from .model import Event, Guide
from .rows import ROWS, moment

AT = moment("2026-04-27T08:00:00")


def execute(guide: Guide) -> Event:
    event = guide.report(Event(device_id="d_009", id="e_new", at=AT, kind="HEARTBEAT", value=Decimal(1)))
    guide.delete(event)  # leave the table unchanged
    return event


def show(event: Event) -> None:
    print(f"{event.device_id} reported {event.kind} at {event.at:%Y-%m-%dT%H:%M:%SZ}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
