"""`singletable query MODEL URL "SELECT ..."`: run SQL with joins and aggregates over the entities of a table."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singletable.cli.export_items import require_analytics
from singletable.cli.load_model import load_table
from singletable.cli.output import escape_controls, print_table
from singletable.cli.price_options import add_price_options, chosen_prices
from singletable.cli.stream import open_existing
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import format_count, format_number

if TYPE_CHECKING:
    from singletable.analytics.sql_query import ReadEstimate, SqlPlan, SqlReader

FORMATS = ("table", "csv", "json", "parquet")
RANGES_SHOWN_MAX = 5
CENT = 0.01


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("query", help="run SQL with joins over the entities of a table", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument("url", metavar="URL", help="file:PATH, http://HOST:PORT or dynamodb://REGION")
    parser.add_argument("statement", metavar="SELECT", help="a SELECT statement of DuckDB, with one table per entity")
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")
    parser.add_argument("--format", choices=FORMATS, default="table", help="the output format (default: table)")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write the result to this file")
    parser.add_argument(
        "--plan", action="store_true", help="show the reads of the statement and their cost, and read nothing"
    )
    parser.add_argument("--scan", action="store_true", help="allow a Scan of more than 1,000 read units")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    add_price_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the reads of the statement, run it, and print the result."""
    require_analytics()
    from singletable.analytics.sql_query import SqlReader

    output_format = "json" if options.json else options.format
    if output_format == "parquet" and options.output is None:
        raise ArgumentRefused("--format parquet needs --output FILE")
    with open_existing(load_table(options.model), options.url, options.table_name) as table:
        reader = SqlReader(table._opened())
        plan = reader.plan(options.statement)
        estimate = reader.estimate(plan)
        print("\n".join(_plan_lines(plan, estimate, options)), file=sys.stdout if options.plan else sys.stderr)
        if options.plan:
            return 0
        result = reader.run(options.statement, plan, scan=options.scan).to_arrow_table()
        _write(result, output_format, options.output)
        print(_totals(reader), file=sys.stderr)
    return 0


def _plan_lines(plan: SqlPlan, estimate: ReadEstimate, options: argparse.Namespace) -> list[str]:
    price = chosen_prices(options).classes["standard"].million_read_units * estimate.units / 1_000_000
    shown = f"${price:.2f}" if price >= CENT else "less than $0.01"
    least = "at least " if estimate.is_minimum else "about "
    lines = [f"reads: {estimate.requests}, {least}{format_number(estimate.units)} read units, {shown}"]
    if plan.scanned:
        lines.append(f"  Scan for {', '.join(plan.scanned)}: no key is compared with a constant")
    lines += [f"  {entity.name}: {each.text}" for entity, each in plan.ranges[:RANGES_SHOWN_MAX]]
    if len(plan.ranges) > RANGES_SHOWN_MAX:
        lines.append(f"  and {len(plan.ranges) - RANGES_SHOWN_MAX:,} more")
    return lines


def _totals(reader: SqlReader) -> str:
    totals = reader.totals
    items, requests = format_count(totals.items, "item"), format_count(totals.requests, "request")
    return f"read: {items}, {format_number(totals.units)} read units, {requests}"


def _write(result: Any, output_format: str, path: Path | None) -> None:
    try:
        if output_format == "parquet":
            from singletable.analytics.export_files import write_part

            assert path is not None, "checked above"
            write_part(result, path, "parquet")
        elif path is None:
            _print(result, output_format)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                _write_text(result, "csv" if output_format == "table" else output_format, file)
    except OSError as problem:
        raise ArgumentRefused(f"cannot write {path}: {problem.strerror or problem}") from None


def _print(result: Any, output_format: str) -> None:
    if output_format != "table":
        _write_text(result, output_format, sys.stdout)
        return
    from singletable.analytics.export_files import text_rows

    rows = [[escape_controls(text or "") for text in row] for row in text_rows(result)]
    print_table(format_count(result.num_rows, "row"), list(map(escape_controls, result.schema.names)), rows)


def _write_text(result: Any, output_format: str, file: Any) -> None:
    from singletable.analytics.export_files import json_default, plain_rows, text_rows

    if output_format == "json":
        names = _names(result)
        rows = [dict(zip(names, row, strict=True)) for row in plain_rows(result)]
        file.write(json.dumps(rows, indent=2, ensure_ascii=False, default=json_default) + "\n")
        return
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(result.schema.names)
    writer.writerows(text_rows(result))


def _names(result: Any) -> list[str]:
    """Return the names of the columns, with a number for a name that another column has too."""
    names: list[str] = []
    for name in result.schema.names:
        names.append(name if name not in names else f"{name}_{len(names)}")
    return names
