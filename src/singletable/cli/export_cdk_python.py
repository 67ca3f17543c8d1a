"""`singletable export cdk-python MODEL`: export an AWS CDK stack in Python."""

from __future__ import annotations

import argparse

from singletable.cli.export_options import add_table_options, tables_of, write_export
from singletable.export.cdk_python import to_cdk_python


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser("cdk-python", help="an AWS CDK stack in Python", description=__doc__)
    add_table_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the tables of the model."""
    return write_export(to_cdk_python(tables_of(options)), options)
