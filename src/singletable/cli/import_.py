"""`singletable import SOURCE ...`: create a Python model from a table or from another tool."""

from __future__ import annotations

import argparse
import importlib

# Every source has a module `cli/import_NAME.py` with `add_to`.
SOURCES = ("live", "nosql-workbench", "onetable", "pattern-table", "schema-json", "sql", "worksheet")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its sources to the parser."""
    parser = commands.add_parser("import", help="create a model from a table or from other tools", description=__doc__)
    sources = parser.add_subparsers(required=True, metavar="SOURCE")
    for name in SOURCES:
        importlib.import_module(f"singletable.cli.import_{name.replace('-', '_')}").add_to(sources)
