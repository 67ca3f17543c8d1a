"""`singletable migrate verify MODEL URL`: check every item against the model; exit with 1 if an item differs."""

from __future__ import annotations

import argparse

from singletable.cli.migration_target import add_table

FAILED = 1


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("verify", help="check every item of a table", description=__doc__)
    add_table(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check all items, like `check --items` without a limit."""
    from singletable.cli.check import ALL_ITEMS
    from singletable.cli.check_items import check_items
    from singletable.cli.load_model import load_table

    options.items, options.sample = options.url, ALL_ITEMS
    return 0 if check_items((load_table(options.model),), options) else FAILED
