"""Tables on the terminal: drawn and coloured for a person, plain aligned text in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singletable.cli.column_widths import GAP, column_widths

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


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

    console = Console()
    console.print(Text(title, style="bold"))
    widths = column_widths((headers, *rows), console.width)
    if widths is None:
        _print_row_by_row(console, headers, rows)
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0), pad_edge=False)
    for header, width in zip(headers, widths, strict=True):
        table.add_column(header, width=width, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_style(cell)) for cell in row))
    console.print(table)


def _print_row_by_row(console: Console, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """What is too wide for columns: each row under its name, and with the names of what it has."""
    from rich.padding import Padding
    from rich.text import Text

    named = 2 if headers[0] == "#" else 1  # a number at the front is no name to tell a row by
    for row in rows:
        console.print(Text("  ".join(row[:named]), style="cyan"))
        said = [
            Text.assemble((f"{header} ", "dim"), (cell, _style(cell)))
            for header, cell in zip(headers[named:], row[named:], strict=True)
            if cell
        ]
        for line in _filled(said, console.width - GAP):
            console.print(Padding(Text(" · ").join(line), (0, 0, 0, GAP)))


def _filled(parts: Sequence[Text], room: int) -> list[list[Text]]:
    """The parts in lines: as many in each as have room with a dot between them."""
    lines: list[list[Text]] = []
    left = 0
    for part in parts:
        needed = part.cell_len + 3
        if lines and needed <= left:
            lines[-1].append(part)
            left -= needed
        else:
            lines.append([part])
            left = room - part.cell_len
    return lines


def print_heading(text: str) -> None:
    """A line that stands out."""
    print(f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text)


def _style(cell: str) -> str:
    if cell.startswith(("refused", "undeclared")):
        return "red"
    return "green" if cell.startswith(("one request", "declared fan-out")) else ""
