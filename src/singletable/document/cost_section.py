"""The cost section: cost per call, cost per month where rates are declared, and the assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singletable.cost.call_costs import CallCost
from singletable.cost.cost_report import SCALES, CostReport, cost_report
from singletable.cost.measured_items import ItemSample
from singletable.cost.prices import Prices
from singletable.document.blocks import Block, Bullets, Fold, Link, Paragraph, Section, Words, table, words
from singletable.document.pattern_sections import anchor_of
from singletable.model.design import Design
from singletable.planner.formatting import GUESS_MARK, format_bytes, format_count, format_dollars, format_number

_SIZES = {"small": "0.1 x expected", "expected": "expected", "large": "10 x expected"}


def cost_section(design: Design, prices: Prices, anchor: str, sample: ItemSample | None = None) -> Section:
    """Return the cost section, with the item sizes that the design declares or that a sample has."""
    reports = {at: cost_report(design, prices, at=at, sample=sample) for at in SCALES}
    report = reports["expected"]
    blocks: list[Block] = [_calls(report)]
    if any(call.calls_per_second is not None for call in report.calls):
        blocks += [Paragraph(words("Monthly cost by collection size:"))]
        blocks += [_month(reports)]
    blocks.append(Fold("Cost of writes", (_writes(report),)))
    notes = (*_measured(sample), *_notes(report))
    blocks += [Fold("Assumptions", (Bullets(notes),))]
    if report.guesses:
        blocks.insert(0, Paragraph(words(f"{GUESS_MARK} marks estimates; their assumptions are listed below.")))
    return Section("Cost", anchor, tuple(blocks))


def _calls(report: CostReport) -> Block:
    headers = ("pattern", "items", "size", "per call", "strong", "transactional", "calls/s", "units/s", "per month")
    rows = [_call(report, call) for call in report.calls]
    return table(headers, rows, "strong", "transactional", "calls/s", "units/s", "per month")


def _mark(guessed: object) -> str:
    return GUESS_MARK if guessed else ""


def _call(report: CostReport, call: CallCost) -> tuple[Link | str, ...]:
    cost, rate = call.estimate, call.calls_per_second
    mark = _mark(cost.guessed)
    figures: tuple[str, ...] = ("", "", "")
    if rate is not None:
        rate_mark, month_mark = _mark(call.rate_guess), _mark(call.is_guessed)
        dollars = report.prices.requests(report.table_class, call.reads_per_second, call.writes_per_second)
        units = format_number(call.reads_per_second + call.writes_per_second)
        figures = (
            f"{rate_mark}{format_number(rate)}",
            f"{month_mark}{units}",
            f"{month_mark}{format_dollars(dollars)}",
        )
    return (
        Link(call.name, anchor_of(report.design, call.name)),
        f"{_mark(cost.guesses_items)}{cost.items:,}",
        f"{_mark(cost.guesses_bytes)}{format_bytes(cost.bytes)}",
        str(cost),
        f"{mark}{format_number(cost.strong)}" if cost.strong is not None else "",
        f"{mark}{format_number(cost.transactional)}" if cost.transactional is not None else "",
        *figures,
    )


def _month(reports: Mapping[str, CostReport]) -> Block:
    rows = []
    for at, report in reports.items():
        reads, writes, storage = map(_mark, (report.guesses_reads, report.guesses_writes, report.guesses_storage))
        stored = report.storage_dollars
        mark = reads or writes or (storage if stored is not None else "")
        more = " + storage" if stored is None else ""
        requests = report.on_demand_reads + report.on_demand_writes
        rows.append(
            (
                _SIZES[at],
                f"{reads}{format_dollars(report.on_demand_reads)}",
                f"{writes}{format_dollars(report.on_demand_writes)}" if report.on_demand_writes else "none declared",
                "unknown" if stored is None else f"{storage}{format_dollars(stored)}",
                f"{mark}{format_dollars(requests + (stored or 0.0))}{more}",
                f"{mark}{format_dollars(report.capacity_dollars + (stored or 0.0))}{more}",
            )
        )
    return table(("collection size", "reads", "writes", "storage", "on demand", "provisioned"), rows)


def _writes(report: CostReport) -> Block:
    indexes = [index.label for index in report.design.indexes.values() if not index.is_table]
    rows = []
    for write in report.writes:
        cost = write.estimate
        rows.append(
            (
                write.entity.label,
                write.what,
                *(
                    f"{cost.place_mark(each)}{format_number(cost.by_index[each])}" if each in cost.by_index else ""
                    for each in ("table", *indexes)
                ),
                str(cost),
            )
        )
    return table(("entity", "write", "table", *indexes, "total"), rows, *indexes)


def _measured(sample: ItemSample | None) -> Iterator[Words]:
    for label, found in sample.sizes.items() if sample is not None else ():
        yield words(f"Size of {label}: average of {format_count(found.items, 'stored item')}.")


def _notes(report: CostReport) -> list[Words]:
    prices = report.prices
    notes = [
        f"Prices: {prices.currency}, {', '.join(prices.regions)}, {prices.dated}, table class {report.table_class}; "
        "no free tier.",
        f"1 month = {prices.month_hours:g} hours, 1 GB = {prices.gb_bytes:,} bytes.",
        *(f"{GUESS_MARK} {guess}" for guess in report.guesses),
    ]
    if report.without_rate:
        notes.append(f"Not in the monthly cost, for lack of rate= or frequency=: {', '.join(report.without_rate)}.")
    if report.unserved:
        notes.append(f"Without a cost, because no request serves them: {', '.join(report.unserved)}.")
    if report.uncounted:
        notes.append(f"Not in the storage cost, for lack of expected_items=: {', '.join(report.uncounted)}.")
    if not any(call.estimate.kind == "write" for call in report.calls):
        notes.append("No write pattern is declared, so the monthly cost covers reads only.")
    return [words(line) for line in notes]
