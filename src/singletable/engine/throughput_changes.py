"""Changes of bought units: when they rose and fell, and how often they may fall in a day."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from singletable.engine.definition import IndexDefinition, TableDefinition, Throughput
from singletable.errors import RequestRefused, invalid
from singletable.wire.tables import ProvisionedThroughput

DAY_SECONDS = 86_400
FREE_DECREASES = 4  # of a table or an index, each day (UTC)
DECREASE_SECONDS = 3_600  # between the decreases that follow those
_GUIDE = "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def decreases_today(throughput: Throughput, now: float) -> int:
    """How often the units fell since midnight, UTC; the service forgets at that moment (captured)."""
    fell_at = throughput.decreased_at
    is_today = fell_at is not None and fell_at // DAY_SECONDS == now // DAY_SECONDS
    return throughput.decreases_today if is_today else 0


def changed_units(had: Throughput | None, bought: ProvisionedThroughput, now: float, what: str) -> Throughput:
    """Other units with their dates; refuses the same ones, and one decrease too many. `what` is a table or index."""
    before = had or Throughput(0, 0)
    read, write = bought.read_capacity_units, bought.write_capacity_units
    if (read, write) == (before.read_units, before.write_units):
        raise _no_change(before, what)
    rose = read > before.read_units or write > before.write_units
    fell = read < before.read_units or write < before.write_units
    if fell:
        _check_decrease(before, now)
    return Throughput(
        read,
        write,
        increased_at=now if rose else before.increased_at,
        decreased_at=now if fell else before.decreased_at,
        decreases_today=decreases_today(before, now) + fell,
    )


def first_units(had: Throughput | None, bought: ProvisionedThroughput, now: float) -> Throughput:
    """The units of a table or index that paid per request until now."""
    dates = had or Throughput(0, 0)
    return msgspec.structs.replace(
        dates, read_units=bought.read_capacity_units, write_units=bought.write_capacity_units, increased_at=now
    )


def without_units(definition: TableDefinition, now: float) -> TableDefinition:
    """A table that begins to pay per request: all units fall to nothing, those of the indexes too."""

    def index_without(index: IndexDefinition) -> IndexDefinition:
        return msgspec.structs.replace(index, throughput=_given_up(index.throughput, now), on_demand=None)

    return msgspec.structs.replace(
        definition,
        throughput=_given_up(definition.throughput, now),
        on_demand=None,
        indexes=tuple(index_without(index) for index in definition.indexes),
    )


def without_ceilings(definition: TableDefinition) -> TableDefinition:
    """A table that no longer pays per request has no ceiling for that, nor have its indexes."""
    indexes = tuple(msgspec.structs.replace(index, on_demand=None) for index in definition.indexes)
    return msgspec.structs.replace(definition, on_demand=None, indexes=indexes)


def _given_up(had: Throughput | None, now: float) -> Throughput | None:
    if had is None:
        return None
    return Throughput(0, 0, had.increased_at, now, decreases_today(had, now) + 1)


def _check_decrease(had: Throughput, now: float) -> None:
    count = decreases_today(had, now)
    if count < FREE_DECREASES or had.decreased_at is None or now - had.decreased_at >= DECREASE_SECONDS:
        return
    midnight = (now // DAY_SECONDS + 1) * DAY_SECONDS
    raise RequestRefused(
        "LimitExceededException",
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the "
        f"first {FREE_DECREASES} decreases, each subsequent decrease in the same UTC day can be performed at most once "
        f"every {DECREASE_SECONDS} seconds. Number of decreases today: {count}. Last decrease at "
        f"{_spelled(had.decreased_at)}. Next decrease can be made at "
        f"{_spelled(min(had.decreased_at + DECREASE_SECONDS, midnight))}",
    )


def _spelled(at: float) -> str:
    """A moment as the service spells it: `Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time`."""
    moment = datetime.fromtimestamp(at, UTC)
    day = f"{_DAYS[moment.weekday()]}, {_MONTHS[moment.month - 1]} {moment.day}, {moment.year}"
    hour, half = (moment.hour % 12 or 12), "AM" if moment.hour < 12 else "PM"
    return f"{day} at {hour}:{moment:%M:%S} {half} Coordinated Universal Time"


def _no_change(had: Throughput, what: str) -> RequestRefused:
    where = what if what == "the table" else what.removeprefix("the ")
    return invalid(
        f"The provisioned throughput for {what} will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for {where}: {had.read_units}. Requested ReadCapacityUnits: "
        f"{had.read_units}. Current WriteCapacityUnits provisioned for {where}: {had.write_units}. Requested "
        f"WriteCapacityUnits: {had.write_units}. {_GUIDE}"
    )
