"""`singletable import worksheet FILE`: import a worksheet of access patterns, and propose keys with a proof."""

from __future__ import annotations

import argparse

from singletable.cli.import_output import add_file_options


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("worksheet", help="a worksheet of access patterns", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="CSV, Markdown, or the output of check; - for standard input")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the file and write the model."""
    from singletable.cli.import_text import import_text
    from singletable.importers.worksheet.worksheet_file import read_worksheet

    return import_text(options, read_worksheet)
