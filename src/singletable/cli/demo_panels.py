"""The output of the demo on a terminal: coloured panels and a summary table."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from singletable.demo.table_per_entity import COMPARISON
from singletable.demo.tour import ScriptRun, Tour
from singletable.demo.tour_text import (
    HEADERS,
    NOT_COUNTED,
    cost_text,
    output_lines,
    per_entity_text,
    request_lines,
    summary_rows,
    tables_text,
)

WIDTH_MAX = 110


def print_tour(tour: Tour, *, is_first: bool) -> None:
    """Print one example: every script with its requests, output and cost, and a summary."""
    console = Console()
    console.width = min(console.width, WIDTH_MAX)
    if is_first:
        console.print(Text(COMPARISON, style="italic"), "")
    for part in tour_parts(tour):
        console.print(part)


def tour_parts(tour: Tour) -> Iterator[RenderableType]:
    """Yield the parts of a tour from top to bottom."""
    yield heading(tour)
    for run in tour.runs:
        yield run_panel(run)
    yield summary(tour)


def heading(tour: Tour) -> RenderableType:
    """Return the name, the description and the tables of an example."""
    title = Text.assemble((f" {tour.system.name} ", "bold reverse cyan"), " ", (tour.system.title, "bold"))
    return Group(title, Text(f" {tables_text(tour)}", style="dim"), Text())


def run_panel(run: ScriptRun) -> RenderableType:
    """Return one script in a panel."""
    parts: list[RenderableType] = [Text(run.title), Text()]
    parts += [_request(line) for line in request_lines(run)]
    output = output_lines(run)
    if output:
        parts += [Text(), Padding(Text("\n".join(output), style="green"), (0, 0, 0, 2))]
    return Panel(
        Group(*parts, Text(), _costs(run)),
        title=Text(run.name, style="bold"),
        title_align="left",
        border_style="cyan" if run.cost != run.per_entity_cost else "dim",
        padding=(0, 1),
    )


def summary(tour: Tour) -> RenderableType:
    """Return a table with one row per script and the totals."""
    table = Table(box=box.SIMPLE_HEAD, title=f"{tour.system.name}: measured requests and capacity units")
    table.title_style, table.title_justify = "bold", "left"
    table.add_column(HEADERS[0])
    for header in HEADERS[1:]:
        table.add_column(header.replace(": ", ":\n"), justify="right", vertical="bottom")
    *rows, total = summary_rows(tour)
    for number, row in enumerate(rows, start=1):
        differs = [figure.strip() for figure in row[1:3]] != [figure.strip() for figure in row[3:]]
        styles = ("", "bold green", "bold green", "yellow", "yellow") if differs else ("", "", "", "dim", "dim")
        cells = (Text(cell.strip(), style=style) for cell, style in zip(row, styles, strict=True))
        table.add_row(*cells, end_section=number == len(rows))
    table.add_row(*(Text(cell.strip(), style="bold") for cell in total))
    return table


def _request(line: str) -> Text:
    """Return a request with its operation, table and key values highlighted."""
    if line.startswith("and "):
        return Text(line, style="dim")
    head, colon, rest = line.partition(": ")
    operation, space, table = head.partition(" ")
    text = Text.assemble((operation, "bold magenta"), space, (table, "bold"), colon, rest)
    text.highlight_regex(r'"[^"]*"', "yellow")
    return text


def _costs(run: ScriptRun) -> RenderableType:
    if not run.requests:
        return Text(NOT_COUNTED, style="dim")
    is_same = run.cost == run.per_entity_cost
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text("one table", style="dim"), Text(cost_text(run.cost), style="bold" if is_same else "bold green"))
    per_entity = Text(per_entity_text(run), style="dim" if is_same else "yellow")
    grid.add_row(Text("one table per entity", style="dim"), per_entity)
    return grid
