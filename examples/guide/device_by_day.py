"""P6 by day: the events of a device, newest first, from one partition per day, for three days."""

from singletable import Between, Page

from ..script import Script
from .rows import moment
from .series import DailyEvent, DailyTelemetry
from .series_rows import DAILY

TWO_DAYS = Between(moment("2126-04-24T12:00:00"), moment("2126-04-26T12:00:00"))


def execute(telemetry: DailyTelemetry) -> Page[DailyEvent]:
    return telemetry.events_of_device("d_001", TWO_DAYS)


def show(events: Page[DailyEvent]) -> None:
    days = len(DailyTelemetry.events_of_device.explain("d_001", TWO_DAYS).requests)
    print(f"Events of d_001 since 24 April, from {days} days:")
    for event in events:
        print(f"{event.at:%d %H:%M} {event.kind} {event.value}")


SCRIPT = Script(DailyTelemetry, DAILY, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
