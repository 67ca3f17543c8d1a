"""The monthly cost of a designed table, in total and by pattern."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from singletable.cost.call_costs import CallCost
from singletable.cost.prices import Prices
from singletable.design.designed_table import DesignedTable

_TABLE_CLASS = "standard"


@dataclass(frozen=True)
class PatternCost:
    """The read and write units of one call of a pattern, and its dollars per month. None without a rate."""

    pattern: str
    reads: float
    writes: float
    dollars: float | None


def dollars_of(table: DesignedTable, prices: Prices) -> float | None:
    """Return the cost of all requests of a month. Return None if no pattern has a rate."""
    return request_dollars(table.calls, prices)


def request_dollars(calls: Iterable[CallCost], prices: Prices) -> float | None:
    """Return the cost of all calls of a month. Return None if no pattern has a rate."""
    found = (_of_call(call, prices) for call in calls)
    known = [each.dollars for each in found if each.dollars is not None]
    return round(math.fsum(known), 6) if known else None


def without_rate(table: DesignedTable) -> tuple[str, ...]:
    """Return the patterns whose cost is unknown, because they declare no rate."""
    return tuple(sorted(call.name for call in table.calls if call.calls_per_second is None))


def pattern_costs(table: DesignedTable, prices: Prices) -> tuple[PatternCost, ...]:
    """Return the cost of every served pattern, the most expensive ones first."""
    found = [_of_call(call, prices) for call in table.calls]
    return tuple(sorted(found, key=lambda each: (-(each.dollars or 0.0), each.pattern)))


def _of_call(call: CallCost, prices: Prices) -> PatternCost:
    cost = call.estimate
    reads, writes = (cost.units, 0.0) if cost.kind == "read" else (cost.reads, cost.units)
    if call.calls_per_second is None:
        return PatternCost(call.name, reads, writes, None)
    dollars = prices.requests(_TABLE_CLASS, call.reads_per_second, call.writes_per_second)
    return PatternCost(call.name, reads, writes, round(dollars, 6))
