"""The check of stored items for `singletable check MODEL --items`: reads and counts them, and prints the findings."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from singletable.cli.check import ALL_ITEMS
from singletable.cli.output import print_heading, print_json, print_table
from singletable.errors import ArgumentRefused

if TYPE_CHECKING:
    from singletable.cli.item_pages import ItemPages
    from singletable.client.table import Table
    from singletable.conformance.items_report import ItemFinding, ItemsReport

PROGRESS_AFTER_SECONDS = 1.0
GARBAGE_THRESHOLD = 100_000
_FINDING_HEADERS = ("code", "severity", "items", "finding", "example")
_PARTITION_HEADERS = ("entity", "items", "mean size", "largest", "index", "partitions", "largest partition", "share")


def check_items(tables: tuple[type[Table], ...], options: argparse.Namespace) -> bool:
    """Check the items of every table and print the reports. Return True unless a finding is an error."""
    if options.table_name is not None and len(tables) > 1:
        names = ", ".join(table.__name__ for table in tables)
        raise ArgumentRefused(
            f"--table-name applies to one table, but {options.model} contains {names}; select one with MODEL:Table"
        )
    checked = [_checked(table, options, is_only_table=len(tables) == 1) for table in tables]
    if not any(report.items for report, _ in checked):
        raise ArgumentRefused(f"{options.items} contains no items, so nothing was checked")
    if options.json:
        print_json({"tables": [_document(report, pages) for report, pages in checked]})
    else:
        for number, (report, pages) in enumerate(checked):
            print("\n" if number else "", end="")
            _print(report, pages)
    return all(report.passes for report, _ in checked)


def _checked(table: type[Table], options: argparse.Namespace, *, is_only_table: bool) -> tuple[ItemsReport, ItemPages]:
    from singletable.cli.item_pages import ItemPages, default_items_max
    from singletable.conformance.items_report import ItemsCheck

    items_max = None if options.sample == ALL_ITEMS else options.sample or default_items_max(options.items)
    name = options.table_name or table.design.name
    pages = ItemPages(options.items, name, options.table_name is not None, items_max, is_only_table)
    check = ItemsCheck(table.design)
    with _progress(pages) as advance, _rare_garbage_collection():
        for page in pages.pages():
            check.add_all(page)
            advance(check.items)
    return check.report(is_whole=pages.is_whole), pages


@contextmanager
def _rare_garbage_collection() -> Generator[None, None, None]:
    """Run Python's search for reference cycles less often. Items have none, and a page contains thousands of dicts."""
    thresholds = gc.get_threshold()
    gc.set_threshold(GARBAGE_THRESHOLD, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@contextmanager
def _progress(pages: ItemPages) -> Generator[Callable[[int], None], None, None]:
    """Show a progress bar on a terminal after a second. Yield the function that advances it."""
    if not sys.stderr.isatty():
        yield lambda items: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("checking items"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("items", total=None)
    started, is_shown = time.monotonic(), False

    def advance(items: int) -> None:
        nonlocal is_shown
        if not is_shown and time.monotonic() - started >= PROGRESS_AFTER_SECONDS:
            bar.start()
            is_shown = True
        bar.update(task, completed=items, total=pages.expected_items)

    try:
        yield advance
    finally:
        if is_shown:
            bar.stop()


def _print(report: ItemsReport, pages: ItemPages) -> None:
    name = report.design.name
    print_heading(f"{name}: {_what_was_read(report, pages)}")
    print()
    _print_measurements(report)
    open_findings = [each for each in report.findings if each.finding.accepted is None]
    accepted = [each for each in report.findings if each.finding.accepted is not None]
    print()
    if not open_findings:
        print(f"{name}: no findings" + ("" if report.is_whole else " in the items that were read"))
    else:
        _print_findings(f"{name}: {_counted(len(open_findings), 'finding')}", open_findings)
    if accepted:
        print()
        _print_findings(f"{name}: {_counted(len(accepted), 'accepted finding')}", accepted)


def _print_findings(title: str, findings: list[ItemFinding]) -> None:
    print_table(title, _FINDING_HEADERS, [_cells(each) for each in findings])
    print()
    seen: set[tuple[str, str]] = set()
    for each in findings:
        finding = each.finding
        text = str(finding.remedy) if finding.accepted is None else f"accepted: {finding.accepted}"
        if (finding.code, text) not in seen:
            seen.add((finding.code, text))
            print(f"{finding.code} {finding.rule.title}: {text}")


def _cells(each: ItemFinding) -> list[str]:
    first = each.examples[0] if each.examples else None
    example = "" if first is None else f"{first.key} ({first.detail})" if first.detail else first.key
    finding = each.finding
    return [finding.code, finding.severity, f"{each.items:,}", finding.message, example]


def _print_measurements(report: ItemsReport) -> None:
    rows: list[list[str]] = []
    for each in report.entities:
        sizes = [each.entity, f"{each.items:,}", f"{each.mean_bytes:,} B", f"{each.largest_bytes:,} B"]
        for measured in report.partitions:
            if measured.entity.label == each.entity:
                usage = measured.usage
                used = [f"{usage.partitions:,}", f"{usage.largest:,}", f"{usage.largest_share:.1%}"]
                rows.append([*sizes, measured.placement.index.label, *used])
                sizes = [""] * len(sizes)
    print_table(f"{report.design.name}: items and partitions as measured", _PARTITION_HEADERS, rows)


def _what_was_read(report: ItemsReport, pages: ItemPages) -> str:
    extent = "all items" if report.is_whole else "a sample"
    parts = [f"{_counted(report.items, 'item')} of {pages.place} ({extent})"]
    if pages.requests:
        parts.append(f"{_counted(pages.requests, 'request')}, {pages.read_units:,.1f} read units")
    if report.internal_items:
        parts.append(f"{report.internal_items:,} of them unique markers and transaction tokens")
    return "; ".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _document(report: ItemsReport, pages: ItemPages) -> dict[str, Any]:
    return {
        "table": report.design.name,
        "place": pages.place,
        "passes": report.passes,
        "items": report.items,
        "internal_items": report.internal_items,
        "is_whole": report.is_whole,
        "requests": pages.requests,
        "read_units": pages.read_units,
        "entities": [asdict(each) for each in report.entities],
        "partitions": [
            {
                "entity": each.entity.label,
                "index": each.placement.index.label,
                **each.usage._asdict(),
                "largest_share": each.usage.largest_share,
                "is_by_time": each.is_by_time,
            }
            for each in report.partitions
        ],
        "findings": [_finding(each) for each in report.findings],
    }


def _finding(each: ItemFinding) -> dict[str, Any]:
    finding = each.finding
    return {
        "code": finding.code,
        "title": finding.rule.title,
        "severity": finding.severity,
        "subject": finding.subject,
        "message": finding.message,
        "items": each.items,
        "examples": [asdict(example) for example in each.examples],
        "remedy": str(finding.remedy),
        "accepted": finding.accepted,
        "file": finding.location.file,
        "line": finding.location.line,
    }
