"""Write an imported model to standard output or to a file, with a summary."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from singletable.cli.output import print_json
from singletable.client.pattern import pattern
from singletable.client.table import Table
from singletable.errors import ImportRefused
from singletable.importers.draft import Draft
from singletable.importers.draft_tree import printable
from singletable.importers.python_source import ImportedModel, draft_model, model_source
from singletable.importers.restricted_tree import load_tree
from singletable.planner.formatting import format_count

CLIENT_NAMES = {"Table": Table, "pattern": pattern}
"""The two names of a model that the importers cannot import themselves, and that `load_tree` therefore takes."""


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add --output, --force and --json."""
    parser.add_argument("--output", metavar="FILE", help="write to this file instead of standard output")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    parser.add_argument(
        "--json", action="store_true", help="print the summary as JSON; without --output, it includes the model"
    )


def read_source(name: str) -> bytes:
    """Read a file; `-` is standard input."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as problem:
        raise ImportRefused(f"cannot read {name}: {problem.strerror}") from problem


def write_import(draft: Draft, options: argparse.Namespace, usage: Mapping[str, Any] | None = None) -> int:
    """Write the model of a draft. `usage` is the consumption of reading the table."""
    return write_model(draft_model(draft), options, usage)


def write_model(imported: ImportedModel, options: argparse.Namespace, usage: Mapping[str, Any] | None = None) -> int:
    """Write a model and print a summary."""
    with load_tree(imported.model, CLIENT_NAMES) as names:
        tables = [_summary(names[name], imported.notes.get(name, ())) for name in imported.model.tables]
    source = model_source(imported)
    if options.output is not None:
        write_file(source, Path(options.output), force=options.force)
    document = {"file": options.output, "tables": tables, **(usage or {})}
    if options.json:
        print_json(document if options.output is not None else {**document, "source": source})
        return 0
    if options.output is None:
        print(source, end="", flush=True)
    # The summary must not be part of a model that is piped to another program.
    _print_summary(document, sys.stderr if options.output is None else sys.stdout)
    return 0


def write_file(source: str, path: Path, *, force: bool) -> None:
    """Write a model to a file at once. Raise ImportRefused if the file exists and `force` is not set."""
    if path.exists() and not force:
        raise ImportRefused(f"{path} already exists; overwrite it with --force, or choose another name")
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        temporary.write_text(source, encoding="utf-8", newline="\n")
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise ImportRefused(f"cannot write {path}: {problem.strerror}") from problem


def _summary(table: type[Table], notes: Sequence[str]) -> dict[str, Any]:
    design = table.design
    return {
        "table": design.name,
        "entities": [entity.label for entity in design.entities],
        "indexes": [index.name for index in design.indexes.values() if not index.is_table],
        "patterns": len(design.patterns),
        "notes": list(notes),
    }


def _print_summary(document: Mapping[str, Any], stream: Any) -> None:
    for table in document["tables"]:
        entities = ", ".join(table["entities"]) or "none"
        print(
            f"{table['table']}: entities {entities}; {format_count(table['patterns'], 'pattern')}",
            file=stream,
        )
        for note in table["notes"]:
            print(f"  note: {printable(note)}", file=stream)
    if "items" in document:
        whole = "the whole table" if document["is_whole"] else "a sample of the table"
        print(
            f"read {document['items']:,} items, {whole}, in {document['requests']:,} requests "
            f"for {document['read_units']:g} read units",
            file=stream,
        )
    if document["file"] is not None:
        print(f"wrote {document['file']}; next: singletable check {document['file']}", file=stream)
