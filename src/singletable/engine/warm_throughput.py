"""Warm throughput: what a table or index can serve at once, told as the service tells it, and only ever more."""

from __future__ import annotations

import msgspec

from singletable.engine.definition import IndexDefinition, TableDefinition, Throughput, WarmUnits
from singletable.errors import invalid
from singletable.wire.tables import BillingMode, ProvisionedThroughput, WarmThroughput

# What a new table that pays per request serves at once.
ON_DEMAND = WarmUnits(12_000, 4_000)
_INVALID = "One or more parameter values were invalid: "
TABLE = "table"


def of_index(name: str) -> str:
    """How a refusal names an index, where it would say `table`."""
    return f"index {name}"


def warm_units(kept: WarmUnits, mode: BillingMode, bought: Throughput | None) -> WarmUnits:
    """What is warm now: what was asked for or bought at any time, and at least what its mode begins with."""
    base = ON_DEMAND if mode == "PAY_PER_REQUEST" else _bought(bought)
    return _larger(kept, base)


def remembered(definition: TableDefinition) -> TableDefinition:
    """A definition that keeps what is warm, before a change takes away the reason for it."""
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


def asks_for_units(asked: WarmThroughput | None) -> bool:
    """Whether a request says anything; an empty structure is taken for none (captured)."""
    return asked is not None and (asked.read_units_per_second, asked.write_units_per_second) != (None, None)


def new_warm_units(
    asked: WarmThroughput | None, mode: BillingMode, bought: ProvisionedThroughput | None, what: str
) -> WarmUnits:
    """What a new table or index is to have warm; refuses less than it has anyhow."""
    if asked is None:
        return WarmUnits()
    for member, units, has, provisioned in _sides(asked, ON_DEMAND if bought is None else _requested(bought)):
        if units is not None and units < has:
            is_on_demand = mode == "PAY_PER_REQUEST"
            than = "initial throughput for OnDemand" if is_on_demand else f"{provisioned} of ProvisionedThroughput"
            raise invalid(f"{_INVALID}Requested {member} for WarmThroughput for {what} is lower than {than}")
    return WarmUnits(asked.read_units_per_second or 0, asked.write_units_per_second or 0)


def raised(has: WarmUnits, asked: WarmThroughput, what: str) -> WarmUnits:
    """What is warm after a change; refuses less than before."""
    for member, units, before, _ in _sides(asked, has):
        if units is not None and units < before:
            raise invalid(
                f"{_INVALID}Requested {member} for WarmThroughput for {what} is lower than current WarmThroughput, "
                "decreasing WarmThroughput is not supported"
            )
    return _larger(has, WarmUnits(asked.read_units_per_second or 0, asked.write_units_per_second or 0))


def _sides(asked: WarmThroughput, has: WarmUnits) -> tuple[tuple[str, int | None, int, str], ...]:
    return (
        ("ReadUnitsPerSecond", asked.read_units_per_second, has.read_units, "ReadCapacityUnits"),
        ("WriteUnitsPerSecond", asked.write_units_per_second, has.write_units, "WriteCapacityUnits"),
    )


def _bought(bought: Throughput | None) -> WarmUnits:
    return WarmUnits() if bought is None else WarmUnits(bought.read_units, bought.write_units)


def _requested(bought: ProvisionedThroughput) -> WarmUnits:
    return WarmUnits(bought.read_capacity_units, bought.write_capacity_units)


def _larger(left: WarmUnits, right: WarmUnits) -> WarmUnits:
    return WarmUnits(max(left.read_units, right.read_units), max(left.write_units, right.write_units))
