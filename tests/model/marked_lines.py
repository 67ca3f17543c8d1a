"""Finds the lines of a test file that end with a mark, so that line numbers need no updating."""

from __future__ import annotations

from pathlib import Path

from singletable.errors import Location


def marked(file: str, mark: str) -> Location:
    """The one line of the file that ends with `# <mark>`."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if text.endswith(f"  # {mark}")]
    return Location(file, line)
