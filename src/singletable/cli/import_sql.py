"""`singletable import sql FILE [--queries FILE]`: import an SQL schema as entities, and queries as patterns."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from singletable.cli.import_output import add_file_options
from singletable.errors import ImportRefused

if TYPE_CHECKING:
    from singletable.importers.draft import Draft

DIALECTS = ("sqlite", "postgres", "mysql")


def add_to(sources: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the source to the command."""
    parser = sources.add_parser("sql", help="an SQL schema, with its queries", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="the CREATE TABLE statements; - for standard input")
    parser.add_argument("--queries", metavar="FILE", help="SELECT, INSERT, UPDATE and DELETE statements")
    parser.add_argument("--dialect", choices=DIALECTS, help="the SQL dialect (default: detected from the schema)")
    add_file_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the files and write the model."""
    from singletable.cli.import_text import import_text

    return import_text(options, sql_reader(options.queries, options.dialect))


def sql_reader(queries_file: str | None, dialect: str | None) -> Callable[[str, str], Draft]:
    """Return a function that reads a schema with these queries as a draft."""
    from singletable.cli.import_text import read_text

    try:
        from singletable.importers.sql.read_sql import read_sql
    except ModuleNotFoundError as problem:
        if problem.name != "sqlglot":
            raise
        raise ImportRefused("the import of SQL needs SQLGlot: pip install 'singletable[sql]'") from None

    queries = read_text(queries_file) if queries_file is not None else None
    return lambda text, name: read_sql(text, name, queries=queries, dialect=dialect)
