"""`singletable consolidate plan FILE URL`: map every row without writing, and show failures, units and cost."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from singletable.cli.consolidation_target import (
    add_consolidation,
    add_pass_options,
    consolidation_run,
    failure_documents,
    print_failures,
    run_steps,
)
from singletable.cli.output import print_json, print_table
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.planner.formatting import format_dollars, format_number

if TYPE_CHECKING:
    from singletable.consolidation.mapping_report import MappingReport
    from singletable.consolidation.row_copies import CopyResult

STOPS = 1
_MILLION = 1_000_000


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("plan", help="map every row without writing", description=__doc__)
    add_consolidation(parser)
    add_pass_options(parser, waits=False)
    add_price_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the plan. Return 1 if a row would stop the consolidation."""
    with consolidation_run(options) as one:
        report = run_steps(one, one.plan())
        name = one.items.table
    dollars = _dollars(report, options)
    if options.json:
        print_json(_document(name, report, dollars))
    else:
        _print(name, report, dollars)
    return STOPS if report.failed else 0


def _dollars(report: MappingReport, options: argparse.Namespace) -> float:
    from singletable.cost.prices import STANDARD

    prices = chosen_prices(options).classes[STANDARD]
    reads = report.read_units * prices.million_read_units
    return (reads + report.write_units * prices.million_write_units) / _MILLION


def _print(name: str, report: MappingReport, dollars: float) -> None:
    rows = [
        [source, f"{each.items:,}", _entities(each), f"{sum(each.left_out.values()):,}", f"{each.written:,}"]
        for source, each in report.sources.items()
    ]
    print_table(f"rows for table {name}", ("source", "rows", "entities", "left out", "to copy"), rows)
    for source, each in report.sources.items():
        for reason, count in each.left_out.most_common():
            print(f"{source}: {count:,} rows left out: {reason}")
    reads, writes = format_number(report.read_units), format_number(report.write_units)
    print(f"about {reads} RRU and {writes} WRU, {format_dollars(dollars)}")
    if report.failed:
        print()
        print_failures(report.failures, report.failed, "rows stop the consolidation; nothing was written")


def _entities(each: CopyResult) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in each.entities.most_common()) or "0"


def _document(name: str, report: MappingReport, dollars: float) -> dict[str, Any]:
    sources = [
        {
            "source": source,
            "rows": each.items,
            "entities": dict(each.entities),
            "left_out": dict(each.left_out),
            "to_copy": each.written,
            "failed": each.failed,
        }
        for source, each in report.sources.items()
    ]
    return {
        "table": name,
        "sources": sources,
        "read_units": report.read_units,
        "write_units": report.write_units,
        "dollars": dollars,
        "failed": report.failed,
        "failures": failure_documents(report.failures),
    }
