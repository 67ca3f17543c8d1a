"""Throughput changes: provisioned units, the daily limit on decreases, and warm throughput."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from singletable.engine.tables.table_definition import (
    IndexDefinition,
    OnDemandCeiling,
    TableDefinition,
    Throughput,
    WarmUnits,
)
from singletable.errors import RequestRefused, invalid
from singletable.wire.table_requests import BillingMode, OnDemandThroughput, ProvisionedThroughput, WarmThroughput

DAY_SECONDS = 86_400
FREE_DECREASES = 4  # per table or index and day (UTC)
DECREASE_SECONDS = 3_600  # the minimum time between further decreases
_INVALID = "One or more parameter values were invalid: "
_GUIDE = "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# The warm throughput of a new on-demand table.
ON_DEMAND = WarmUnits(12_000, 4_000)
TABLE = "table"


def throughput_of(provisioned: ProvisionedThroughput | None) -> Throughput | None:
    """Return the provisioned units in the form in which a table definition stores them."""
    return (
        None if provisioned is None else Throughput(provisioned.read_capacity_units, provisioned.write_capacity_units)
    )


def ceiling_of(requested: OnDemandThroughput | None, before: OnDemandCeiling | None = None) -> OnDemandCeiling | None:
    """Return the new on-demand maximums for the table definition. -1 removes a maximum, and an omitted one stays."""
    if requested is None:
        return before
    old = before or OnDemandCeiling()
    read = old.read_units_max if requested.max_read_request_units is None else requested.max_read_request_units
    write = old.write_units_max if requested.max_write_request_units is None else requested.max_write_request_units
    ceiling = OnDemandCeiling(None if read == -1 else read, None if write == -1 else write)
    return None if ceiling == OnDemandCeiling() else ceiling


def decreases_today(throughput: Throughput, now: float) -> int:
    """Return the number of decreases since midnight UTC, when DynamoDB resets the count (captured from AWS)."""
    fell_at = throughput.decreased_at
    is_today = fell_at is not None and fell_at // DAY_SECONDS == now // DAY_SECONDS
    return throughput.decreases_today if is_today else 0


def changed_units(before: Throughput | None, provisioned: ProvisionedThroughput, now: float, what: str) -> Throughput:
    """Return the changed units. Reject unchanged units and too many decreases.

    `what` names the table or index in the error message: "the table" or "the index NAME".
    """
    before = before or Throughput(0, 0)
    read, write = provisioned.read_capacity_units, provisioned.write_capacity_units
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


def first_units(before: Throughput | None, provisioned: ProvisionedThroughput, now: float) -> Throughput:
    """Return the provisioned units after a switch from on-demand billing."""
    dates = before or Throughput(0, 0)
    return msgspec.structs.replace(
        dates,
        read_units=provisioned.read_capacity_units,
        write_units=provisioned.write_capacity_units,
        increased_at=now,
    )


def to_on_demand(definition: TableDefinition, now: float) -> TableDefinition:
    """Return the definition with on-demand billing and no provisioned units."""

    def index_without(index: IndexDefinition) -> IndexDefinition:
        return msgspec.structs.replace(index, throughput=_without_units(index.throughput, now), on_demand=None)

    return msgspec.structs.replace(
        definition,
        throughput=_without_units(definition.throughput, now),
        on_demand=None,
        indexes=tuple(index_without(index) for index in definition.indexes),
    )


def without_ceilings(definition: TableDefinition) -> TableDefinition:
    """Return the definition without on-demand maximums, which provisioned billing does not allow."""
    indexes = tuple(msgspec.structs.replace(index, on_demand=None) for index in definition.indexes)
    return msgspec.structs.replace(definition, on_demand=None, indexes=indexes)


def _without_units(before: Throughput | None, now: float) -> Throughput | None:
    if before is None:
        return None
    return Throughput(0, 0, before.increased_at, now, decreases_today(before, now) + 1)


def _check_decrease(before: Throughput, now: float) -> None:
    count = decreases_today(before, now)
    if count < FREE_DECREASES or before.decreased_at is None or now - before.decreased_at >= DECREASE_SECONDS:
        return
    midnight = (now // DAY_SECONDS + 1) * DAY_SECONDS
    raise RequestRefused(
        "LimitExceededException",
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the "
        f"first {FREE_DECREASES} decreases, each subsequent decrease in the same UTC day can be performed at most once "
        f"every {DECREASE_SECONDS} seconds. Number of decreases today: {count}. Last decrease at "
        f"{_long_date(before.decreased_at)}. Next decrease can be made at "
        f"{_long_date(min(before.decreased_at + DECREASE_SECONDS, midnight))}",
    )


def _long_date(at: float) -> str:
    """Return a time like `Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time`."""
    time_ = datetime.fromtimestamp(at, UTC)
    day = f"{_DAYS[time_.weekday()]}, {_MONTHS[time_.month - 1]} {time_.day}, {time_.year}"
    hour, half = (time_.hour % 12 or 12), "AM" if time_.hour < 12 else "PM"
    return f"{day} at {hour}:{time_:%M:%S} {half} Coordinated Universal Time"


def _no_change(before: Throughput, what: str) -> RequestRefused:
    where = what if what == "the table" else what.removeprefix("the ")
    return invalid(
        f"The provisioned throughput for {what} will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for {where}: {before.read_units}. Requested ReadCapacityUnits: "
        f"{before.read_units}. Current WriteCapacityUnits provisioned for {where}: {before.write_units}. Requested "
        f"WriteCapacityUnits: {before.write_units}. {_GUIDE}"
    )


def index_label(name: str) -> str:
    """Return the text by which error messages refer to an index."""
    return f"index {name}"


def warm_units(stored: WarmUnits, mode: BillingMode, provisioned: Throughput | None) -> WarmUnits:
    """Return the current warm throughput: the maximum of the requested, provisioned and initial units."""
    base = ON_DEMAND if mode == "PAY_PER_REQUEST" else _provisioned(provisioned)
    return _larger(stored, base)


def with_warm_units(definition: TableDefinition) -> TableDefinition:
    """Return the definition with its current warm throughput saved, before a change lowers the provisioned units."""
    mode = definition.billing_mode

    def index_remembered(index: IndexDefinition) -> IndexDefinition:
        if index.is_local:
            return index
        return msgspec.structs.replace(index, warm=warm_units(index.warm, mode, index.throughput))

    return msgspec.structs.replace(
        definition,
        warm=warm_units(definition.warm, mode, definition.throughput),
        indexes=tuple(index_remembered(index) for index in definition.indexes),
    )


def requests_units(requested: WarmThroughput | None) -> bool:
    """Return whether a request specifies any units. An empty structure specifies none (captured from AWS)."""
    return requested is not None and (requested.read_units_per_second, requested.write_units_per_second) != (None, None)


def new_warm_units(
    requested: WarmThroughput | None, mode: BillingMode, provisioned: ProvisionedThroughput | None, what: str
) -> WarmUnits:
    """Return the warm throughput of a new table or index. Reject a value below the default."""
    if requested is None:
        return WarmUnits()
    default = ON_DEMAND if provisioned is None else _requested(provisioned)
    for member, units, has, setting in _sides(requested, default):
        if units is not None and units < has:
            is_on_demand = mode == "PAY_PER_REQUEST"
            than = "initial throughput for OnDemand" if is_on_demand else f"{setting} of ProvisionedThroughput"
            raise invalid(f"{_INVALID}Requested {member} for WarmThroughput for {what} is lower than {than}")
    return WarmUnits(requested.read_units_per_second or 0, requested.write_units_per_second or 0)


def raised_warm_units(has: WarmUnits, requested: WarmThroughput, what: str) -> WarmUnits:
    """Return the increased warm throughput. Reject a decrease."""
    for member, units, before, _ in _sides(requested, has):
        if units is not None and units < before:
            raise invalid(
                f"{_INVALID}Requested {member} for WarmThroughput for {what} is lower than current WarmThroughput, "
                "decreasing WarmThroughput is not supported"
            )
    return _larger(has, WarmUnits(requested.read_units_per_second or 0, requested.write_units_per_second or 0))


def _sides(requested: WarmThroughput, has: WarmUnits) -> tuple[tuple[str, int | None, int, str], ...]:
    return (
        ("ReadUnitsPerSecond", requested.read_units_per_second, has.read_units, "ReadCapacityUnits"),
        ("WriteUnitsPerSecond", requested.write_units_per_second, has.write_units, "WriteCapacityUnits"),
    )


def _provisioned(provisioned: Throughput | None) -> WarmUnits:
    return WarmUnits() if provisioned is None else WarmUnits(provisioned.read_units, provisioned.write_units)


def _requested(provisioned: ProvisionedThroughput) -> WarmUnits:
    return WarmUnits(provisioned.read_capacity_units, provisioned.write_capacity_units)


def _larger(left: WarmUnits, right: WarmUnits) -> WarmUnits:
    return WarmUnits(max(left.read_units, right.read_units), max(left.write_units, right.write_units))
