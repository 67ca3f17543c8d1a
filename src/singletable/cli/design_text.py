"""Text as input of `singletable design`: a worksheet, a pattern table, or an SQL schema with its queries."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import ImportRefused

if TYPE_CHECKING:
    from singletable.importers.draft import Draft

TEXT_SUFFIXES = (".md", ".markdown", ".csv", ".tsv", ".txt", ".sql")


def is_text(place: str) -> bool:
    """Return whether an argument names a text file instead of a model."""
    return place == "-" or place.lower().endswith(TEXT_SUFFIXES)


@contextmanager
def keyless_model(place: str, queries: str | None, dialect: str | None) -> Generator[tuple[str, list[str]], None, None]:
    """Write the requirements of a text as a model without keys. Yield the path of this file, and the notes."""
    from singletable.cli.import_text import import_draft
    from singletable.design.draft_keys import keyless_draft
    from singletable.importers.python_source import python_source

    draft = import_draft(keyless_draft(_read(place, queries, dialect)))
    name = "model" if place == "-" else Path(place).stem
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.py")
        path.write_text(python_source(draft), encoding="utf-8", newline="\n")
        yield str(path), [*draft.notes, *(note for table in draft.tables for note in table.notes)]


def _read(place: str, queries: str | None, dialect: str | None) -> Draft:
    from singletable.cli.import_sql import sql_reader
    from singletable.cli.import_text import read_text
    from singletable.importers.pattern_table.read_pattern_table import read_pattern_table
    from singletable.importers.worksheet.worksheet_file import read_worksheet

    text = read_text(place)
    name = "standard input" if place == "-" else place
    if place.lower().endswith(".sql") or queries is not None:
        return sql_reader(queries, dialect)(text, name)
    try:
        return read_worksheet(text, name)
    except ImportRefused as problem:
        if str(problem).startswith(tuple(f"{name}:{digit}" for digit in "123456789")):
            raise  # a row of the worksheet is wrong
        try:
            return read_pattern_table(text, name)
        except ImportRefused as other:
            raise ImportRefused(f"{problem}\n{other}") from None
