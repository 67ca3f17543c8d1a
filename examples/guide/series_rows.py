"""Events with a retention of 90 days, for the time series by shard and by day.

The events are from the year 2126, so they have not expired when you run the examples. The expired event is from
2016: DynamoDB does not delete items that expired more than five years ago, so this event stays in the table.
"""

from datetime import datetime, timedelta
from decimal import Decimal

from .model import ShardedEvent
from .rows import moment
from .series import DailyEvent

RETENTION = timedelta(days=90)


def kept_until(at: datetime) -> int:
    """Return the expiry time of an event, in seconds since 1970."""
    return int((at + RETENTION).timestamp())


_REPORTED = [
    (f"d_{device:03}", f"e_{number:03}", moment(f"2126-04-{day}T{hour:02}:{minute:02}:00"), kind, value)
    for number, (device, day, hour, minute, kind, value) in enumerate(
        [
            (1, 24, 22, 10, "TEMP_HIGH", "80.5"),
            (2, 24, 23, 5, "HEARTBEAT", "1"),
            (2, 25, 4, 0, "TEMP_HIGH", "85.25"),
            (3, 25, 9, 30, "TEMP_HIGH", "79.9"),
            (1, 25, 9, 31, "TEMP_HIGH", "82.5"),
            (3, 25, 20, 0, "HEARTBEAT", "1"),
            (1, 26, 7, 45, "TEMP_HIGH", "83.1"),
            (2, 26, 7, 45, "TEMP_HIGH", "90.4"),
            (3, 26, 8, 15, "TEMP_HIGH", "78.8"),
            (1, 26, 11, 59, "HEARTBEAT", "1"),
        ],
        start=1,
    )
]
SHARDED = [
    ShardedEvent(device_id=device, id=id_, at=at, kind=kind, value=Decimal(value), expires_at=kept_until(at))
    for device, id_, at, kind, value in _REPORTED
]
DAILY = [DailyEvent(**event.model_dump()) for event in SHARDED]
FORGOTTEN = ShardedEvent(
    device_id="d_001",
    id="e_000",
    at=moment("2016-01-20T06:00:00"),
    kind="TEMP_HIGH",
    value=Decimal("88.5"),
    expires_at=kept_until(moment("2016-01-20T06:00:00")),
)
"""An expired event that is not deleted yet."""
