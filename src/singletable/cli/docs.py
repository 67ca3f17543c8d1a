"""`singletable docs MODEL`: write the design document in Markdown or HTML, or check that it is up to date."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.cli.load_model import load_tables
from singletable.errors import ExportRefused

if TYPE_CHECKING:
    from singletable.client.table import Table
    from singletable.cost.measured_items import ItemSample
    from singletable.document.blocks import Picture, Section
    from singletable.document.model_document import Subject
    from singletable.sample_rows.generate_rows import SampleRows

OUTDATED = 1
NO_PICTURES = "none"
STORED_ITEMS_MAX = 1000


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("docs", help="write the design document of a model", description=__doc__)
    parser.add_argument("model", metavar="MODEL", help="a Python file or module; add :Table to select one table")
    parser.add_argument(
        "--format",
        choices=("markdown", "html"),
        help="the format (default: html if FILE ends in .html, otherwise markdown)",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--output", metavar="FILE", help="write to this file instead of standard output")
    target.add_argument("--into", metavar="FILE", help="replace the marked section for MODEL in this Markdown file")
    parser.add_argument(
        "--pictures",
        metavar="FOLDER",
        help="the folder for the pictures of a Markdown document (default: NAME-pictures next to the file); "
        f"`{NO_PICTURES}` shows item collections as text",
    )
    parser.add_argument("--items", metavar="STORE", help="show items of this store (file:PATH) instead of sample data")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the document is outdated")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the document, or compare it with the existing one."""
    _check_options(options)
    files = _files(_document(options), options)
    if files is None:
        return 0
    outdated = [path for path, text in files.items() if _read(path) != text]
    if options.check:
        for path in outdated:
            print(f"{path} is outdated; run the command without --check to update it", file=sys.stderr)
        return OUTDATED if outdated else 0
    for path in outdated:
        _write(path, files[path])
    return 0


def _check_options(options: argparse.Namespace) -> None:
    if options.check and not (options.output or options.into):
        raise ExportRefused("--check needs --output FILE or --into FILE to compare with")
    if options.format is None:
        is_page = (options.output or "").lower().endswith((".html", ".htm"))
        options.format = "html" if is_page else "markdown"
    if options.into and options.format == "html":
        raise ExportRefused("--into writes Markdown; use --output for HTML")
    if options.pictures is not None and options.format == "html":
        raise ExportRefused("--pictures is for Markdown; HTML embeds its pictures")
    if options.pictures not in (None, NO_PICTURES) and not (options.output or options.into):
        raise ExportRefused("--pictures needs --output FILE or --into FILE")


def _document(options: argparse.Namespace) -> Section:
    from singletable.cost.prices import prices_of
    from singletable.document.docstrings import introduction
    from singletable.document.model_document import model_document

    tables = load_tables(options.model)
    subjects = [_subject(table, options.items) for table in tables]
    return model_document(subjects, prices_of("us-east-1"), introduction(tables))


def _subject(table: type[Table], store: str | None) -> Subject:
    from singletable.document.docstrings import own_doc
    from singletable.document.model_document import Subject

    if store is None:
        return Subject(table.design, own_doc(table))
    return Subject(table.design, own_doc(table), *_rows_of(table, store))


def _rows_of(table: type[Table], store: str) -> tuple[SampleRows, ItemSample]:
    """Return the rows of a store by entity, sorted by key, so that the result is always the same."""
    from singletable.cli.item_source import items_by_entity, open_store, stored_items
    from singletable.client.items.item_types import ItemTypes
    from singletable.cost.measured_items import measure_items
    from singletable.document.item_collections import key_of
    from singletable.planner.stored_items import values_of
    from singletable.sample_rows.generate_rows import SampleRows

    with open_store(table, store) as opened:
        found, is_complete = stored_items(opened._opened(), STORED_ITEMS_MAX)
    kinds = ItemTypes(table.design)
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
    return rows, measure_items(table.design, items_by_entity(kinds, found), is_complete=is_complete)


def _files(document: Section, options: argparse.Namespace) -> dict[Path, str] | None:
    """Return the expected content of each file. Return None if the document was printed."""
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
    text = to_markdown(document, level=level, picture_file=None if folder is None else _picture_links(path, folder))
    files = {path: _with_section(path, text, options.model) if options.into else _with_line_endings_of(path, text)}
    if folder is not None:
        pictures = {folder / _file_name(picture): picture.svg for picture in pictures_in(document)}
        files |= {file: _with_line_endings_of(file, svg) for file, svg in pictures.items()}
    return files


def _one_file(text: str, target: str | None) -> dict[Path, str] | None:
    if target is not None:
        return {Path(target): _with_line_endings_of(Path(target), text)}
    print(text, end="")
    return None


def _picture_folder(path: Path, given: str | None) -> Path | None:
    if given == NO_PICTURES:
        return None
    return Path(given) if given is not None else path.with_name(f"{path.stem}-pictures")


def _picture_links(path: Path, folder: Path) -> Callable[[Picture], str]:
    try:
        relative = Path(os.path.relpath(folder, path.parent)).as_posix()
    except ValueError as problem:  # the two paths are on different drives on Windows
        raise ExportRefused(f"{path} cannot link to pictures in {folder}: {problem}") from problem
    return lambda picture: f"{relative}/{_file_name(picture)}"


def _file_name(picture: Picture) -> str:
    return f"{picture.name}.svg"


def _with_section(path: Path, text: str, model: str) -> str:
    from singletable.document.markdown import put_between_markers

    found = _read(path)
    if found is None:
        raise ExportRefused(f"{path} does not exist; --into needs an existing file, --output creates one")
    return put_between_markers(found, text, model, str(path))


def _with_line_endings_of(path: Path, text: str) -> str:
    """Return the text with the line endings of the existing file."""
    found = _read(path)
    return text.replace("\n", "\r\n") if found is not None and "\r\n" in found else text


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise ExportRefused(f"cannot read {path}: {problem}") from problem


def _write(path: Path, text: str) -> None:
    from singletable.cli.export_options import replace_file

    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as problem:
        raise ExportRefused(f"cannot write {path}: {problem.strerror}") from problem
    replace_file(path, text)
