"""The output of the demo as plain text and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from singletable.cli.output import print_heading, print_table
from singletable.demo.demo_store import SavedTable
from singletable.demo.request_capture import CapturedRequest
from singletable.demo.systems import NeedsPackage, model_argument
from singletable.demo.table_per_entity import COMPARISON
from singletable.demo.tour import ScriptRun, Tour
from singletable.demo.tour_text import (
    HEADERS,
    NOT_COUNTED,
    cost_text,
    counted,
    output_lines,
    per_entity_text,
    request_lines,
    summary_rows,
    tables_text,
)
from singletable.demo.walkthroughs import Walkthrough, all_walkthroughs

SUMMARY = "measured requests and capacity units"


def print_tour(tour: Tour, *, is_first: bool) -> None:
    """Print one example: every script with its requests, output and cost, and a summary."""
    if is_first:
        print(f"{COMPARISON}\n")
    print(f"== {tour.system.name}: {tour.system.title}\n   {tables_text(tour)}\n")
    for run in tour.runs:
        _print_run(run)
    print_table(f"{tour.system.name}: {SUMMARY}", HEADERS, summary_rows(tour))
    print()


def _print_run(run: ScriptRun) -> None:
    print(f"{run.name}: {run.title}")
    for line in request_lines(run):
        print(f"  > {line}")
    for line in output_lines(run):
        print(f"    {line}".rstrip())
    costs = f"{cost_text(run.cost)}; with one table per entity: {per_entity_text(run)}"
    print(f"  {costs if run.requests else NOT_COUNTED}\n")


def print_end(
    tours: Sequence[Tour], skipped: Sequence[NeedsPackage], path: Path | None, saved: Sequence[SavedTable]
) -> None:
    """Print the skipped examples, the saved tables, and the next commands to try."""
    for problem in skipped:
        print(f"{problem}\n")
    if path is not None:
        print_heading(f"{path} contains {counted(len(saved), 'table')}")
        for each in saved:
            renamed = (
                f", renamed because another table has the name {each.model.design.name}" if each.is_renamed else ""
            )
            print(f"  {each.name}: {counted(each.items, 'item')} from {each.system}{renamed}")
        print()
    print_heading("Next")
    if path is None:
        example = f"{tours[0].system.name}.db" if len(tours) == 1 else "demo.db"
        steps = [(f"demo --keep {example}", "save these tables to a file"), *_steps(example, tours)]
        _print_steps([*steps, *_walkthrough_steps()] if len(tours) > 1 else steps)
    else:
        _print_steps(_steps(str(path), tours))


def _steps(path: str, tours: Sequence[Tour]) -> list[tuple[str, str]]:
    model = model_argument(tours[-1].system.name)
    return [
        (f"serve --data {path}", "serve them to any AWS SDK"),
        (f"check {model}", "prove that every pattern is one request"),
        (f"explain {model}", "show each request and its proof"),
    ]


def _walkthrough_steps() -> list[tuple[str, str]]:
    return [(f"demo {each.name}", each.title[0].lower() + each.title[1:].rstrip(".")) for each in all_walkthroughs()]


def _print_steps(steps: Sequence[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    for command, what in steps:
        print(f"  singletable {command.ljust(width)}  {what}")


def print_walkthrough(walkthrough: Walkthrough) -> None:
    """Print a walkthrough while it runs."""
    script = walkthrough.script()
    print(f"== {walkthrough.name}: {walkthrough.title}\n", flush=True)
    script()
    print()


def document(
    tours: Sequence[Tour],
    walkthroughs: Sequence[Walkthrough],
    skipped: Sequence[NeedsPackage],
    path: Path | None,
    saved: Sequence[SavedTable],
) -> dict[str, Any]:
    """Return all requests, outputs and costs as one JSON document."""
    return {
        "comparison": COMPARISON.replace("\n", " "),
        "systems": [_system_document(tour) for tour in tours],
        "walkthroughs": [{"name": each.name, "title": each.title, "output": each.output()} for each in walkthroughs],
        "not_shown": [{"name": each.name, "needs": each.package} for each in skipped],
        "saved": None if path is None else {"path": str(path), "tables": [_saved_document(each) for each in saved]},
    }


def _system_document(tour: Tour) -> dict[str, Any]:
    return {
        "name": tour.system.name,
        "title": tour.system.title,
        "tables": [
            {
                "name": filled.name,
                "entities": [entity.label for entity in filled.model.design.entities],
                "items": len(filled.items),
            }
            for filled in tour.tables
        ],
        "patterns": [_run_document(run) for run in tour.runs],
        "cost": asdict(tour.cost),
        "cost_with_one_table_per_entity": asdict(tour.per_entity_cost),
    }


def _run_document(run: ScriptRun) -> dict[str, Any]:
    return {
        "name": run.name,
        "title": run.title,
        "requests": _request_documents(run.requests),
        "output": output_lines(run),
        "cost": asdict(run.cost),
        "cost_with_one_table_per_entity": asdict(run.per_entity_cost),
        "requests_with_one_table_per_entity": _request_documents(run.per_entity_requests),
    }


def _request_documents(requests: Iterable[CapturedRequest]) -> list[dict[str, Any]]:
    return [
        {
            "operation": each.operation,
            "parameters": each.parameters,
            "units": each.cost.units,
            "pattern": each.pattern,
            "error": each.error,
        }
        for each in requests
    ]


def _saved_document(saved: SavedTable) -> dict[str, Any]:
    return {"name": saved.name, "system": saved.system, "model": saved.model.__name__, "items": saved.items}
