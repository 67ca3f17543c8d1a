"""Finds the lines of a test file that carry a mark, so that a claim about file and line survives an edit above it."""

from __future__ import annotations

from pathlib import Path

from singletable.errors import Location


def marked(file: str, mark: str) -> Location:
    """The one line of the file that ends with `# <mark>`."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if text.endswith(f"  # {mark}")]
    return Location(file, line)
