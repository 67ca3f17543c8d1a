"""A tour through an example as plain text, and what every demo ends with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from singletable.cli.output import print_heading, print_table
from singletable.demo.keeping import Kept
from singletable.demo.systems import NeedsPackage, model_argument
from singletable.demo.table_per_entity import COMPARISON
from singletable.demo.tour import Asked, Tour
from singletable.demo.words import (
    HEADERS,
    NOT_COUNTED,
    answer_lines,
    cost_text,
    counted,
    elsewhere_text,
    request_lines,
    summary_rows,
    tables_text,
)

SUMMARY = "requests and capacity units, measured"


def print_tour(tour: Tour, *, is_first: bool) -> None:
    """One example: every question with its requests, its answer and its cost, and a summary."""
    if is_first:
        print(f"{COMPARISON}\n")
    print(f"== {tour.system.name}: {tour.system.title}\n   {tables_text(tour)}\n")
    for asked in tour.asked:
        _print_asked(asked)
    print_table(f"{tour.system.name}: {SUMMARY}", HEADERS, summary_rows(tour))
    print()


def _print_asked(asked: Asked) -> None:
    print(f"{asked.name}: {asked.title}")
    for line in request_lines(asked):
        print(f"  > {line}")
    for line in answer_lines(asked):
        print(f"    {line}".rstrip())
    costs = f"{cost_text(asked.cost)}; with a table per entity: {elsewhere_text(asked)}"
    print(f"  {costs if asked.requests else NOT_COUNTED}\n")


def print_end(tours: Sequence[Tour], lacking: Sequence[NeedsPackage], path: Path | None, kept: Sequence[Kept]) -> None:
    """What could not be shown, what was kept, and what to do next."""
    for problem in lacking:
        print(f"{problem}\n")
    if path is not None:
        print_heading(f"{path} holds {counted(len(kept), 'table')}")
        for each in kept:
            renamed = f", since another table is called {each.model.design.name}" if each.is_renamed else ""
            print(f"  {each.name}: {counted(each.items, 'item')} of {each.system}{renamed}")
        print()
    print_heading("Next")
    if path is None:
        example = f"{tours[0].system.name}.db" if len(tours) == 1 else "demo.db"
        _print_steps([(f"demo --keep {example}", "leaves these tables in a file"), *_steps(example, tours)])
    else:
        _print_steps(_steps(str(path), tours))


def _steps(path: str, tours: Sequence[Tour]) -> list[tuple[str, str]]:
    model = model_argument(tours[-1].system.name)
    return [
        (f"serve --data {path}", "serves it to every AWS SDK"),
        (f"check {model}", "proves that every pattern is one request"),
        (f"explain {model}", "shows each request, and why it is right"),
    ]


def _print_steps(steps: Sequence[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    for command, what in steps:
        print(f"  singletable {command.ljust(width)}  {what}")
