"""A time series that is split by day and shard: no partition grows without limit, and none receives every write."""

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel

from singletable import Between, Page, Table, bucket, entity, pattern, put, query, shard


@entity(
    key=("DEVICE#{device_id}#{day}", "EVT#{at:seconds}#{id}"),
    gsi1=("EVTTYPE#{kind}#{day}#{shard}", "{at:seconds}#{device_id}#{id}"),
    derived={"day": bucket("at", "day"), "shard": shard("id", of=4)},
    attributes={"expires_at": "expiresAt"},
    ttl="expires_at",
    name="EVENT",
)
class DailyEvent(BaseModel):
    """An event of a device, partitioned by device and day, and by type, day and shard."""

    device_id: str
    id: str
    at: datetime
    kind: str
    value: Decimal
    expires_at: int


class DailyTelemetry(Table, entities=[DailyEvent], type_attribute="Type"):
    """The access patterns P6 and P7, for devices that report continuously."""

    @pattern(frequency="medium", budget_ms=30, fanout=8)
    def events_of_device(
        self, device_id: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[DailyEvent]:
        """P6: events of a device in a period of up to a week, newest first, from one partition per day."""
        return query(DailyEvent, newest_first=True)

    @pattern(frequency="low", budget_ms=100, fanout=32)
    def events_of_kind(
        self, kind: str, at: Between[datetime], *, limit: int = 100, cursor: str | None = None
    ) -> Page[DailyEvent]:
        """P7: all events of a type in a period of up to a week, from four shards per day."""
        return query(DailyEvent)

    @pattern(rate=1000)
    def report(self, event: DailyEvent) -> DailyEvent:
        """Store an event of a device."""
        return put(DailyEvent)
