"""`singletable export cloudformation MODEL`: export a CloudFormation template with tables, insights and alarms."""

from __future__ import annotations

import argparse

from singletable.cli.export_options import add_table_options, tables_of, write_export
from singletable.export.cloudformation import to_cloudformation


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser(
        "cloudformation", help="a CloudFormation template with tables, insights and alarms", description=__doc__
    )
    add_table_options(parser)
    parser.add_argument("--json", action="store_true", help="write JSON instead of YAML")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the tables of the model."""
    return write_export(to_cloudformation(tables_of(options), as_json=options.json), options)
