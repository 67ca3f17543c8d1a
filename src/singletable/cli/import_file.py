"""Where an imported model goes: to standard output, or into a file that is not written over unasked."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from singletable.cli.output import print_json
from singletable.drafts.declared import printable
from singletable.drafts.draft import Draft
from singletable.drafts.python_source import python_source
from singletable.errors import ImportRefused
from singletable.planner.amounts import counted


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that every import has."""
    parser.add_argument("--output", metavar="FILE", help="write into this file, not to standard output")
    parser.add_argument("--force", action="store_true", help="write over FILE when it is there")
    parser.add_argument(
        "--json", action="store_true", help="say what was read as JSON; without FILE, with the model in it"
    )


def read_source(name: str) -> bytes:
    """The bytes of a file; `-` is standard input."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as problem:
        raise ImportRefused(f"{name} cannot be read: {problem.strerror}") from problem


def write_import(draft: Draft, options: argparse.Namespace, said: Mapping[str, Any] | None = None) -> int:
    """Put the model where the options say, and say what it holds; `said` is what reading it took."""
    source = python_source(draft)
    if options.output is not None:
        _write(source, Path(options.output), force=options.force)
    document = {"file": options.output, "tables": [_summary(table) for table in draft.tables], **(said or {})}
    if options.json:
        print_json(document if options.output is not None else {**document, "source": source})
        return 0
    if options.output is None:
        print(source, end="", flush=True)
    # What is said must not end up in the model when that goes into a pipe.
    _tell(document, sys.stderr if options.output is None else sys.stdout)
    return 0


def _write(source: str, path: Path, *, force: bool) -> None:
    if path.exists() and not force:
        raise ImportRefused(f"{path} is there already; write over it with --force, or give another name")
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        beside.write_text(source, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise ImportRefused(f"{path} cannot be written: {problem.strerror}") from problem


def _summary(table: Any) -> dict[str, Any]:
    return {
        "table": table.name,
        "entities": [entity.class_name for entity in table.entities],
        "indexes": [index.name for index in table.indexes],
        "patterns": len(table.patterns),
        "notes": list(table.notes),
    }


def _tell(document: Mapping[str, Any], stream: Any) -> None:
    for table in document["tables"]:
        entities = ", ".join(table["entities"]) or "none"
        print(
            f"{table['table']}: entities {entities}; {counted(table['patterns'], 'pattern')} to begin with", file=stream
        )
        for note in table["notes"]:
            print(f"  note: {printable(note)}", file=stream)
    if "items" in document:
        whole = "all of the table" if document["is_whole"] else "a sample of the table"
        print(
            f"read {document['items']:,} items, {whole}, in {document['requests']:,} requests "
            f"for {document['read_units']:g} read units",
            file=stream,
        )
    if document["file"] is not None:
        print(f"wrote {document['file']}; singletable check {document['file']} judges it", file=stream)
