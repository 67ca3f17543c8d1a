"""`singletable export TARGET MODEL`: the model's tables for another tool; one file for each target beside this one."""

from __future__ import annotations

import argparse
import importlib

# A target is a module `cli/export_NAME.py` with `add_to`, and its name here.
TARGETS = ("cloudformation", "terraform", "cdk-python", "boto3", "iam", "nosql-workbench")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its targets to the parser."""
    parser = commands.add_parser("export", help="write a model for other tools", description=__doc__)
    targets = parser.add_subparsers(required=True, metavar="TARGET")
    for name in TARGETS:
        importlib.import_module(f"singletable.cli.export_{name.replace('-', '_')}").add_to(targets)
