"""Design overview: entities and patterns by index, findings, monthly cost and heat, in the form that one page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log10

from singletable.cost.cost_report import CostReport
from singletable.cost.prices import Prices
from singletable.heat.heat_report import HeatReport, PartitionHeat, heat_report
from singletable.heat.simulation import Growth
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.table_schema import Index
from singletable.planner.estimate import Estimate
from singletable.planner.formatting import GUESS_MARK, format_bytes, format_dollars, format_number
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Outcome, Plan, Verdict
from singletable.studio.key_pieces import KeyPieces, place_texts
from singletable.studio.workspace import TableCount, TableView
from singletable.values.limits import PARTITION_READ_UNITS_PER_SECOND_MAX, PARTITION_WRITE_UNITS_PER_SECOND_MAX
from singletable.verify.worksheet import PatternRow, worksheet

HEAT_TIMES = (1.0, 10.0, 100.0, 1000.0)
_HOUR = 3_600
TONES: Mapping[Verdict, str] = {
    Verdict.ONE_REQUEST: "ok",
    Verdict.DECLARED_FANOUT: "fan",
    Verdict.SEVERAL_PAGES: "fan",
    Verdict.UNBOUNDED: "fan",
    Verdict.UNDECLARED_FANOUT: "no",
    Verdict.UNSUPPORTED: "no",
}


@dataclass(frozen=True)
class EntityCell:
    """The key templates of an entity in the table or an index."""

    partition: KeyPieces
    sort: KeyPieces
    is_sparse: bool


@dataclass(frozen=True)
class EntityLine:
    """An entity with its keys in the table and every index, and the number of its items in the store."""

    number: int
    label: str
    place: str
    cells: tuple[EntityCell | None, ...]
    guessed_bytes: str


@dataclass(frozen=True)
class PatternCell:
    """How a pattern uses the table or an index: the chosen request, a written index entry, or the reason why not."""

    kind: str
    """`chosen`, `written`, `reason` or empty."""
    title: str = ""
    cost: str = ""
    detail: str = ""


@dataclass(frozen=True)
class PatternLine:
    """A pattern with its verdict, and its cell for the table and every index."""

    name: str
    title: str
    verdict: str
    tone: str
    note: str
    cells: tuple[PatternCell, ...]
    dollars: str
    is_write: bool


@dataclass(frozen=True)
class CostBar:
    """The share of one pattern in the monthly cost."""

    name: str
    dollars: str
    percent: int
    is_write: bool


@dataclass(frozen=True)
class MonthlyCost:
    """The monthly cost of a table."""

    on_demand: str
    provisioned: str
    reads: str
    writes: str
    bars: tuple[CostBar, ...]
    without_rate: tuple[str, ...]


@dataclass(frozen=True)
class DesignOverview:
    """The content of the overview that depends only on the model."""

    indexes: tuple[Index, ...]
    entities: tuple[EntityLine, ...]
    patterns: tuple[PatternLine, ...]
    cost: MonthlyCost | None
    verdicts: tuple[tuple[str, str, int], ...]
    """Each verdict: its tone (the colour), its text and the number of patterns with it."""

    def writers(self, number: int) -> int:
        """Return how many entities have keys in an index."""
        return sum(line.cells[number] is not None for line in self.entities)

    def readers(self, number: int) -> int:
        """Return how many patterns run on an index."""
        return sum(line.cells[number].kind == "chosen" for line in self.patterns)


def design_overview(view: TableView, prices: Prices) -> DesignOverview:
    """Return the overview of a table."""
    design, indexes = view.design, tuple(view.design.indexes.values())
    report = view.cost(prices)
    monthly = _monthly_by_pattern(report)
    rows = worksheet(design, view.report.outcomes)
    estimates = {call.name: call.estimate for call in report.calls} if report is not None else {}
    lines = tuple(
        _pattern(outcome, row, indexes, estimates.get(row.pattern), monthly.get(row.pattern))
        for outcome, row in zip(view.report.outcomes, rows, strict=True)
    )
    sizes = ItemSizes(design)
    entities = tuple(_entity(number, entity, indexes, sizes) for number, entity in enumerate(design.entities))
    counts = Counter(outcome.verdict for outcome in view.report.outcomes)
    verdicts = tuple((TONES[verdict], verdict.value, count) for verdict, count in counts.items())
    return DesignOverview(indexes, entities, lines, _cost(report, monthly), verdicts)


def _entity(number: int, entity: Entity, indexes: tuple[Index, ...], sizes: ItemSizes) -> EntityLine:
    cells = []
    for index in indexes:
        placement = entity.placements.get(index.alias)
        cells.append(
            None
            if placement is None
            else EntityCell(place_texts(placement.partition), place_texts(placement.sort), placement.sparse)
        )
    mark = GUESS_MARK if entity.declaration.expected_bytes is None else ""
    shown = f"{mark}{format_bytes(sizes.item(entity))}"
    return EntityLine(number, entity.label, entity.location.full, tuple(cells), shown)


def _pattern(
    outcome: Outcome, row: PatternRow, indexes: tuple[Index, ...], cost: Estimate | None, dollars: float | None
) -> PatternLine:
    order = row.sort.partition(",")[0]  # the page of the pattern names the precision of the order
    note = ", ".join(text for text in (row.frequency, order) if text)
    cells = tuple(_pattern_cell(outcome, index, cost) for index in indexes)
    shown = "" if dollars is None else f"{GUESS_MARK}{format_dollars(dollars)}"
    tone = TONES[outcome.verdict]
    return PatternLine(row.pattern, row.title, row.verdict, tone, note, cells, shown, outcome.pattern.is_write)


def _pattern_cell(outcome: Outcome, index: Index, cost: Estimate | None) -> PatternCell:
    reasons = next((each.reasons for each in outcome.other_indexes if each.index == index.label), ())
    if isinstance(outcome, Plan):
        if outcome.index == index:
            key = " · ".join(operand.show() for test in outcome.partition for operand in test.operands)
            return PatternCell("chosen", outcome.operation, "" if cost is None else str(cost), key)
        if outcome.pattern.is_write and cost is not None and index.label in cost.by_index:
            moves = any(rewrite.index == index for rewrite in outcome.rewrites)
            units = f"{GUESS_MARK}{format_number(cost.by_index[index.label])} WRU"
            return PatternCell("written", units, "", "moves its entry" if moves else "writes its entry")
    elif outcome.nearest == index:
        return PatternCell("reason", detail=outcome.reason)
    return PatternCell("reason", detail="; ".join(reasons)) if reasons else PatternCell("")


def _monthly_by_pattern(report: CostReport | None) -> dict[str, float]:
    """Return the dollars per month of every pattern with a rate."""
    if report is None:
        return {}
    prices, table_class = report.prices, report.table_class
    return {
        call.name: prices.requests(table_class, call.reads_per_second, call.writes_per_second)
        for call in report.calls
        if call.calls_per_second is not None
    }


def _cost(report: CostReport | None, monthly: Mapping[str, float]) -> MonthlyCost | None:
    if report is None or not monthly:
        return None
    most = max(monthly.values()) or 1.0
    writes = {call.name for call in report.calls if call.estimate.kind == "write"}
    ordered = sorted(monthly.items(), key=lambda each: -each[1])
    bars = tuple(
        CostBar(name, format_dollars(dollars), round(100 * dollars / most), name in writes) for name, dollars in ordered
    )
    reads, written = report.on_demand_reads, report.on_demand_writes
    total = reads + written + (report.storage_dollars or 0.0)
    return MonthlyCost(
        _guessed(total),
        _guessed(report.capacity_dollars),
        _guessed(reads),
        _guessed(written),
        bars,
        report.without_rate,
    )


def _guessed(dollars: float) -> str:
    return f"{GUESS_MARK}{format_dollars(dollars)}"


@dataclass(frozen=True)
class HeatLine:
    """A hot partition: its demand as traffic grows, and the growth that throttles it."""

    partition: str
    index: str
    throttled_at: float | None
    """The growth at which the partition throttles."""
    points: tuple[tuple[float, float, bool], ...]
    """For each growth: x and y of the point, and whether the partition throttles."""


def heat_lines(design: Design, prices: Prices) -> tuple[HeatLine, ...]:
    """Return the hottest partitions, simulated for four growths of the traffic."""
    if design.keyless:
        return ()
    report = heat_report(design, prices, [Growth(times, 0, _HOUR) for times in HEAT_TIMES])
    return tuple(_heat_lines(report))


_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_MARGIN = 88.0, 26.0, 4.0


def _heat_lines(report: HeatReport) -> Iterator[HeatLine]:
    for each in report.hot:
        times = None if each.throttles_at is None else each.throttles_at.times
        yield HeatLine(each.partition.template, each.partition.index.label, times, tuple(_points(each)))


def _points(heat: PartitionHeat) -> Iterator[tuple[float, float, bool]]:
    """Yield the used share of the partition's limit at each growth, on a logarithmic scale."""
    demand = heat.partition.demand
    busy = max(demand.reads / PARTITION_READ_UNITS_PER_SECOND_MAX, demand.writes / PARTITION_WRITE_UNITS_PER_SECOND_MAX)
    width = (_SPARK_WIDTH - 2 * _SPARK_MARGIN) / (len(heat.results) - 1)
    for number, result in enumerate(heat.results):
        share = max(min(busy * HEAT_TIMES[number], 100.0), 0.001)
        height = (log10(share) + 3) / 5
        x, y = _SPARK_MARGIN + number * width, _SPARK_HEIGHT - _SPARK_MARGIN - height * (_SPARK_HEIGHT - 8)
        yield round(x, 1), round(y, 1), bool(result.share)


def count_text(count: TableCount | None, number: int) -> str:
    """Return the number of items of an entity that a count has found, as text."""
    if count is None:
        return ""
    found = count.entities.get(number)
    return f"{found.items:,}" if found is not None else "0"
