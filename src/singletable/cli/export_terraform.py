"""`singletable export terraform MODEL`: export resources for Terraform and OpenTofu."""

from __future__ import annotations

import argparse

from singletable.cli.export_options import add_table_options, tables_of, write_export
from singletable.export.terraform import to_terraform


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser("terraform", help="resources for Terraform and OpenTofu", description=__doc__)
    add_table_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the tables of the model."""
    return write_export(to_terraform(tables_of(options)), options)
