"""`singletable import onetable FILE`: import a OneTable schema from JSON, JavaScript or TypeScript."""

from __future__ import annotations

import argparse

from singletable.cli.import_output import add_file_options


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("onetable", help="a OneTable schema", description=__doc__)
    parser.add_argument(
        "file", metavar="FILE", help="the schema as JSON, JavaScript or TypeScript; - for standard input"
    )
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the file and write the model."""
    from singletable.cli.import_text import import_text
    from singletable.importers.onetable.onetable_schema import read_onetable

    return import_text(options, read_onetable)
