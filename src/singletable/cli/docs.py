"""`singletable docs MODEL`: the design as a document, in Markdown or HTML; `--check` fails when it is stale."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.cli.export_file import replace_file
from singletable.cli.load_model import load_tables
from singletable.errors import ExportRefused

if TYPE_CHECKING:
    from singletable.client.table import Table
    from singletable.cost.sample import Sample
    from singletable.document.blocks import Picture, Section
    from singletable.document.model_document import Subject
    from singletable.sample_rows.rows import SampleRows

STALE = 1
NO_PICTURES = "none"
STORED_ITEMS_MAX = 1000


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("docs", help="write the document of a model", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module, with :Table to pick one")
    parser.add_argument(
        "--format", choices=("markdown", "html"), help="Markdown unless FILE ends with .html; HTML is one file for all"
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--output", metavar="FILE", help="write into this file, not to standard output")
    target.add_argument("--into", metavar="FILE", help="write between the markers of MODEL in this Markdown file")
    parser.add_argument(
        "--pictures",
        metavar="FOLDER",
        help="where the pictures of Markdown are kept, NAME-pictures beside the file unless given; "
        f"`{NO_PICTURES}` draws them as text",
    )
    parser.add_argument("--items", metavar="STORE", help="show rows of this store (file:PATH), not made-up ones")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the document is stale")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the document, or hold it against what is there."""
    _refuse_contradictions(options)
    files = _files(_document(options), options)
    if files is None:
        return 0
    stale = [path for path, text in files.items() if _read(path) != text]
    if options.check:
        for path in stale:
            print(f"{path} is not what the model says; write it again, without --check", file=sys.stderr)
        return STALE if stale else 0
    for path in stale:
        _write(path, files[path])
    return 0


def _refuse_contradictions(options: argparse.Namespace) -> None:
    if options.check and not (options.output or options.into):
        raise ExportRefused("--check needs --output FILE or --into FILE: what is held against the model")
    if options.format is None:
        is_page = (options.output or "").lower().endswith((".html", ".htm"))
        options.format = "html" if is_page else "markdown"
    if options.into and options.format == "html":
        raise ExportRefused("--into writes Markdown between markers; give HTML a file of its own with --output")
    if options.pictures is not None and options.format == "html":
        raise ExportRefused("--pictures is for Markdown; HTML has its pictures inside")
    if options.pictures not in (None, NO_PICTURES) and not (options.output or options.into):
        raise ExportRefused("--pictures needs --output FILE or --into FILE: a document that links them")


def _document(options: argparse.Namespace) -> Section:
    from singletable.cost.prices import prices_of
    from singletable.document.described import introduction
    from singletable.document.model_document import model_document

    tables = load_tables(options.model)
    subjects = [_subject(table, options.items) for table in tables]
    return model_document(subjects, prices_of("us-east-1"), introduction(tables))


def _subject(table: type[Table], store: str | None) -> Subject:
    from singletable.document.described import own_doc
    from singletable.document.model_document import Subject

    if store is None:
        return Subject(table.design, own_doc(table))
    return Subject(table.design, own_doc(table), *_rows_of(table, store))


def _rows_of(table: type[Table], store: str) -> tuple[SampleRows, Sample]:
    """Rows that a store has, told apart by entity; in order of their keys, so that each time the same come first."""
    from singletable.cli.sampling import open_store, stored_items, told_apart
    from singletable.client.items.kinds import Kinds
    from singletable.cost.sample import sample_of
    from singletable.document.item_collections import key_of
    from singletable.planner.items import values_of
    from singletable.sample_rows.rows import SampleRows

    with open_store(table, store) as opened:
        found, is_complete = stored_items(opened._opened(), STORED_ITEMS_MAX)
    kinds = Kinds(table.design)
    values: dict[str, list[dict[str, object]]] = {entity.name: [] for entity in table.design.entities}
    items: dict[str, list[dict[str, dict[str, object]]]] = {entity.name: [] for entity in table.design.entities}
    others: list[dict[str, dict[str, object]]] = []
    for item in sorted(found, key=lambda item: key_of(table.design, item)):
        entity = None if kinds.is_marker(item) else kinds.entity_of(item)
        if entity is None:
            others.append(item)
            continue
        items[entity.name].append(item)
        values[entity.name].append(values_of(entity, kinds.read(item)))
    rows = SampleRows(
        {name: tuple(each) for name, each in values.items()},
        {name: tuple(each) for name, each in items.items()},
        tuple(others),
    )
    return rows, sample_of(table.design, told_apart(kinds, found), is_complete=is_complete)


def _files(document: Section, options: argparse.Namespace) -> dict[Path, str] | None:
    """What each file has to hold; None when everything was printed."""
    target = options.output or options.into
    if options.format == "html":
        from singletable.document.html import to_html

        return _one_file(to_html(document), target)
    from singletable.document.blocks import pictures_in
    from singletable.document.markdown import to_markdown

    if target is None:
        return _one_file(to_markdown(document), None)
    path, level = Path(target), 2 if options.into else 1
    folder = _picture_folder(path, options.pictures)
    text = to_markdown(document, level=level, picture_file=None if folder is None else _linked_from(path, folder))
    files = {path: _marked(path, text, options.model) if options.into else _in_the_endings_of(path, text)}
    if folder is not None:
        pictures = {folder / _file_name(picture): picture.svg for picture in pictures_in(document)}
        files |= {file: _in_the_endings_of(file, svg) for file, svg in pictures.items()}
    return files


def _one_file(text: str, target: str | None) -> dict[Path, str] | None:
    if target is not None:
        return {Path(target): _in_the_endings_of(Path(target), text)}
    print(text, end="")
    return None


def _picture_folder(path: Path, given: str | None) -> Path | None:
    if given == NO_PICTURES:
        return None
    return Path(given) if given is not None else path.with_name(f"{path.stem}-pictures")


def _linked_from(path: Path, folder: Path) -> Callable[[Picture], str]:
    try:
        beside = Path(os.path.relpath(folder, path.parent)).as_posix()
    except ValueError as problem:  # two drives of Windows
        raise ExportRefused(f"{path} cannot link to pictures in {folder}: {problem}") from problem
    return lambda picture: f"{beside}/{_file_name(picture)}"


def _file_name(picture: Picture) -> str:
    return f"{picture.name}.svg"


def _marked(path: Path, text: str, model: str) -> str:
    from singletable.document.marked_section import put_between_markers

    found = _read(path)
    if found is None:
        raise ExportRefused(f"there is no file {path}; --into writes into one that is there, --output makes one")
    return put_between_markers(found, text, model, str(path))


def _in_the_endings_of(path: Path, text: str) -> str:
    """The text in the line endings that the file has already."""
    found = _read(path)
    return text.replace("\n", "\r\n") if found is not None and "\r\n" in found else text


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise ExportRefused(f"{path} cannot be read: {problem}") from problem


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as problem:
        raise ExportRefused(f"{path} cannot be written: {problem.strerror}") from problem
    replace_file(path, text)
