"""P6: get the latest events of a device: the last hour, newest first."""

from datetime import timedelta

from singletable import Page, Since

from ..script import Script
from .model import Event, Guide
from .rows import ROWS, moment

NOW = moment("2026-04-26T10:15:30")


def execute(guide: Guide) -> Page[Event]:
    return guide.latest_events("d_001", Since(NOW - timedelta(hours=1)))


def show(events: Page[Event]) -> None:
    print("Events of d_001 in the last hour:")
    for event in events:
        print(f"{event.at:%Y-%m-%dT%H:%M:%SZ} {event.id} {event.kind} {event.value}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
