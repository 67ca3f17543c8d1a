"""Tables on the terminal: drawn and coloured for a person, plain aligned text in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any


def print_json(value: Any) -> None:
    """One JSON document."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(
    title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], optional: Sequence[str] = ()
) -> None:
    """A table under its title; optional columns are left out when they are empty in every row."""
    kept = [n for n, header in enumerate(headers) if header not in optional or any(row[n] for row in rows)]
    headers = [headers[number] for number in kept]
    rows = [[row[number] for number in kept] for row in rows]
    if sys.stdout.isatty():
        _print_drawn(title, headers, rows)
    else:
        _print_plain(title, headers, rows)


def _print_plain(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(line[column]) for line in (headers, *rows)) for column in range(len(headers))]
    print(title)
    for line in (headers, ["-" * width for width in widths], *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _print_drawn(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_style(cell)) for cell in row))
    Console().print(table)


def print_heading(text: str) -> None:
    """A line that stands out."""
    print(f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text)


def _style(cell: str) -> str:
    if cell.startswith(("refused", "undeclared")):
        return "red"
    return "green" if cell.startswith(("one request", "declared fan-out")) else ""
