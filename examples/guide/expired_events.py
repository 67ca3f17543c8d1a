"""Hide expired events: DynamoDB returns expired items until it deletes them, but the client hides them."""

from singletable import Page

from ..script import Script
from .model import ShardedEvent, Telemetry
from .series_rows import FORGOTTEN, SHARDED


def execute(telemetry: Telemetry) -> tuple[Page[ShardedEvent], Page[ShardedEvent]]:
    latest = telemetry.latest_events
    return latest("d_001"), latest.using(expired=True)("d_001")


def show(found: tuple[Page[ShardedEvent], Page[ShardedEvent]]) -> None:
    alive, stored = found
    print(f"d_001 has {len(alive)} events, and {len(stored)} are stored:")
    for event in stored:
        expired = "" if event in alive.items else f", expired at {event.expires_at}"
        print(f"{event.at:%Y-%m-%d %H:%M} {event.kind}{expired}")


SCRIPT = Script(Telemetry, [*SHARDED, FORGOTTEN], execute, show)

if __name__ == "__main__":
    SCRIPT.main()
