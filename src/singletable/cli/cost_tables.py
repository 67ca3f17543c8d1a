"""The cost of a design as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_heading, print_table
from singletable.planner.amounts import GUESS, counted, money, number, size

if TYPE_CHECKING:
    from singletable.cost.calls import CallCost
    from singletable.cost.compare import Comparison
    from singletable.cost.report import CostReport
    from singletable.cost.sample import Sample

_WORDS = {"small": "a tenth of what is expected", "expected": "as expected", "large": "ten times as large as expected"}
_UNITS = {"read": "RRU", "write": "WRU"}


def show(
    report: CostReport,
    reports: Mapping[str, CostReport],
    sample: Sample | None,
    measured: list[Any] | None,
    *,
    with_comparison: bool,
) -> None:
    """Everything, table by table; `reports` are those of the three sizes of collections."""
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
    if measured is not None:
        print()
        _show_measured(name, measured)
    print()
    _show_notes(report, sample)


def _show_calls(name: str, report: CostReport) -> None:
    headers = (
        "pattern", "operation", "index", "items", "size", "pages", "overfetch", "one call", "strong", "transaction",
    )  # fmt: skip
    title = f"{name}: one call of each pattern, collections {_WORDS[report.at]}"
    print_table(title, headers, [_call(call) for call in report.calls], optional=("overfetch", "strong"))
    print()
    rows = [_month_of(call, report) for call in report.calls]
    print_table(f"{name}: a month of each pattern, on demand", ("pattern", "calls/s", "units/s", "a month"), rows)


def _mark(guessed: object) -> str:
    return GUESS if guessed else ""


def _call(call: CallCost) -> list[str]:
    cost, plan = call.estimate, call.plan
    mark, items_mark = _mark(cost.guessed), _mark(cost.guesses_items)
    # What the plan proves is no guess; pages beyond it are there because of the sizes.
    paged_mark = _mark(cost.guessed and cost.pages > (plan.queries or plan.pattern.options.fanout or 1))
    return [
        call.name,
        plan.operation if plan.kept is None else "TransactWriteItems",
        plan.index.label,
        f"{items_mark}{cost.items:,}",
        f"{_mark(cost.guesses_bytes)}{size(cost.bytes)}",
        f"{paged_mark}{cost.pages:,}",
        f"{items_mark}{cost.overfetch:.1f}x" if cost.vain_items else "",
        str(cost),
        f"{mark}{number(cost.strong)}" if cost.strong is not None else "-" if cost.kind == "read" else "",
        f"{mark}{number(cost.transactional)}" if cost.transactional is not None else "-",
    ]


def _month_of(call: CallCost, report: CostReport) -> list[str]:
    rate = call.calls_per_second
    if rate is None:
        return [call.name, "?", "?", "?"]
    rate_mark, mark = _mark(call.rate_guess), _mark(call.is_guessed)
    dollars = report.prices.requests(report.table_class, call.reads_per_second, call.writes_per_second)
    units = call.reads_per_second + call.writes_per_second
    return [call.name, f"{rate_mark}{number(rate)}", f"{mark}{number(units)}", f"{mark}{money(dollars)}"]


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
                    f"{cost.place_mark(label)}{number(cost.by_index[label])}" if label in cost.by_index else ""
                    for label in ("table", *indexes)
                ),
                str(cost),
                f"{mark}{number(cost.transactional or 0.0)}",
            ]
        )
    headers = ("entity", "write", "items", "table", *indexes, "one call", "in a transaction")
    print_table(f"{name}: plain writes of every entity", headers, rows, optional=tuple(indexes))


def _show_storage(name: str, report: CostReport) -> None:
    rows = []
    for each in report.storage:
        stored, mark = each.stored_bytes, _mark(each.is_guessed)
        growth_mark = _mark(each.is_guessed or each.guesses_growth)
        rows.append(
            [
                each.entity,
                f"{_mark(each.guesses_item)}{size(each.item_bytes)}",
                f"{_mark(each.guesses_beside or each.guesses_entries)}{size(each.beside_bytes)}",
                f"{_mark(each.guesses_entries)}{size(each.overhead_bytes)}",
                f"{mark}{size(each.bytes_per_item)}",
                f"{each.items:,.0f}" if each.items is not None else "?",
                f"{mark}{size(stored)}" if stored is not None else "?",
                f"{mark}{money(report.prices.storage(report.table_class, stored))}" if stored is not None else "?",
                f"{growth_mark}{size(each.grows_by * each.bytes_per_item)}" if each.grows_by else "",
            ]
        )
    headers = (
        "entity", "item", "index entries", "overhead", "stored for each",
        "items", "together", "a month", "grows by up to",
    )  # fmt: skip
    print_table(f"{name}: storage", headers, rows, optional=("grows by up to",))


def _show_capacity(name: str, report: CostReport) -> None:
    from singletable.cost.month import UTILISATION

    traffic, rows = report.traffic, []
    for each in report.capacity:
        reads, writes = _mark(each.place in traffic.guessed_reads), _mark(each.place in traffic.guessed_writes)
        rows.append(
            [
                each.place,
                f"{reads}{number(traffic.reads.get(each.place, 0.0))}",
                f"{writes}{number(traffic.writes.get(each.place, 0.0))}",
                f"{reads}{each.read_units:,}",
                f"{writes}{each.write_units:,}",
                f"{reads or writes}{money(each.dollars)}",
            ]
        )
    headers = ("where", "read units/s", "write units/s", "RCU", "WCU", "a month")
    print_table(f"{name}: capacity if it is provisioned, used to {UTILISATION:.0%}", headers, rows)


def _show_month(name: str, reports: Mapping[str, CostReport], at: str) -> None:
    rows = []
    for each, report in reports.items():
        reads, writes, kept = map(_mark, (report.guesses_reads, report.guesses_writes, report.guesses_storage))
        storage = report.storage_dollars
        mark = reads or writes or (kept if storage is not None else "")
        requests = report.on_demand_reads + report.on_demand_writes
        stored = 0.0 if storage is None else storage
        missing = " + storage" if storage is None else ""
        rows.append(
            [
                f"{each}{' *' if each == at else ''}",
                f"{reads}{money(report.on_demand_reads)}",
                f"{writes}{money(report.on_demand_writes)}",
                "?" if storage is None else f"{kept}{money(storage)}",
                f"{mark}{money(requests + stored)}{missing}",
                f"{mark}{money(report.capacity_dollars + stored)}{missing}",
            ]
        )
    headers = ("collections", "reads", "writes", "storage", "on demand", "provisioned")
    print_table(f"{name}: a month", headers, rows)


def _show_comparison(name: str, comparison: Comparison) -> None:
    rows = []
    for each in comparison.patterns:
        mark, unit = _mark(each.guessed), _UNITS[each.kind]
        rows.append(
            [
                each.name,
                f"{mark}{number(each.together)} {unit}",
                f"{mark}{number(each.apart)} {unit}",
                f"{each.requests_together:,}",
                f"{each.requests_apart:,}",
            ]
        )
    headers = (
        "pattern",
        "one table",
        counted(comparison.tables, "table"),
        "requests",
        f"requests of {comparison.tables}",
    )
    print_table(f"{name}: one table beside a table for each entity", headers, rows)
    print(comparison.sentence)


def _show_measured(name: str, measured: list[Any]) -> None:
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
    print_table(f"{name}: what the engine consumed, on average of the calls", headers, rows, optional=("note",))


def _show_notes(report: CostReport, sample: Sample | None) -> None:
    prices = report.prices
    print_heading("What this is based on")
    regions = ", ".join(prices.regions)
    print(f"  prices in {prices.currency} of {regions}, {prices.dated}, class {report.table_class}; no free tier")
    print(f"  a month is {prices.month_hours:g} hours, a GB is {prices.gb_bytes:,} bytes")
    if sample is not None:
        for label, seen in sample.sizes.items():
            print(f"  the size of {label} is the average of {seen.items:,} items")
        if sample.unknown:
            print(f"  {sample.unknown:,} items of the sample are none of the model's, and are not counted")
    for guess in report.guesses:
        print(f"  {GUESS} {guess}")
    if report.without_rate:
        print(f"  in no month, as rate= and frequency= are missing: {', '.join(report.without_rate)}")
    if report.unserved:
        print(f"  without a cost, as no request answers them: {', '.join(report.unserved)}")
    if report.uncounted:
        print(f"  storage needs expected_items= on the entity, or --items: {', '.join(report.uncounted)}")
    if not any(call.estimate.kind == "write" for call in report.calls):
        print("  no write is declared as a pattern, so that a month holds reads only")
