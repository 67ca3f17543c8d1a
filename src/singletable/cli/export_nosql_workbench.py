"""`singletable export nosql-workbench MODEL`: export a NoSQL Workbench 3.0 model, with sample rows for each entity."""

from __future__ import annotations

import argparse
import sys

from singletable.cli.export_options import add_file_options, write_export
from singletable.cli.live_table import connect, sample_table
from singletable.cli.load_model import load_tables
from singletable.errors import ModelNotLoaded

ROWS_MAX = 500


def add_to(targets: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the target to the command."""
    parser = targets.add_parser("nosql-workbench", help="a NoSQL Workbench model with sample rows", description=__doc__)
    add_file_options(parser)
    parser.add_argument("--items", metavar="STORE", help="take the rows from these tables: file:PATH, http://...")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Export the tables of the model."""
    from singletable.document.docstrings import introduction
    from singletable.importers.workbench.design_draft import DesignExport, design_draft
    from singletable.importers.workbench.workbench_export import to_workbench

    tables = load_tables(options.model)
    names = [table.design.name for table in tables]
    if twice := next((table for table in tables if names.count(table.design.name) > 1), None):
        raise ModelNotLoaded(
            f"{options.model} contains several tables named {twice.design.name}; "
            f"select one: {options.model}:{twice.__name__}"
        )
    models = [DesignExport(table.design, table.__name__, table.__doc__ or "") for table in tables]
    if options.items is not None:
        with connect(options.items) as requests:
            samples = [sample_table(requests, model.design.name, ROWS_MAX).items for model in models]
        models = [
            DesignExport(model.design, model.class_name, model.doc, items)
            for model, items in zip(models, samples, strict=True)
        ]
    document = to_workbench(models[0].class_name, models, introduction(tables))
    for table in design_draft(models).tables:
        for note in table.notes:
            print(f"note: {note}", file=sys.stderr)
    return write_export(document, options)
