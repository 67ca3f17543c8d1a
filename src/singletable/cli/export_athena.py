"""`singletable export athena MODEL LOCATION`: export table definitions of Athena or Glue for Parquet files."""

from __future__ import annotations

import argparse

from singletable.cli.export_items import require_analytics
from singletable.cli.export_options import add_file_options, write_export
from singletable.cli.load_model import load_table


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser(
        "athena", help="table definitions of Athena or Glue, for exported Parquet files", description=__doc__
    )
    add_file_options(parser)
    parser.add_argument("location", metavar="LOCATION", help="where the exported files are: s3://BUCKET/PREFIX")
    parser.add_argument("--database", metavar="NAME", help="the database (default: the name of the table)")
    parser.add_argument(
        "--partition-by",
        metavar="ENTITY.FIELD[:UNIT]",
        action="append",
        default=[],
        help="the partitions, as for `export parquet`; repeatable",
    )
    parser.add_argument("--glue", action="store_true", help="write the TableInput documents of Glue, as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the definitions."""
    require_analytics()
    from singletable.analytics.athena import athena_ddl, glue_tables
    from singletable.analytics.data_export import partitioning

    design = load_table(options.model).design
    chosen = {each.entity: each for each in (partitioning(text, design) for text in options.partition_by)}
    if options.glue:
        return write_export(glue_tables(design, options.location, chosen), options)
    return write_export(athena_ddl(design, options.location, chosen, database=options.database), options)
