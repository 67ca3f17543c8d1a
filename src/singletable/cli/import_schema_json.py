"""`singletable import schema-json FILE`: import a schema.json of the AWS modelling server, with its access patterns."""

from __future__ import annotations

import argparse

from singletable.cli.import_output import add_file_options


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("schema-json", help="a schema.json of the AWS modelling server", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="the schema.json; - for standard input")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the file and write the model."""
    from singletable.cli.import_text import import_text
    from singletable.importers.schema_json.schema_json_file import read_schema_json

    return import_text(options, read_schema_json)
