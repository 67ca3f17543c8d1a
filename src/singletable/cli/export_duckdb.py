"""`singletable export duckdb MODEL URL DIR`: export the items of a table as a DuckDB database, one table per entity."""

from __future__ import annotations

import argparse

from singletable.cli.export_items import add_items_target


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    add_items_target(targets, "duckdb", "the items as a DuckDB database, one typed table per entity", __doc__)
