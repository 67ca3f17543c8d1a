"""The SQL console: the reads of a statement, their cost, and its result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from singletable.document.svg import clean
from singletable.errors import ArgumentRefused, SingletableError
from singletable.planner.formatting import format_count, format_dollars, format_number
from singletable.studio.page_templates import render
from singletable.studio.statement_history import PastStatement, history_of, history_with
from singletable.studio.workspace import TableView, Workspace

if TYPE_CHECKING:
    from singletable.analytics.sql_query import ReadEstimate, SqlPlan

Document = dict[str, Any]
ROWS_MAX = 500
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
        "history": tuple(history_of(workspace, view, "sql")),
        "sql_tables": _tables(view) if is_installed else (),
        "access": _reads_html(workspace, view, statement, is_requested=False) if is_installed else "",
    }


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
    title = "This statement cannot run"
    try:
        plan = _plan(view, statement)
        title = "The cost cannot be estimated"
        found = _reads(workspace, view, plan, may_describe=is_requested or not workspace.store.is_billed)
    except SingletableError as problem:
        return render("sql_reads.html", reads=None, title=title, problem=str(problem), ranges_max=RANGES_SHOWN_MAX)
    return render("sql_reads.html", reads=found, problem="", ranges_max=RANGES_SHOWN_MAX)


def _plan(view: TableView, statement: str) -> SqlPlan:
    from singletable.analytics.sql_query import check_statement, plan_statement

    plan = plan_statement(view.design, statement)
    check_statement(view.design, statement)
    return plan


def _reads(workspace: Workspace, view: TableView, plan: SqlPlan, *, may_describe: bool) -> StatementReads:
    from singletable.analytics.sql_query import SCAN_UNITS_MAX, SqlReader

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
    try:
        plan = _plan(view, statement)
    except SingletableError as problem:
        raise ArgumentRefused("Nothing was sent: correct the statement first.") from problem
    found = _reads(workspace, view, plan, may_describe=True)
    is_dear = found.is_over_limit or (bool(found.plan.scanned) and workspace.store.is_billed)
    if is_dear and not given.get("confirmed"):
        reads_html = render("sql_reads.html", reads=found, problem="", ranges_max=RANGES_SHOWN_MAX)
        return {"html": _confirmation(found), "access": reads_html}
    reader = SqlReader(view.opened())
    started = time.perf_counter()
    relation = reader.run(statement, found.plan, scan=True, rows_max=ROWS_MAX + 1, seconds_max=SECONDS_MAX)
    table = relation.to_arrow_table()
    seconds = time.perf_counter() - started
    is_cut = table.num_rows > ROWS_MAX
    shown = table.slice(0, ROWS_MAX)
    count = format_count(shown.num_rows, "row")
    summary = f"{'more than ' * is_cut}{count} · {format_number(reader.totals.units)} RRU"
    history = history_with(workspace, view, "sql", PastStatement(statement, "", summary))
    html = render(
        "sql_result.html",
        columns=_columns(shown, relation),
        rows=_cells(shown),
        is_cut=is_cut,
        totals=reader.totals,
        seconds=seconds,
    )
    return {"html": html, "history": history}


def _confirmation(found: StatementReads) -> str:
    text = f"The statement reads the whole table. {found.cost[:1].upper()}{found.cost[1:]}."
    return render("statement_confirm.html", operation="Scan", text=text, may_export=found.is_over_limit)


def _columns(table: Any, relation: Any) -> tuple[ResultColumn, ...]:
    kinds = [str(each) for each in relation.types]
    return tuple(
        ResultColumn(clean(name), kind, kind.startswith(NUMBERS) and not kind.endswith("]"))
        for name, kind in zip(table.schema.names, kinds, strict=True)
    )


def _cells(table: Any) -> list[list[str | None]]:
    from singletable.analytics.export_files import text_rows

    return [[None if text is None else clean(text) for text in row] for row in text_rows(table)]
