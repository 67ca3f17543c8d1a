"""The export of items to files: the options and the run of `export parquet`, `csv`, `jsonl` and `duckdb`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.cli.load_model import load_table
from singletable.cli.output import print_json, print_table
from singletable.cli.stream import open_existing
from singletable.errors import ArgumentRefused
from singletable.planner.formatting import format_number

if TYPE_CHECKING:
    from singletable.analytics.data_export import ExportManifest
    from singletable.analytics.table_source import ItemSource
    from singletable.client.table import Table

SEGMENTS_MAX = 1000


def add_items_target(
    targets: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str, description: str | None
) -> None:
    """Add a target that exports items to files."""
    parser = targets.add_parser(name, help=what, description=description)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "url",
        metavar="URL",
        help="file:PATH, http://HOST:PORT, dynamodb://REGION, or a folder with exports of DynamoDB to S3",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new folder, or one with an unfinished export")
    parser.add_argument("--table-name", metavar="NAME", help="the table name (default: the name in the model)")
    parser.add_argument(
        "--partition-by",
        metavar="ENTITY.FIELD[:UNIT]",
        action="append",
        default=[],
        help="partition the files of an entity by a field, such as Order.status or Order.created_at:month; repeatable",
    )
    parser.add_argument("--rate", metavar="UNITS", type=float, help="read units per second (default: no limit)")
    parser.add_argument(
        "--segments", metavar="N", type=int, default=4, help="the number of segments of the Scan (default: 4)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run, export_format=name)


def run(options: argparse.Namespace) -> int:
    """Export the items, or continue an unfinished export."""
    require_analytics()
    from singletable.analytics.data_export import DataExport, partitioning

    table = load_table(options.model)
    chosen = [partitioning(each, table.design) for each in options.partition_by]
    if options.rate is not None and options.rate <= 0:
        raise ArgumentRefused(f"--rate must be greater than 0, got {options.rate:g}")
    if not 1 <= options.segments <= SEGMENTS_MAX:
        raise ArgumentRefused(f"--segments must be from 1 to {SEGMENTS_MAX}, got {options.segments}")
    with _source(table, options) as source:
        export = DataExport(
            *(table.design, source, options.folder, options.export_format),
            partitions={each.entity: each for each in chosen},
            progress=_progress,
        )
        manifest = export.run()
    _show(manifest, options)
    return 0


def require_analytics() -> None:
    """Raise ArgumentRefused unless pyarrow and DuckDB are installed."""
    from importlib.util import find_spec

    missing = [name for name in ("pyarrow", "duckdb") if find_spec(name) is None]
    if missing:
        raise ArgumentRefused(f"this needs {' and '.join(missing)}: pip install 'singletable[analytics]'")


@contextmanager
def _source(table: type[Table], options: argparse.Namespace) -> Generator[ItemSource, None, None]:
    from singletable.analytics.s3_exports import S3ExportSource
    from singletable.analytics.table_source import ScanSource

    if Path(options.url).is_dir():
        yield S3ExportSource(Path(options.url), table.design.table.key_attributes)
        return
    with open_existing(table, options.url, options.table_name) as opened:
        yield ScanSource(opened._opened(), segments=options.segments, rate=options.rate)


def _progress(manifest: ExportManifest) -> None:
    if sys.stderr.isatty():
        rows = sum(map(manifest.rows, manifest.files))
        print(f"\r  {rows:,} items", end="", file=sys.stderr)


def _show(manifest: ExportManifest, options: argparse.Namespace) -> None:
    if options.json:
        print_json(vars(manifest))
        return
    rows = [[name, f"{manifest.rows(name):,}", f"{len(manifest.files.get(name, ())):,}"] for name in manifest.columns]
    print_table(f"Exported to {options.folder}", ("entity", "items", "files"), rows)
    if manifest.read_units:
        print(f"{format_number(manifest.read_units)} read units")
    for name, columns in manifest.columns.items():
        for column in columns:
            if note := column.get("note"):
                print(f"{name}.{column['name']}: {note}")
    for name, count in manifest.unknown.items():
        print(f"{count:,} items belong to no entity of {manifest.model}: {name}")
