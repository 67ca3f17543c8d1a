"""`singletable import nosql-workbench FILE`: import a NoSQL Workbench model, formats 1.0 to 3.0."""

from __future__ import annotations

import argparse

from singletable.cli.import_output import add_file_options, read_source, write_import
from singletable.errors import ImportRefused


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("nosql-workbench", help="a NoSQL Workbench model", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="the JSON file exported by NoSQL Workbench; - for standard input")
    parser.add_argument(
        "--functions",
        metavar="MODULE",
        help="a Python file or module with the functions for derived values, upgrades and defaults that the document "
        "refers to; documents contain no code",
    )
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the document and write the model."""
    from singletable.cli.load_model import importable_name, load_module
    from singletable.drafts.functions import defined_in
    from singletable.drafts.workbench import draft_from_workbench

    text = read_source(options.file)
    given = options.functions
    functions = defined_in(load_module(given), importable_name(given)) if given is not None else None
    try:
        draft = draft_from_workbench(text, functions)
    except ImportRefused as problem:
        name = "standard input" if options.file == "-" else options.file
        raise ImportRefused(f"{name}: {problem}") from problem
    return write_import(draft, options)
