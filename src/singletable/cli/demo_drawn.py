"""A tour through an example as panels and a table, drawn and coloured for a person."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from singletable.demo.table_per_entity import COMPARISON
from singletable.demo.tour import Asked, Tour
from singletable.demo.words import (
    HEADERS,
    NOT_COUNTED,
    answer_lines,
    cost_text,
    elsewhere_text,
    request_lines,
    summary_rows,
    tables_text,
)

WIDTH_MAX = 110


def print_tour(tour: Tour, *, is_first: bool) -> None:
    """One example: every question with its requests, its answer and its cost, and a summary."""
    console = Console()
    console.width = min(console.width, WIDTH_MAX)
    if is_first:
        console.print(Text(COMPARISON, style="italic"), "")
    for part in tour_parts(tour):
        console.print(part)


def tour_parts(tour: Tour) -> Iterator[RenderableType]:
    """What is drawn of a tour, from top to bottom."""
    yield heading(tour)
    for asked in tour.asked:
        yield asked_panel(asked)
    yield summary(tour)


def heading(tour: Tour) -> RenderableType:
    """The example's name, what it is, and its tables."""
    title = Text.assemble((f" {tour.system.name} ", "bold reverse cyan"), " ", (tour.system.title, "bold"))
    return Group(title, Text(f" {tables_text(tour)}", style="dim"), Text())


def asked_panel(asked: Asked) -> RenderableType:
    """One question in a frame."""
    parts: list[RenderableType] = [Text(asked.title), Text()]
    parts += [_request(line) for line in request_lines(asked)]
    answer = answer_lines(asked)
    if answer:
        parts += [Text(), Padding(Text("\n".join(answer), style="green"), (0, 0, 0, 2))]
    return Panel(
        Group(*parts, Text(), _costs(asked)),
        title=Text(asked.name, style="bold"),
        title_align="left",
        border_style="cyan" if asked.cost != asked.cost_elsewhere else "dim",
        padding=(0, 1),
    )


def summary(tour: Tour) -> RenderableType:
    """A row for each question, and the totals below a line."""
    table = Table(box=box.SIMPLE_HEAD, title=f"{tour.system.name}: requests and capacity units, measured")
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
    """A request with its operation, its table and the values of its keys in colours."""
    if line.startswith("and "):
        return Text(line, style="dim")
    head, colon, said = line.partition(": ")
    operation, space, table = head.partition(" ")
    text = Text.assemble((operation, "bold magenta"), space, (table, "bold"), colon, said)
    text.highlight_regex(r'"[^"]*"', "yellow")
    return text


def _costs(asked: Asked) -> RenderableType:
    if not asked.requests:
        return Text(NOT_COUNTED, style="dim")
    is_same = asked.cost == asked.cost_elsewhere
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text("one table", style="dim"), Text(cost_text(asked.cost), style="bold" if is_same else "bold green"))
    elsewhere = Text(elsewhere_text(asked), style="dim" if is_same else "yellow")
    grid.add_row(Text("a table per entity", style="dim"), elsewhere)
    return grid
