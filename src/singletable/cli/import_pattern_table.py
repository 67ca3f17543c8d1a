"""`singletable import pattern-table FILE`: import a table of access patterns and key values, as in the AWS guide."""

from __future__ import annotations

import argparse

from singletable.cli.import_output import add_file_options


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("pattern-table", help="a table of access patterns and key values", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="Markdown or CSV; - for standard input")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the file and write the model."""
    from singletable.cli.import_text import import_text
    from singletable.importers.pattern_table.read_pattern_table import read_pattern_table

    return import_text(options, read_pattern_table)
