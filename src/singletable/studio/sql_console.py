"""The SQL console: the reads of a statement and their cost, its result, and the earlier statements."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from singletable.document.svg import clean
from singletable.errors import ArgumentRefused, SingletableError
from singletable.planner.formatting import format_count, format_dollars, format_number
from singletable.studio.page_templates import render
from singletable.studio.workspace import TableView, Workspace

if TYPE_CHECKING:
    from singletable.analytics.sql_query import ReadEstimate, SqlPlan

Document = dict[str, Any]
ROWS_MAX = 500
STATEMENTS_MAX = 50
RANGES_SHOWN_MAX = 8
SECONDS_MAX = 60.0
NUMBERS = (
    "BIGINT",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "HUGEINT",
    "INTEGER",
    "SMALLINT",
    "TINYINT",
    "UBIGINT",
    "UHUGEINT",
    "UINTEGER",
)


@dataclass(frozen=True)
class PastSelect:
    """A statement that was run, and its reads."""

    statement: str
    rows: str
    units: float


@dataclass(frozen=True)
class ResultColumn:
    """A column of a result."""

    name: str
    type: str
    is_number: bool


@dataclass(frozen=True)
class StatementReads:
    """The reads of a statement, as the page shows them before they are sent."""

    plan: SqlPlan
    cost: str
    """Empty if the cost needs a request to AWS."""
    is_over_limit: bool
    is_measured: bool


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the page."""
    is_installed = all(find_spec(name) is not None for name in ("duckdb", "pyarrow"))
    statement = given.get("s") or (_example(view) if is_installed else "")
    return {
        "is_installed": is_installed,
        "statement": statement,
        "history": tuple(_history(workspace, view)),
        "sql_tables": _tables(view) if is_installed else (),
        "reads": _reads_html(workspace, view, statement, is_requested=False) if is_installed else "",
    }


def _history(workspace: Workspace, view: TableView) -> deque[PastSelect]:
    """Return the statements of a table; the key differs from the one of the PartiQL statements."""
    return workspace.statements.setdefault(f"{view.design.name} SQL", deque(maxlen=STATEMENTS_MAX))


def _tables(view: TableView) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    from singletable.analytics.sql_query import sql_tables

    return sql_tables(view.design)


def _example(view: TableView) -> str:
    """Return a statement that counts the items of the first entity."""
    from singletable.analytics.sql_conditions import sql_name

    if not view.design.entities:
        return ""
    return f"SELECT count(*) AS items\nFROM {sql_name(view.design.entities[0].name)}"  # an example


def reads(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Show what a statement reads, without reading it. On AWS, the cost is shown only if the user requests it."""
    statement = str(given.get("statement", ""))
    return {"html": _reads_html(workspace, view, statement, is_requested=bool(given.get("requested")))}


def _reads_html(workspace: Workspace, view: TableView, statement: str, *, is_requested: bool) -> str:
    if not statement.strip():
        return ""
    try:
        found = _reads(workspace, view, statement, may_describe=is_requested or not workspace.store.is_billed)
    except SingletableError as problem:
        return render("sql_reads.html", reads=None, problem=str(problem), ranges_max=RANGES_SHOWN_MAX)
    return render("sql_reads.html", reads=found, problem="", ranges_max=RANGES_SHOWN_MAX)


def _reads(workspace: Workspace, view: TableView, statement: str, *, may_describe: bool) -> StatementReads:
    from singletable.analytics.sql_query import SCAN_UNITS_MAX, SqlReader, check_statement, plan_statement

    plan = plan_statement(view.design, statement)
    check_statement(view.design, statement)
    if not plan.reads:
        return StatementReads(plan, "nothing", is_over_limit=False, is_measured=True)
    if not may_describe:
        return StatementReads(plan, "", is_over_limit=False, is_measured=False)
    estimate = SqlReader(view.opened()).estimate(plan)
    is_over_limit = bool(plan.scanned) and estimate.units > SCAN_UNITS_MAX
    return StatementReads(plan, _price(workspace, estimate), is_over_limit, is_measured=True)


def _price(workspace: Workspace, estimate: ReadEstimate) -> str:
    least = "at least" if estimate.is_minimum else "about"
    shown = f"{estimate.requests}: {least} {format_number(round(estimate.units, 1))} RRU"
    dollars = workspace.prices.classes["standard"].million_read_units * estimate.units / 1_000_000
    return f"{shown}, {format_dollars(dollars)}" if workspace.store.is_billed else f"{shown}, free on this store"


def select(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Run a statement. A Scan over the limit needs a confirmation, and so does every Scan on AWS."""
    from singletable.analytics.sql_query import SqlReader

    statement = str(given.get("statement", ""))
    if not statement.strip():
        raise ArgumentRefused("write a SELECT statement")
    found = _reads(workspace, view, statement, may_describe=True)
    is_dear = found.is_over_limit or (bool(found.plan.scanned) and workspace.store.is_billed)
    if is_dear and not given.get("confirmed"):
        reads_html = render("sql_reads.html", reads=found, problem="", ranges_max=RANGES_SHOWN_MAX)
        return {"html": render("sql_confirm.html", reads=found), "reads": reads_html}
    reader = SqlReader(view.opened())
    started = time.perf_counter()
    relation = reader.run(statement, found.plan, scan=True, rows_max=ROWS_MAX + 1, seconds_max=SECONDS_MAX)
    table = relation.to_arrow_table()
    seconds = time.perf_counter() - started
    is_cut = table.num_rows > ROWS_MAX
    shown = table.slice(0, ROWS_MAX)
    count = format_count(shown.num_rows, "row")
    history = _history(workspace, view)
    history.appendleft(PastSelect(statement, f"more than {count}" if is_cut else count, reader.totals.units))
    html = render(
        "sql_result.html",
        columns=_columns(shown, relation),
        rows=_cells(shown),
        is_cut=is_cut,
        totals=reader.totals,
        seconds=seconds,
    )
    return {"html": html, "history": render("sql_history.html", history=tuple(history), table=view.design.name)}


def _columns(table: Any, relation: Any) -> tuple[ResultColumn, ...]:
    kinds = [str(each) for each in relation.types]
    return tuple(
        ResultColumn(clean(name), kind, kind.startswith(NUMBERS) and not kind.endswith("]"))
        for name, kind in zip(table.schema.names, kinds, strict=True)
    )


def _cells(table: Any) -> list[list[str | None]]:
    from singletable.analytics.export_files import text_rows

    return [[None if text is None else clean(text) for text in row] for row in text_rows(table)]
