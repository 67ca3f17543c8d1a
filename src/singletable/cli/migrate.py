"""`singletable migrate COMMAND`: change the design of a table that contains data."""

from __future__ import annotations

import argparse
import importlib

MIGRATE_COMMANDS = ("make", "check", "plan", "run", "verify", "status", "pause", "resume", "undo")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its subcommands to the parser."""
    parser = commands.add_parser("migrate", help="change the design of a table that contains data", description=__doc__)
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in MIGRATE_COMMANDS:
        importlib.import_module(f"singletable.cli.migrate_{name}").add_to(subcommands)
