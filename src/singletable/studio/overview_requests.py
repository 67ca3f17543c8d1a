"""The overview of a table, and the requests of its page: counts and heat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.errors import SingletableError
from singletable.planner.formatting import format_bytes, format_dollars, format_number
from singletable.studio.design_overview import design_overview, heat_lines
from singletable.studio.item_rows import INTERNAL, NO_ENTITY
from singletable.studio.page_templates import render
from singletable.studio.studio_store import send
from singletable.studio.workspace import TableCount, TableView, Workspace
from singletable.values.item_size import EVENTUAL
from singletable.values.limits import READ_UNIT_BYTES

Document = dict[str, Any]
SAMPLE_SECONDS = 0.1
"""How long the page waits for a sample. The first request on a store with millions of items takes longer."""


def page(workspace: Workspace, view: TableView, given: Mapping[str, str]) -> Document:
    """Return the values of the overview page."""
    problem = _open_problem(workspace, view)
    findings = view.report.findings
    return {
        "overview": design_overview(view, workspace.prices),
        "table_lines": tuple(_table_lines(workspace)) if len(workspace.table_names) > 1 else (),
        "open_findings": [each for each in findings if each.accepted is None],
        "accepted_findings": [each for each in findings if each.accepted is not None],
        "count": view.count,
        "counts": count_cells(view, view.count),
        "region": workspace.prices.regions[0],
        "store_problem": problem,
        "is_inferred": workspace.is_inferred,
        "is_counting": not problem and view.count is None and not workspace.store.is_billed,
    }


@dataclass(frozen=True)
class TableLine:
    """One of several tables of a model."""

    name: str
    entities: int
    indexes: int
    verdicts: tuple[tuple[str, str, int], ...]
    findings: int
    on_demand: str


def _table_lines(workspace: Workspace) -> Iterator[TableLine]:
    for name in workspace.table_names:
        view = workspace.table(name)
        if view is not None:
            found = design_overview(view, workspace.prices)
            findings = sum(each.accepted is None for each in view.report.findings)
            cost = found.cost.on_demand if found.cost is not None else ""
            yield TableLine(name, len(found.entities), len(found.indexes) - 1, found.verdicts, findings, cost)


def _open_problem(workspace: Workspace, view: TableView) -> str:
    """Open a local store and count a sample, or wait a moment for it. Return why this is not possible, or ""."""
    if workspace.store.is_billed:
        return ""
    try:
        view.require_sample(SAMPLE_SECONDS)
    except (SingletableError, OSError) as problem:
        return str(problem)
    return ""


def count_cells(view: TableView, count: TableCount | None) -> list[Document]:
    """Return the number and mean size of the items of every entity, followed by other items if there are any."""
    numbers = list(range(len(view.design.entities)))
    if count is not None:
        numbers += [number for number in (INTERNAL, NO_ENTITY) if number in count.entities]
    cells = []
    for number in numbers:
        found = count.entities.get(number) if count is not None else None
        items = "" if count is None else f"{found.items:,}" if found is not None else "0"
        size = format_bytes(found.mean_bytes) if found is not None else ""
        cells.append({"number": number, "label": view.rows.label_of(number), "number_of_items": items, "bytes": size})
    return cells


def sample(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Wait until a sample is counted."""
    view.require_sample()
    return {}


def count(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Count all items. Without `confirmed`, return only the cost of the count."""
    if not given.get("confirmed"):
        return _price_of_count(workspace, view)
    found = view.count_items(None)
    cells = count_cells(view, found)
    return {
        "html": render("counts.html", counts=cells, count=found, store_problem="", table=view.design.name),
        "cells": cells,
    }


def _price_of_count(workspace: Workspace, view: TableView) -> Document:
    opened = view.opened()
    described = send(opened, "DescribeTable", {"TableName": opened.reader.name})["Table"]
    units = max(described.get("TableSizeBytes", 0) / READ_UNIT_BYTES * EVENTUAL, EVENTUAL)
    prices = workspace.prices
    dollars = prices.requests("standard", units / prices.month_seconds, 0.0)
    cost = f"about {format_number(round(units))} RRU" if units >= 1 else "0.5 RRU"
    price = f", {format_dollars(dollars)}" if workspace.store.is_billed else ", free on this store"
    return {"price": f"Reads the whole table: {described.get('ItemCount', 0):,} items, {cost}{price}."}


def heat(workspace: Workspace, view: TableView, given: Document) -> Document:
    """Simulate the hottest partitions as traffic grows."""
    if view.heat_html is None:
        view.heat_html = render("heat.html", lines=heat_lines(view.design, workspace.prices))
    return {"html": view.heat_html}
