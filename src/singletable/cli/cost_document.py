"""The cost of a design as one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from singletable.cost.calls import CallCost
from singletable.cost.month import UTILISATION
from singletable.cost.report import CostReport
from singletable.planner.estimate import Estimate


def document(report: CostReport, reports: Mapping[str, CostReport], measured: list[Any] | None) -> dict[str, Any]:
    """Everything that the tables show, in numbers."""
    found: dict[str, Any] = {
        "table": report.design.name,
        "collections": report.at,
        "table_class": report.table_class,
        "prices": asdict(report.prices),
        "patterns": [_call(call, report) for call in report.calls],
        "plain_writes": [
            {"entity": each.entity.label, "write": each.what, **_estimate(each.estimate)} for each in report.writes
        ],
        "storage": [
            {**asdict(each), "bytes_per_item": each.bytes_per_item, "stored_bytes": each.stored_bytes}
            for each in report.storage
        ],
        "provisioned": {"utilisation": UTILISATION, "capacity": [asdict(each) for each in report.capacity]},
        "month": {at: _month(each) for at, each in reports.items()},
        "comparison": {**asdict(report.comparison), "sentence": report.comparison.sentence},
        "guesses": report.guesses,
        "without_rate": report.without_rate,
        "unserved": report.unserved,
        "uncounted": report.uncounted,
    }
    if measured is not None:
        found["measured"] = [asdict(each) for each in measured]
    return found


def _call(call: CallCost, report: CostReport) -> dict[str, Any]:
    return {
        "pattern": call.name,
        "operation": call.plan.operation,
        "index": call.plan.index.label,
        "requests": call.requests,
        **_estimate(call.estimate),
        "calls_per_second": call.calls_per_second,
        "rate_guess": call.rate_guess,
        "read_units_per_second": call.reads_per_second,
        "write_units_per_second": call.writes_per_second,
        "dollars_a_month": report.prices.requests(report.table_class, call.reads_per_second, call.writes_per_second),
    }


def _estimate(cost: Estimate) -> dict[str, Any]:
    return {**asdict(cost), "overfetch": cost.overfetch}


def _month(report: CostReport) -> dict[str, Any]:
    return {
        "on_demand_reads": report.on_demand_reads,
        "on_demand_writes": report.on_demand_writes,
        "provisioned": report.capacity_dollars,
        "storage": report.storage_dollars,
    }
