"""`singletable catalogue FILE...`: list the access patterns of recorded requests, and write them as a worksheet."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.cli.output import print_heading, print_json, print_table, print_wrapped
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import GUESS_MARK, format_bytes, format_count, format_number, format_some

if TYPE_CHECKING:
    from singletable.catalogue.access_patterns import AccessPattern
    from singletable.catalogue.recorded_catalogue import RecordedCatalogue
    from singletable.catalogue.request_groups import RequestGroup

WORKSHEET_SUFFIXES = (".md", ".markdown")
_PATTERN_HEADERS = (
    *("pattern", "calls", "calls/s", "requests", "items p50", "items p99", "bytes p50", "units per call", "failed"),
    "findings",
)
_REQUEST_HEADERS = (
    *("pattern", "operation", "table", "index", "condition", "filter", "changes", "projection", "options"),
    *("requests", "pages p99", "ms p50", "ms p99"),
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("catalogue", help="list the access patterns of recorded requests", description=__doc__)
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a file that singletable.catalogue.install(), pytest --dynamodb-catalogue or serve --catalogue recorded",
    )
    parser.add_argument(
        "--calls-per-second",
        metavar="N",
        type=_rate,
        help="assume N calls per second of all patterns together, instead of the rates of the recording",
    )
    parser.add_argument(
        "--tables",
        metavar="URL",
        help="describe the tables at this URL, for their keys, indexes and numbers of items: dynamodb://REGION, "
        "http://HOST:PORT or file:PATH",
    )
    parser.add_argument("--output", metavar="FILE", help="write the worksheet to this file, which ends in .md")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0 < rate < math.inf:
        raise argparse.ArgumentTypeError(f"invalid rate {text!r}: write a number greater than 0, such as 250")
    return rate


def run(options: argparse.Namespace) -> int:
    """Read the files, and print or write the catalogue."""
    from singletable.catalogue.recorded_catalogue import read_catalogue

    if options.output is not None and not options.output.lower().endswith(WORKSHEET_SUFFIXES):
        raise ArgumentRefused(f"--output: the worksheet is Markdown, so its name must end in .md, got {options.output}")
    catalogue = read_catalogue(options.files, options.calls_per_second)
    if options.tables is not None:
        catalogue = catalogue.described(_descriptions(options.tables, catalogue))
    if options.output is not None:
        from singletable.cli.import_output import write_file
        from singletable.importers.worksheet.recorded_worksheet import recorded_worksheet

        write_file(recorded_worksheet(catalogue), Path(options.output), force=options.force)
    if options.json:
        print_json({**_document(catalogue), "file": options.output})
        return 0
    _print(catalogue)
    print()
    if options.output is not None:
        print(f"wrote {options.output}; next: complete it, then singletable design {options.output}")
    else:
        print("Write these patterns as a worksheet with --output FILE.md.")
    return 0


def _descriptions(url: str, catalogue: RecordedCatalogue) -> dict[str, dict[str, Any]]:
    """Return the descriptions of the tables that the catalogue contains."""
    from singletable.cli.live_table import connect, describe

    with connect(url) as requests:
        return {name: describe(requests, name) for name in catalogue.tables}


def _print(catalogue: RecordedCatalogue) -> None:
    rows = [_pattern_cells(catalogue, pattern) for pattern in catalogue.patterns]
    title = f"{format_count(len(rows), 'access pattern')} in {format_count(catalogue.requests, 'request')}"
    print_table(title, _PATTERN_HEADERS, rows, optional=("calls/s", "failed", "findings"))
    print()
    requests = [_request_cells(pattern, group) for pattern in catalogue.patterns for group in pattern.groups]
    optional = ("index", "filter", "changes", "projection", "options")
    print_table("The requests of each pattern", _REQUEST_HEADERS, requests, optional=optional)
    if catalogue.findings:
        print()
        print_heading(format_count(len(catalogue.findings), "finding"))
        for finding in catalogue.findings:
            print_wrapped(str(finding), "  ", "    ")
    for note in _notes(catalogue):
        print()
        print_wrapped(note)


def _notes(catalogue: RecordedCatalogue) -> list[str]:
    notes = []
    if catalogue.scale is None:
        reason = "tests do not call as often as users do" if catalogue.from_tests else "the recording is too short"
        notes.append(f"There are no rates, because {reason}. Set the rate of all patterns with --calls-per-second N.")
    if unknown := [table.name for table in catalogue.tables.values() if not table.is_described]:
        notes.append(
            f"The indexes of {format_some(unknown)} are unknown, because no recorded request created or described "
            f"{'it' if len(unknown) == 1 else 'them'}. Describe the tables with --tables URL."
        )
    if any(pattern.is_estimated for pattern in catalogue.patterns):
        notes.append(
            f"{GUESS_MARK} Units are computed from the sizes of items, because the response does not contain them. For "
            "exact units, except those of requests whose condition failed, record with install(capacity=True)."
        )
    return notes


def _pattern_cells(catalogue: RecordedCatalogue, pattern: AccessPattern) -> list[str]:
    rate, main = catalogue.rate(pattern.calls), pattern.groups[0]
    failed = sum(sum(group.errors.values()) for group in pattern.groups)
    kinds = dict.fromkeys(finding.kind for finding in catalogue.findings if finding.pattern == pattern.name)
    return [
        pattern.name,
        f"{pattern.calls:,}",
        "" if rate is None else format_number(rate),
        format_number(pattern.requests / pattern.calls),
        *(f"{main.items.percentile(percent):,g}" if main.shape.is_read else "" for percent in (50, 99)),
        format_bytes(main.sizes.percentile(50)),
        f"{GUESS_MARK if pattern.is_estimated else ''}{_units(pattern)}",
        f"{failed:,}" if failed else "",
        ", ".join(kinds),
    ]


def _units(pattern: AccessPattern) -> str:
    reads, writes = pattern.read_units / pattern.calls, pattern.write_units / pattern.calls
    parts = [f"{format_number(writes)} WRU"] if writes else []
    return " + ".join([*parts, f"{format_number(reads)} RRU"] if reads or not parts else parts)


def _request_cells(pattern: AccessPattern, group: RequestGroup) -> list[str]:
    shape = group.shape
    parts = shape.parts or (shape,)
    return [
        pattern.name,
        shape.operation,
        shape.table or ", ".join(f"{part.operation} {part.table}" for part in parts),
        shape.index or "",
        shape.statement or " AND ".join(map(str, shape.key)),
        shape.filter or "",
        shape.update or "",
        ", ".join(shape.projection),
        ", ".join(_request_options(group)),
        f"{group.requests:,}",
        f"{group.pages.percentile(99):,g}",
        *(f"{group.milliseconds.percentile(percent):,g}" for percent in (50, 99)),
    ]


def _request_options(group: RequestGroup) -> list[str]:
    shape = group.shape
    limits = sorted(group.limits)
    shown = f"limit {limits[0]}" if len(limits) == 1 else f"limit {limits[0]} to {limits[-1]}" if limits else ""
    options = [
        (shape.descending, "descending"),
        (shown, shown),
        (shape.consistent, "consistent"),
        (shape.select, str(shape.select).lower().replace("_", " ")),
        (shape.segments, f"{shape.segments} segments"),
        (shape.condition, f"if {shape.condition}"),
    ]
    return [text for is_set, text in options if is_set]


def _document(catalogue: RecordedCatalogue) -> dict[str, Any]:
    from singletable.catalogue.pattern_steps import pattern_steps

    steps = pattern_steps(catalogue)
    return {
        "files": list(catalogue.files),
        "seconds": round(catalogue.seconds, 3),
        "from_tests": catalogue.from_tests,
        "requests": catalogue.requests,
        "tables": [
            {"name": each.name, "keys": each.keys, "indexes": each.indexes, "items": each.items}
            for each in catalogue.tables.values()
        ],
        "patterns": [
            {
                "name": pattern.name,
                "caller": None if pattern.caller is None else str(pattern.caller),
                "calls": pattern.calls,
                "calls_per_second": catalogue.rate(pattern.calls),
                "read_units": pattern.read_units,
                "write_units": pattern.write_units,
                "is_estimated": pattern.is_estimated,
                "rows": [step.name for step in steps if step.pattern is pattern],
                "requests": [_request_document(group) for group in pattern.groups],
            }
            for pattern in catalogue.patterns
        ],
        "findings": [{"pattern": each.pattern, "kind": each.kind, "text": each.text} for each in catalogue.findings],
    }


def _request_document(group: RequestGroup) -> dict[str, Any]:
    from singletable.catalogue.record_lines import shape_record

    measured = {"items": group.items, "pages": group.pages, "bytes": group.sizes, "milliseconds": group.milliseconds}
    return {
        **shape_record(group.shape),
        "limits": sorted(group.limits),
        "requests": group.requests,
        "reads_or_writes": group.reads,
        "examined": group.examined,
        "returned": group.returned,
        "units": group.units,
        "errors": dict(group.errors),
        "retries": group.retries,
        **{
            name: {
                "p50": each.percentile(50),
                "p90": each.percentile(90),
                "p99": each.percentile(99),
                "max": each.maximum,
            }
            for name, each in measured.items()
        },
    }
