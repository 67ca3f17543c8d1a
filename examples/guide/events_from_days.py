"""P7 by day and shard: the newest events of a type, from four shards per day, for three days."""

from singletable import Between, Page

from ..script import Script
from .rows import moment
from .series import DailyEvent, DailyTelemetry
from .series_rows import DAILY

TWO_DAYS = Between(moment("2126-04-24T12:00:00"), moment("2126-04-26T12:00:00"))


def execute(telemetry: DailyTelemetry) -> Page[DailyEvent]:
    return telemetry.events_of_kind("TEMP_HIGH", TWO_DAYS)


def show(events: Page[DailyEvent]) -> None:
    partitions = len(DailyTelemetry.events_of_kind.explain("TEMP_HIGH", TWO_DAYS).requests)
    print(f"TEMP_HIGH since 24 April, from {partitions} partitions:")
    for event in events:
        print(f"{event.at:%d %H:%M} {event.device_id} {event.value}")


SCRIPT = Script(DailyTelemetry, DAILY, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
