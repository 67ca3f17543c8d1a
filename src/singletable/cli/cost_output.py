"""Print the cost of a design as tables, or return it as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_heading, print_table
from singletable.cost.call_costs import CallCost
from singletable.cost.cost_report import CostReport
from singletable.cost.monthly_bill import UTILISATION
from singletable.planner.estimate import Estimate
from singletable.planner.formatting import (
    GUESS_MARK,
    format_bytes,
    format_count,
    format_dollars,
    format_list,
    format_number,
)

if TYPE_CHECKING:
    from singletable.cost.call_costs import CallCost
    from singletable.cost.cost_report import CostReport
    from singletable.cost.design_comparison import DesignComparison
    from singletable.cost.measured_items import ItemSample
    from singletable.cost.recorded_comparison import CallUnits, RecordedComparison

_SIZES = {"small": "0.1 x the expected", "expected": "the expected", "large": "10 x the expected"}
_UNITS = {"read": "RRU", "write": "WRU"}


def show(
    report: CostReport,
    reports: Mapping[str, CostReport],
    sample: ItemSample | None,
    measured: list[Any] | None,
    recorded: RecordedComparison | None,
    *,
    with_comparison: bool,
) -> None:
    """Print all tables. `reports` contains one report per collection size."""
    name = report.design.name
    _show_calls(name, report)
    print()
    _show_writes(name, report)
    print()
    _show_storage(name, report)
    print()
    _show_capacity(name, report)
    print()
    _show_month(name, reports, report.at)
    if with_comparison:
        print()
        _show_comparison(name, report.comparison)
    if recorded is not None:
        print()
        _show_recorded(name, recorded)
    if measured is not None:
        print()
        _show_measurements(name, measured)
    print()
    _show_notes(report, sample)


def _show_calls(name: str, report: CostReport) -> None:
    headers = (
        "pattern", "operation", "index", "items", "size", "pages", "overfetch", "per call", "strong", "transactional",
    )  # fmt: skip
    title = f"{name}: cost per call at {_SIZES[report.at]} collection size"
    print_table(title, headers, [_call(call) for call in report.calls], optional=("overfetch", "strong"))
    print()
    rows = [_month_of(call, report) for call in report.calls]
    print_table(f"{name}: on-demand cost per month", ("pattern", "calls/s", "units/s", "per month"), rows)


def _mark(guessed: object) -> str:
    return GUESS_MARK if guessed else ""


def _call(call: CallCost) -> list[str]:
    cost, plan = call.estimate, call.plan
    mark, items_mark = _mark(cost.guessed), _mark(cost.guesses_items)
    # The plan proves the number of queries. The number of further pages depends on estimated sizes.
    paged_mark = _mark(cost.guessed and cost.pages > (plan.queries or plan.pattern.options.fanout or 1))
    return [
        call.name,
        plan.operation if plan.derived_writes is None else "TransactWriteItems",
        plan.index.label,
        f"{items_mark}{cost.items:,}",
        f"{_mark(cost.guesses_bytes)}{format_bytes(cost.bytes)}",
        f"{paged_mark}{cost.pages:,}",
        f"{items_mark}{cost.overfetch:.1f}x" if cost.wasted_items else "",
        str(cost),
        f"{mark}{format_number(cost.strong)}" if cost.strong is not None else "-" if cost.kind == "read" else "",
        f"{mark}{format_number(cost.transactional)}" if cost.transactional is not None else "-",
    ]


def _month_of(call: CallCost, report: CostReport) -> list[str]:
    rate = call.calls_per_second
    if rate is None:
        return [call.name, "?", "?", "?"]
    rate_mark, mark = _mark(call.rate_guess), _mark(call.is_guessed)
    dollars = report.prices.requests(report.table_class, call.reads_per_second, call.writes_per_second)
    units = call.reads_per_second + call.writes_per_second
    return [
        call.name,
        f"{rate_mark}{format_number(rate)}",
        f"{mark}{format_number(units)}",
        f"{mark}{format_dollars(dollars)}",
    ]


def _show_writes(name: str, report: CostReport) -> None:
    indexes = [index.label for index in report.design.indexes.values() if not index.is_table]
    rows = []
    for write in report.writes:
        cost = write.estimate
        mark = _mark(cost.guessed)
        rows.append(
            [
                write.entity.label,
                write.what,
                f"{_mark(cost.guesses_items)}{cost.items:,}",
                *(
                    f"{cost.place_mark(label)}{format_number(cost.by_index[label])}" if label in cost.by_index else ""
                    for label in ("table", *indexes)
                ),
                str(cost),
                f"{mark}{format_number(cost.transactional or 0.0)}",
            ]
        )
    headers = ("entity", "write", "items", "table", *indexes, "per call", "transactional")
    print_table(f"{name}: cost of writes per entity", headers, rows, optional=tuple(indexes))


def _show_storage(name: str, report: CostReport) -> None:
    rows = []
    for each in report.storage:
        stored, mark = each.stored_bytes, _mark(each.is_guessed)
        growth_mark = _mark(each.is_guessed or each.guesses_growth)
        rows.append(
            [
                each.entity,
                f"{_mark(each.guesses_item)}{format_bytes(each.item_bytes)}",
                f"{_mark(each.guesses_entry_bytes or each.guesses_entries)}{format_bytes(each.entry_bytes)}",
                f"{_mark(each.guesses_entries)}{format_bytes(each.overhead_bytes)}",
                f"{mark}{format_bytes(each.bytes_per_item)}",
                f"{each.items:,.0f}" if each.items is not None else "?",
                f"{mark}{format_bytes(stored)}" if stored is not None else "?",
                f"{mark}{format_dollars(report.prices.storage(report.table_class, stored))}"
                if stored is not None
                else "?",
                f"{growth_mark}{format_bytes(each.grows_by * each.bytes_per_item)}" if each.grows_by else "",
            ]
        )
    headers = (
        "entity", "item", "index entries", "overhead", "per item",
        "items", "total", "per month", "growth up to",
    )  # fmt: skip
    print_table(f"{name}: storage", headers, rows, optional=("growth up to",))


def _show_capacity(name: str, report: CostReport) -> None:
    from singletable.cost.monthly_bill import UTILISATION

    traffic, rows = report.traffic, []
    for each in report.capacity:
        reads, writes = _mark(each.place in traffic.guessed_reads), _mark(each.place in traffic.guessed_writes)
        rows.append(
            [
                each.place,
                f"{reads}{format_number(traffic.reads.get(each.place, 0.0))}",
                f"{writes}{format_number(traffic.writes.get(each.place, 0.0))}",
                f"{reads}{each.read_units:,}",
                f"{writes}{each.write_units:,}",
                f"{reads or writes}{format_dollars(each.dollars)}",
            ]
        )
    headers = ("index", "read units/s", "write units/s", "RCU", "WCU", "per month")
    print_table(f"{name}: provisioned capacity at {UTILISATION:.0%} utilisation", headers, rows)


def _show_month(name: str, reports: Mapping[str, CostReport], at: str) -> None:
    rows = []
    for each, report in reports.items():
        reads, writes, storage_mark = map(_mark, (report.guesses_reads, report.guesses_writes, report.guesses_storage))
        storage = report.storage_dollars
        mark = reads or writes or (storage_mark if storage is not None else "")
        requests = report.on_demand_reads + report.on_demand_writes
        stored = 0.0 if storage is None else storage
        missing = " + storage" if storage is None else ""
        rows.append(
            [
                f"{each}{' *' if each == at else ''}",
                f"{reads}{format_dollars(report.on_demand_reads)}",
                f"{writes}{format_dollars(report.on_demand_writes)}",
                "?" if storage is None else f"{storage_mark}{format_dollars(storage)}",
                f"{mark}{format_dollars(requests + stored)}{missing}",
                f"{mark}{format_dollars(report.capacity_dollars + stored)}{missing}",
            ]
        )
    headers = ("collection size", "reads", "writes", "storage", "on demand", "provisioned")
    print_table(f"{name}: total cost per month", headers, rows)


def _show_comparison(name: str, comparison: DesignComparison) -> None:
    rows = []
    for each in comparison.patterns:
        mark, unit = _mark(each.guessed), _UNITS[each.kind]
        rows.append(
            [
                each.name,
                f"{mark}{format_number(each.together)} {unit}",
                f"{mark}{format_number(each.apart)} {unit}",
                f"{each.requests_together:,}",
                f"{each.requests_apart:,}",
            ]
        )
    headers = (
        "pattern",
        "one table",
        format_count(comparison.tables, "table"),
        "requests",
        f"requests with {comparison.tables}",
    )
    print_table(f"{name}: compared with one table per entity", headers, rows)
    print(comparison.sentence)


def _show_recorded(name: str, comparison: RecordedComparison) -> None:
    rows = []
    for each in comparison.patterns:
        rate = each.calls_per_second
        rows.append(
            [
                each.name,
                "?" if rate is None else format_number(rate),
                _units_of(each.together),
                _units_of(each.recorded),
                format_number(each.together.requests),
                format_number(each.recorded.requests),
            ]
        )
    tables = format_count(comparison.total.tables, "recorded table")
    headers = ("pattern", "calls/s", "one table", tables, "requests", "recorded requests")
    print_table(f"{name}: compared with the recorded requests, per call", headers, rows)
    print(comparison.total.sentence)
    for each in comparison.patterns:
        if each.left_out:
            missing = format_list(each.left_out)
            print(f"  {each.name}: the model has no pattern {missing}, which may not be necessary with one table")
    if comparison.only_recorded:
        names = ", ".join(comparison.only_recorded)
        print(f"  recorded, but not compared, because the model has no pattern with this name: {names}")
    if comparison.only_in_model:
        print(f"  not recorded, and not compared: {', '.join(comparison.only_in_model)}")


def _units_of(units: CallUnits) -> str:
    mark = _mark(units.is_guessed)
    parts = [f"{mark}{format_number(units.writes)} WRU"] if units.writes else []
    reads = [f"{mark}{format_number(units.reads)} RRU"] if units.reads or not parts else []
    return " + ".join([*parts, *reads])


def _show_measurements(name: str, measured: list[Any]) -> None:
    rows = [
        [
            each.name,
            str(each.calls) if each.calls else "",
            each.estimated,
            each.consumed if each.calls else "",
            f"{each.ratio:.2f}" if each.ratio is not None else "",
            each.note,
        ]
        for each in measured
    ]
    headers = ("pattern", "calls", "estimate", "measured", "measured / estimate", "note")
    print_table(f"{name}: measured consumption, average per call", headers, rows, optional=("note",))


def _show_notes(report: CostReport, sample: ItemSample | None) -> None:
    prices = report.prices
    print_heading("Assumptions")
    regions = ", ".join(prices.regions)
    print(
        f"  prices: {prices.currency}, {regions}, {prices.dated}, table class {report.table_class}; without free tier"
    )
    print(f"  1 month = {prices.month_hours:g} hours, 1 GB = {prices.gb_bytes:,} bytes")
    if sample is not None:
        for label, seen in sample.sizes.items():
            print(f"  size of {label}: average of {seen.items:,} items")
        if sample.unknown:
            print(f"  {sample.unknown:,} items of the sample belong to no entity and are not counted")
    for guess in report.guesses:
        print(f"  {GUESS_MARK} {guess}")
    if report.without_rate:
        print(f"  not in the monthly cost, without rate= or frequency=: {', '.join(report.without_rate)}")
    if report.unserved:
        print(f"  without a cost, because no request serves them: {', '.join(report.unserved)}")
    if report.uncounted:
        print(f"  not in the storage cost, without expected_items= or --items: {', '.join(report.uncounted)}")
    if not any(call.estimate.kind == "write" for call in report.calls):
        print("  no write pattern is declared, so the monthly cost covers reads only")


def document(
    report: CostReport,
    reports: Mapping[str, CostReport],
    measured: list[Any] | None,
    recorded: RecordedComparison | None,
) -> dict[str, Any]:
    """Return the content of all tables as a JSON document."""
    found: dict[str, Any] = {
        "table": report.design.name,
        "collections": report.at,
        "table_class": report.table_class,
        "prices": asdict(report.prices),
        "patterns": [_call_document(call, report) for call in report.calls],
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
    if recorded is not None:
        found["recorded"] = {**asdict(recorded), "sentence": recorded.total.sentence}
    return found


def _call_document(call: CallCost, report: CostReport) -> dict[str, Any]:
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
    derived = [{"entity": entity.label, "units": dict(units)} for entity, units in cost.derived_units]
    return {**asdict(replace(cost, derived_units=())), "derived_units": derived, "overfetch": cost.overfetch}


def _month(report: CostReport) -> dict[str, Any]:
    return {
        "on_demand_reads": report.on_demand_reads,
        "on_demand_writes": report.on_demand_writes,
        "provisioned": report.capacity_dollars,
        "storage": report.storage_dollars,
    }
