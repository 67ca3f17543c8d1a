"""The section on cost: what a call costs, what a month costs where rates are there, and what was guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singletable.cost.calls import CallCost
from singletable.cost.prices import Prices
from singletable.cost.report import SCALES, CostReport, cost_report
from singletable.cost.sample import Sample
from singletable.document.blocks import Block, Bullets, Fold, Link, Paragraph, Section, Words, table, words
from singletable.document.pattern_sections import anchor_of
from singletable.model.design import Design
from singletable.planner.amounts import GUESS, counted, money, number, size

_WORDS = {"small": "a tenth", "expected": "as expected", "large": "ten times"}


def cost_section(design: Design, prices: Prices, anchor: str, sample: Sample | None = None) -> Section:
    """What the patterns of a design cost at the sizes that it declares, or that the items of a sample have."""
    reports = {at: cost_report(design, prices, at=at, sample=sample) for at in SCALES}
    report = reports["expected"]
    blocks: list[Block] = [_calls(report)]
    if any(call.calls_per_second is not None for call in report.calls):
        blocks += [Paragraph(words("A month, with collections as large as expected, a tenth of it and ten times:"))]
        blocks += [_month(reports)]
    blocks.append(Fold("What plain writes cost", (_writes(report),)))
    notes = (*_measured(sample), *_notes(report))
    blocks += [Fold("What this is based on", (Bullets(notes),))]
    if report.guesses:
        blocks.insert(0, Paragraph(words(f"{GUESS} marks what rests on a guess; the guesses are listed below.")))
    return Section("Cost", anchor, tuple(blocks))


def _calls(report: CostReport) -> Block:
    headers = ("pattern", "items", "size", "one call", "strong", "in a transaction", "calls/s", "units/s", "a month")
    rows = [_call(report, call) for call in report.calls]
    return table(headers, rows, "strong", "in a transaction", "calls/s", "units/s", "a month")


def _mark(guessed: object) -> str:
    return GUESS if guessed else ""


def _call(report: CostReport, call: CallCost) -> tuple[Link | str, ...]:
    cost, rate = call.estimate, call.calls_per_second
    mark = _mark(cost.guessed)
    figures: tuple[str, ...] = ("", "", "")
    if rate is not None:
        rate_mark, month_mark = _mark(call.rate_guess), _mark(call.is_guessed)
        dollars = report.prices.requests(report.table_class, call.reads_per_second, call.writes_per_second)
        units = number(call.reads_per_second + call.writes_per_second)
        figures = (f"{rate_mark}{number(rate)}", f"{month_mark}{units}", f"{month_mark}{money(dollars)}")
    return (
        Link(call.name, anchor_of(report.design, call.name)),
        f"{_mark(cost.guesses_items)}{cost.items:,}",
        f"{_mark(cost.guesses_bytes)}{size(cost.bytes)}",
        str(cost),
        f"{mark}{number(cost.strong)}" if cost.strong is not None else "",
        f"{mark}{number(cost.transactional)}" if cost.transactional is not None else "",
        *figures,
    )


def _month(reports: Mapping[str, CostReport]) -> Block:
    rows = []
    for at, report in reports.items():
        reads, writes, kept = map(_mark, (report.guesses_reads, report.guesses_writes, report.guesses_storage))
        stored = report.storage_dollars
        mark = reads or writes or (kept if stored is not None else "")
        more = " + storage" if stored is None else ""
        requests = report.on_demand_reads + report.on_demand_writes
        rows.append(
            (
                _WORDS[at],
                f"{reads}{money(report.on_demand_reads)}",
                f"{writes}{money(report.on_demand_writes)}" if report.on_demand_writes else "none declared",
                "not known" if stored is None else f"{kept}{money(stored)}",
                f"{mark}{money(requests + (stored or 0.0))}{more}",
                f"{mark}{money(report.capacity_dollars + (stored or 0.0))}{more}",
            )
        )
    return table(("collections", "reads", "writes", "storage", "on demand", "provisioned"), rows)


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
                    f"{cost.place_mark(each)}{number(cost.by_index[each])}" if each in cost.by_index else ""
                    for each in ("table", *indexes)
                ),
                str(cost),
            )
        )
    return table(("entity", "write", "table", *indexes, "together"), rows, *indexes)


def _measured(sample: Sample | None) -> Iterator[Words]:
    for label, found in sample.sizes.items() if sample is not None else ():
        yield words(f"The size of {label} is the average of {counted(found.items, 'stored item')}.")


def _notes(report: CostReport) -> list[Words]:
    prices = report.prices
    said = [
        f"Prices in {prices.currency} of {', '.join(prices.regions)}, {prices.dated}, class {report.table_class}; "
        "no free tier.",
        f"A month is {prices.month_hours:g} hours, a GB is {prices.gb_bytes:,} bytes.",
        *(f"{GUESS} {guess}" for guess in report.guesses),
    ]
    if report.without_rate:
        said.append(f"In no month, as rate= and frequency= are missing: {', '.join(report.without_rate)}.")
    if report.unserved:
        said.append(f"Without a cost, as no request answers them: {', '.join(report.unserved)}.")
    if report.uncounted:
        said.append(f"Storage needs expected_items= on the entity: {', '.join(report.uncounted)}.")
    if not any(call.estimate.kind == "write" for call in report.calls):
        said.append("No write is declared as a pattern, so that a month holds reads only.")
    return [words(line) for line in said]
