"""`singletable consolidate COMMAND`: move an application from several tables, files or SQL to one table."""

from __future__ import annotations

import argparse
import importlib

CONSOLIDATE_COMMANDS = ("plan", "run", "verify", "status", "mode", "retire")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its subcommands to the parser."""
    parser = commands.add_parser(
        "consolidate", help="move an application from several tables to one", description=__doc__
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in CONSOLIDATE_COMMANDS:
        importlib.import_module(f"singletable.cli.consolidate_{name}").add_to(subcommands)
