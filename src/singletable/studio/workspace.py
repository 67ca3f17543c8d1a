"""Workspace: the model and the store that the studio shows, and values that are computed once per model version."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

from singletable.client.connected_table import ConnectedTable
from singletable.conformance.scan_items import ItemScan
from singletable.cost.cost_report import CostReport, cost_report
from singletable.cost.prices import Prices
from singletable.demo.request_capture import Cost
from singletable.evolve.snapshot_records import Snapshot
from singletable.model.design import Design
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.planned_requests import Request
from singletable.studio.column_pages import ColumnReader
from singletable.studio.item_places import ItemViews
from singletable.studio.item_rows import Item, ItemRows, ReadItems
from singletable.studio.model_watch import ModelWatch
from singletable.studio.pattern_runs import PatternRun
from singletable.studio.staged_items import StagedItems
from singletable.studio.studio_store import StudioStore, send
from singletable.values.item_size import item_size
from singletable.verify.design_check import CheckReport, check

SAMPLE_ITEMS_MAX = 2_000
"""The maximum number of items that the overview counts on a local store without a click."""


@dataclass(frozen=True)
class CommandFunctions:
    """Functions of the command line that pages need: parse the arguments of a pattern, and write snippets."""

    read_arguments: Callable[[PatternDeclaration, list[str]], dict[str, Any]]
    snippets: Mapping[str, Callable[[Sequence[Request]], str]]
    read_revision: Callable[[str, str], Snapshot] | None = None
    """Returns the design of a table in a git revision; None without a model file."""


@dataclass(frozen=True)
class EntityTotal:
    """The items of one entity that a count has read, and their mean size."""

    items: int = 0
    mean_bytes: float = 0.0


@dataclass(frozen=True)
class TableCount:
    """The number of items of each entity in a table, or in a sample of it."""

    entities: Mapping[int, EntityTotal]
    items: int
    is_whole: bool
    requests: int
    read_units: float


@dataclass
class MeasuredCalls:
    """The calls of patterns since the model was loaded, with the units that they consumed."""

    by_pattern: dict[str, tuple[int, Cost]] = field(default_factory=dict)

    def add(self, pattern: str, cost: Cost) -> None:
        """Add one call."""
        calls, total = self.by_pattern.get(pattern, (0, Cost()))
        self.by_pattern[pattern] = calls + 1, total + cost


@dataclass
class TableView:
    """One table of the current model, with everything that depends only on this version of the model."""

    design: Design
    opened: Callable[[], ConnectedTable]
    read_items: ReadItems
    count: TableCount | None = None
    runs: dict[str, PatternRun] = field(default_factory=dict)
    """The last run of every pattern, which its next page continues."""
    measured: MeasuredCalls = field(default_factory=MeasuredCalls)
    heat_html: str | None = None
    """The simulated heat as HTML, once it was requested."""
    _sampling: Lock = field(default_factory=Lock)

    @cached_property
    def report(self) -> CheckReport:
        """The plans and findings."""
        return check(self.design)

    @cached_property
    def rows(self) -> ItemRows:
        """Turns items into rows."""
        return ItemRows(self.design)

    @cached_property
    def views(self) -> ItemViews:
        """Describes single items."""
        return ItemViews(self.rows, self.report.outcomes)

    @property
    def columns(self) -> ColumnReader:
        """Reads the drawers of the store."""
        return ColumnReader(self.opened(), self.rows, self.read_items)

    def cost(self, prices: Prices) -> CostReport | None:
        """Return the cost report. Return None for a design without keys."""
        return None if self.design.keyless else cost_report(self.design, prices)

    def require_sample(self, seconds: float = -1) -> None:
        """Count the items of a sample, unless they were counted before.

        If another thread is counting a sample, wait for it, at most some seconds.
        """
        if self._sampling.acquire(timeout=seconds):
            try:
                if self.count is None:
                    self.sample_items()
            finally:
                self._sampling.release()

    def sample_items(self) -> TableCount:
        """Count the items of every entity in a sample. If the table is small, the sample is the whole table."""
        opened = self.opened()
        request = {"TableName": opened.reader.name, "Limit": SAMPLE_ITEMS_MAX, "ReturnConsumedCapacity": "TOTAL"}
        answer = send(opened, "Scan", request)
        if "LastEvaluatedKey" in answer:
            return self.count_items(SAMPLE_ITEMS_MAX)
        found: list[Item] = answer["Items"]
        units = float(answer["ConsumedCapacity"]["CapacityUnits"])
        self.count = TableCount(self._counted(found), len(found), is_whole=True, requests=1, read_units=units)
        return self.count

    def _counted(self, items: Sequence[Item]) -> dict[int, EntityTotal]:
        sizes: dict[int, list[int]] = {}
        for item in items:
            sizes.setdefault(self.rows.number_of(item), []).append(item_size(item))
        return {number: EntityTotal(len(found), sum(found) / len(found)) for number, found in sizes.items()}

    def count_items(self, items_max: int | None) -> TableCount:
        """Count the items of every entity, all of them or a sample."""
        opened = self.opened()
        scan = ItemScan(opened.session, opened.reader.name, items_max)
        items: Counter[int] = Counter()
        sizes: Counter[int] = Counter()
        for page in scan.pages():
            for stored in page:
                number = self.rows.number_of(dict(stored.item))
                items[number] += 1
                sizes[number] += item_size(dict(stored.item))
        found = {number: EntityTotal(count, sizes[number] / count) for number, count in items.items()}
        self.count = TableCount(found, scan.items, scan.is_whole, scan.requests, scan.read_units)
        return self.count


@dataclass
class Workspace:
    """All values that the pages show."""

    model: str
    watch: ModelWatch
    store: StudioStore
    functions: CommandFunctions
    prices: Prices
    read_items: ReadItems = field(default_factory=ReadItems)
    is_inferred: bool = False
    """Whether the model is inferred from the table, so that items are edited as they are stored."""
    statements: dict[tuple[str, str], deque[Any]] = field(default_factory=dict)
    """The statements that were run, by table and screen, the newest first."""
    tails: dict[str, Any] = field(default_factory=dict)
    """The position of each page that follows a stream."""
    _views: dict[str, TableView] = field(default_factory=dict)
    _staged: dict[str, StagedItems] = field(default_factory=dict)

    resources: ExitStack = field(default_factory=ExitStack)
    """Resources that the model needs as long as the studio runs, such as the module of an inferred model."""

    def close(self) -> None:
        """Stop watching the model, and close the store."""
        self.watch.stop()
        self.store.close()
        self.resources.close()

    def staged_items(self, name: str) -> StagedItems:
        """Return the staged changes of a table; they survive a new version of the model."""
        return self._staged.setdefault(name, StagedItems())

    def table(self, name: str) -> TableView | None:
        """Return a table of the current version of the model, or None."""
        design = self.watch.current.designs.get(name)
        if design is None:
            return None
        known = self._views.get(name)
        if known is None or known.design is not design:
            known = self._views[name] = TableView(design, lambda: self.store.open(design), self.read_items)
        return known

    @property
    def table_names(self) -> tuple[str, ...]:
        """The names of the tables, in order of declaration."""
        return tuple(self.watch.current.designs)
