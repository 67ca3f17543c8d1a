"""`singletable import nosql-workbench FILE`: a model of NoSQL Workbench, formats 1.0 to 3.0."""

from __future__ import annotations

import argparse

from singletable.cli.import_file import add_file_options, read_source, write_import
from singletable.errors import ImportRefused


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("nosql-workbench", help="a model of NoSQL Workbench", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="the JSON that NoSQL Workbench exports; - reads standard input")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the document and write the model."""
    from singletable.drafts.workbench import draft_from_workbench

    text = read_source(options.file)
    try:
        draft = draft_from_workbench(text)
    except ImportRefused as problem:
        raise ImportRefused(f"{options.file}: {problem}") from problem
    return write_import(draft, options)
