"""The monthly cost of a designed table, in total and by pattern."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.cost.cost_report import CostReport, cost_report
from singletable.cost.prices import Prices
from singletable.design.designed_table import DesignedTable


@dataclass(frozen=True)
class PatternCost:
    """The read and write units of one call of a pattern, and its dollars per month. None without a rate."""

    pattern: str
    reads: float
    writes: float
    dollars: float | None


def dollars_of(table: DesignedTable, prices: Prices) -> tuple[float | None, tuple[str, ...]]:
    """Return the cost of all requests of a month, and the patterns without a rate.

    The cost is None if no pattern has a rate.
    """
    report = cost_report(table.after, prices)
    if all(call.calls_per_second is None for call in report.calls):
        return None, report.without_rate
    # Rounded, because a sum depends on the order of its parts in the last digits.
    return round(report.on_demand_reads + report.on_demand_writes, 6), report.without_rate


def pattern_costs(table: DesignedTable, prices: Prices) -> tuple[PatternCost, ...]:
    """Return the cost of every served pattern, the most expensive ones first."""
    report = cost_report(table.after, prices)
    found = [_of_call(report, number) for number in range(len(report.calls))]
    return tuple(sorted(found, key=lambda each: (-(each.dollars or 0.0), each.pattern)))


def _of_call(report: CostReport, number: int) -> PatternCost:
    call = report.calls[number]
    cost = call.estimate
    reads, writes = (cost.units, 0.0) if cost.kind == "read" else (cost.reads, cost.units)
    if call.calls_per_second is None:
        return PatternCost(call.name, reads, writes, None)
    dollars = report.prices.requests(report.table_class, call.reads_per_second, call.writes_per_second)
    return PatternCost(call.name, reads, writes, round(dollars, 6))
