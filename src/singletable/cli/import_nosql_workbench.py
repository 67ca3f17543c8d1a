"""`singletable import nosql-workbench FILE`: import a NoSQL Workbench model, formats 1.0 to 3.0."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from singletable.cli.import_output import add_file_options, read_source, write_model
from singletable.errors import ImportRefused

if TYPE_CHECKING:
    from singletable.importers.python_source import ImportedModel
    from singletable.importers.workbench.workbench_import import FunctionModule


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("nosql-workbench", help="a NoSQL Workbench model", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="the JSON file exported by NoSQL Workbench; - for standard input")
    parser.add_argument(
        "--functions",
        metavar="MODULE",
        help="a Python file or module with the functions for derived values, upgrades and defaults to which the "
        "document refers; documents contain no code",
    )
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the document and write the model."""
    from singletable.cli.load_model import importable_name, load_module
    from singletable.importers.workbench.workbench_import import functions_defined_in

    text = read_source(options.file)
    given = options.functions
    functions = functions_defined_in(load_module(given), importable_name(given)) if given is not None else None
    try:
        imported = import_workbench(text, functions)
    except ImportRefused as problem:
        name = "standard input" if options.file == "-" else options.file
        raise ImportRefused(f"{name}: {problem}") from problem
    return write_model(imported, options)


def import_workbench(text: str | bytes, functions: FunctionModule | None = None) -> ImportedModel:
    """Return the model of a document: the model that our export stored, and a draft of all other tables."""
    from singletable.cli.import_text import import_draft
    from singletable.importers.python_source import combined_models, draft_model
    from singletable.importers.workbench.workbench_import import own_model_source, read_workbench_model

    own, draft = read_workbench_model(text)
    drafted = draft_model(import_draft(draft)) if draft is not None else None
    if own is None:
        assert drafted is not None  # a document contains at least one table
        return drafted
    imported = own_model_source(own, functions)
    return imported if drafted is None else combined_models(imported, drafted)
