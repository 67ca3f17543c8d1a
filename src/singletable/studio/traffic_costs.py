"""Traffic costs: the monthly cost and the hottest partitions at chosen call rates, and measured units per pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from singletable.cost.call_costs import CallCost, call_costs
from singletable.cost.monthly_bill import provisioned, units_per_second
from singletable.cost.prices import Prices
from singletable.errors import ArgumentRefused, SingletableError
from singletable.heat.hot_partitions import hot_partitions
from singletable.planner.estimate import estimate
from singletable.planner.formatting import GUESS_MARK, format_dollars, format_number
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan
from singletable.studio.column_pages import ColumnPosition
from singletable.studio.page_templates import render
from singletable.studio.pattern_runs import PatternRun, run_page
from singletable.studio.workspace import TableView, Workspace

Document = dict[str, Any]
RATE = "r."
RATE_MAX, TIMES_MAX = 1e7, 1e6
_TABLE_CLASS = "standard"


@dataclass(frozen=True)
class RatedCall(CallCost):
    """The cost of a pattern at a chosen call rate."""

    rate: float | None = None

    @property
    def calls_per_second(self) -> float | None:
        """The chosen rate, in place of the declared one."""
        return self.rate


@dataclass(frozen=True)
class TrafficLine:
    """A pattern at a chosen call rate."""

    name: str
    rate: str
    units: str
    per_second: str
    dollars: str
    is_write: bool
    is_guessed: bool


@dataclass(frozen=True)
class HotLine:
    """A partition at the chosen traffic, with the share that it needs of the limit of one partition."""

    template: str
    index: str
    percent: float
    note: str
    patterns: tuple[str, ...]

    @property
    def is_over(self) -> bool:
        """Whether the partition needs more than one physical partition can serve."""
        return self.percent > 100

    @property
    def width(self) -> float:
        """The length of the bar, of 100."""
        return round(min(self.percent, 100.0), 1)

    @property
    def shown(self) -> str:
        """The percentage as text."""
        return f"{self.percent:,.0f}%" if self.percent >= 1 else "< 1%"


def traffic(view: TableView, prices: Prices, given: Mapping[str, str]) -> Document:
    """Return the cost and the heat at chosen rates: `times` multiplies all of them, `r.PATTERN` replaces one."""
    design = view.design
    times = _number(given.get("times", ""), "times", TIMES_MAX)
    factor = 1.0 if times is None else times
    calls = [_rated(call, factor, given) for call in call_costs(design, ItemSizes(design))]
    units = units_per_second(design, calls)
    capacity = sum(each.dollars for each in provisioned(design, units, prices, _TABLE_CLASS))
    reads = prices.requests(_TABLE_CLASS, units.read_units, 0.0)
    writes = prices.requests(_TABLE_CLASS, 0.0, units.write_units)
    return {
        "times": f"{factor:g}",
        "lines": [_line(call, prices, given) for call in calls],
        "on_demand": f"{GUESS_MARK}{format_dollars(reads + writes)}",
        "provisioned": f"{GUESS_MARK}{format_dollars(capacity)}",
        "per_second": f"{format_number(units.read_units)} RRU and {format_number(units.write_units)} WRU",
        "hot": [
            HotLine(
                each.template,
                "Table" if each.index.is_table else each.index.label,
                100 * each.demand.partitions,
                each.unsplittable_reason,
                tuple(dict.fromkeys(load.pattern for load in each.loads)),
            )
            for each in hot_partitions(design, [call for call in calls if call.rate])
        ],
    }


def _rated(call: CallCost, factor: float, given: Mapping[str, str]) -> RatedCall:
    chosen = _number(given.get(f"{RATE}{call.name}", ""), call.name, RATE_MAX)
    rate = call.calls_per_second if chosen is None else chosen
    return RatedCall(call.plan, call.estimate, call.requests, None if rate is None else rate * factor)


def _number(text: str, name: str, most: float) -> float | None:
    if not text.strip():
        return None
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= most:
        raise ArgumentRefused(f"{name} must be a number from 0 to {most:,.0f}, got {text!r}")
    return found


def _line(call: RatedCall, prices: Prices, given: Mapping[str, str]) -> TrafficLine:
    chosen = given.get(f"{RATE}{call.name}", "")
    declared = call.plan.pattern.calls_per_second
    reads, writes = call.reads_per_second, call.writes_per_second
    shown = [f"{format_number(reads)} RRU"] * bool(reads) + [f"{format_number(writes)} WRU"] * bool(writes)
    dollars = prices.requests(_TABLE_CLASS, reads, writes)
    return TrafficLine(
        call.name,
        chosen or ("" if declared is None else f"{declared:g}"),
        str(call.estimate),
        " ".join(shown) or "0",
        f"{GUESS_MARK}{format_dollars(dollars)}" if call.rate is not None else "",
        call.plan.pattern.is_write,
        bool(call.estimate.guessed),
    )


@dataclass(frozen=True)
class MeasuredLine:
    """A pattern whose calls of this session consumed units, compared with the estimate."""

    name: str
    calls: int
    estimated: str
    measured: str
    ratio: str
    is_over: bool


def measured_lines(view: TableView) -> list[MeasuredLine]:
    """Return the patterns that ran in this session, with the units of one call."""
    found = []
    for outcome in view.report.outcomes:
        calls, cost = view.measured.by_pattern.get(outcome.pattern.name, (0, None))
        if cost is None or not isinstance(outcome, Plan):
            continue
        expected = estimate(view.design, outcome)
        mean = (cost.write_units if outcome.pattern.is_write else cost.read_units) / calls
        kind = "WRU" if outcome.pattern.is_write else "RRU"
        ratio = mean / expected.units if expected.units else 0.0
        shown = f"{format_number(mean)} {kind}"
        found.append(MeasuredLine(outcome.pattern.name, calls, str(expected), shown, f"{ratio:.2g}", ratio > 1))
    return found


def measure(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Run every read pattern that can return a stored item once, and compare its units with the estimate."""
    if workspace.store.is_billed:
        raise ArgumentRefused("Every request on this store costs money. Run single patterns in Patterns instead.")
    if not view.read_items.newest(view.design.name):
        view.columns.page(view.design.table, ColumnPosition())
    for outcome in view.report.outcomes:
        if not isinstance(outcome, Plan) or outcome.pattern.is_write:
            continue
        texts = _example_texts(view, outcome)
        with suppress(SingletableError):
            arguments = workspace.functions.read_arguments(outcome.pattern, list(texts))
            started = PatternRun(outcome.pattern.name, arguments, texts)
            finished = run_page(view.opened(), view.rows, outcome, started)
            view.measured.add(outcome.pattern.name, finished.cost)
    return {"html": render("design_measured.html", lines=measured_lines(view), is_billed=False, is_requested=True)}


def _example_texts(view: TableView, outcome: Plan) -> tuple[str, ...]:
    """Return arguments with which a pattern returns an item that a page has read."""
    for read in view.read_items.newest(view.design.name):
        if view.rows.entity_of(read.item) not in outcome.entities:
            continue
        calls: Sequence[Any] = view.views.view(read.item).patterns
        found = next((each for each in calls if each.pattern == outcome.pattern.name), None)
        if found is not None:
            return tuple(f"{name}={text}" for name, text in found.arguments)
    return ()
