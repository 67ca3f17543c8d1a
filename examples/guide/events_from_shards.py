"""P7 with ten write shards: each event type has ten partitions, and reads merge their events in order."""

from singletable import Between, Page

from ..script import Script
from .model import ShardedEvent, Telemetry
from .rows import moment
from .series_rows import SHARDED

APRIL = Between(moment("2126-04-25T00:00:00"), moment("2126-04-26T23:59:59"))


def execute(telemetry: Telemetry) -> Page[ShardedEvent]:
    return telemetry.events_of_kind("TEMP_HIGH", APRIL)


def show(events: Page[ShardedEvent]) -> None:
    shards = len(Telemetry.events_of_kind.explain("TEMP_HIGH", APRIL).requests)
    print(f"TEMP_HIGH on 25 and 26 April, from {shards} shards:")
    for event in events:
        print(f"{event.at:%d %H:%M} {event.device_id} {event.value}")


SCRIPT = Script(Telemetry, SHARDED, execute, show)

if __name__ == "__main__":
    SCRIPT.main()
