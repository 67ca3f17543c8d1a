"""`singletable export TARGET MODEL`: export a model for another tool, or the items of a table as files."""

from __future__ import annotations

import argparse
import importlib

# Every target has a module `cli/export_NAME.py` with `add_to`.
MODEL_TARGETS = ("cloudformation", "terraform", "cdk-python", "boto3", "iam", "nosql-workbench")
"""The targets that need only a model."""
DATA_TARGETS = ("parquet", "csv", "jsonl", "duckdb", "athena")
"""The targets for the items of a table."""
TARGETS = (*MODEL_TARGETS, *DATA_TARGETS)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its targets to the parser."""
    parser = commands.add_parser(
        "export", help="export a model for other tools, or items as files", description=__doc__
    )
    targets = parser.add_subparsers(required=True, metavar="TARGET")
    for name in TARGETS:
        importlib.import_module(f"singletable.cli.export_{name.replace('-', '_')}").add_to(targets)
