"""`singletable export jsonl MODEL URL DIR`: export the items of a table as JSON Lines, one table per entity."""

from __future__ import annotations

import argparse

from singletable.cli.export_items import add_items_target


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    add_items_target(targets, "jsonl", "the items as JSON Lines files, one typed table per entity", __doc__)
