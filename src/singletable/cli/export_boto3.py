"""`singletable export boto3 MODEL`: export a Python script that creates the tables with boto3."""

from __future__ import annotations

import argparse

from singletable.cli.export_options import add_table_options, tables_of, write_export
from singletable.export.boto3_script import to_boto3_script


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser("boto3", help="a Python script that creates the tables with boto3", description=__doc__)
    add_table_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the tables of the model."""
    return write_export(to_boto3_script(tables_of(options)), options)
