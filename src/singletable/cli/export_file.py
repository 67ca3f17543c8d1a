"""Where an export goes: to standard output, into a file, or beside a file that it is held against."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from singletable.errors import ExportRefused

STALE = 1


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add MODEL and the options that every export has."""
    parser.add_argument("model", metavar="MODEL", help="a Python file or module, with :Table to pick one")
    parser.add_argument("--output", metavar="FILE", help="write into this file, not to standard output")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when FILE is not what is exported")


def write_export(text: str, options: argparse.Namespace) -> int:
    """Put the text where the options say; 1 when it was only to be compared, and differs."""
    if options.output is None:
        if options.check:
            raise ExportRefused("--check needs --output FILE: the file that is held against the model")
        print(text, end="")
        return 0
    path = Path(options.output)
    if options.check:
        return _compare(text, path)
    replace_file(path, text)
    return 0


def replace_file(path: Path, text: str) -> None:
    """Write a file whole: who reads it meanwhile sees the old text or the new one, never half of it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        beside.write_bytes(text.encode("utf-8"))
        beside.replace(path)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise ExportRefused(f"{path} cannot be written: {problem.strerror}") from problem


def _compare(text: str, path: Path) -> int:
    try:
        found = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ExportRefused(f"{path} cannot be read: {problem}") from problem
    if found == text:
        return 0
    print(f"{path} is not what the model says; export it again, without --check", file=sys.stderr)
    return STALE
