"""P7: get all events of a type within a time range, across devices, from an index by type."""

from singletable import Between, Page

from ..script import Script
from .model import Event, Guide
from .rows import ROWS, moment

TODAY = Between(moment("2026-04-26T00:00:00"), moment("2026-04-26T23:59:59"))


def execute(guide: Guide) -> Page[Event]:
    return guide.events_of_kind("TEMP_HIGH", TODAY)


def show(events: Page[Event]) -> None:
    print("TEMP_HIGH on 2026-04-26:")
    for event in events:
        print(f"{event.at:%H:%M:%S} {event.device_id} {event.id} {event.value}")


SCRIPT = Script(Guide, ROWS, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
