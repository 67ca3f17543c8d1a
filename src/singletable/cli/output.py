"""Print tables and JSON: coloured tables on a terminal, aligned plain text in a pipe."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singletable.planner.remedy import plain_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


GAP = 2
"""Spaces between two columns."""
WORD_CHARACTERS_MAX = 28
"""Longer words, such as key templates, may be broken across lines. This avoids a layout with one block per row.
"""


CELL_LINES_MAX = 4
"""If a cell needs more lines, the whole table is printed as one block per row."""
WRAPPED_COLUMNS_MIN = 40
"""Text is never wrapped to fewer columns."""


def column_widths(lines: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the width of each column. Return None if the words do not fit into columns."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(_width, column)) for column in columns]
    least = [min(WORD_CHARACTERS_MAX, max(_longest_word(cell) for cell in column)) for column in columns]
    left = room - GAP * (len(columns) - 1)
    if sum(least) > left:
        return None
    while sum(widths) > left:
        # Shrink the column with the most spare width, so that long sentences wrap first.
        widest = max(range(len(widths)), key=lambda number: widths[number] - least[number])
        widths[widest] -= 1
    return widths


def _longest_word(cell: str) -> int:
    return max(map(_width, cell.split()), default=0)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def escape_controls(text: str) -> str:
    """Return a text in which control characters, such as those of a terminal, are escape sequences."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def print_table(
    title: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    optional: Sequence[str] = (),
    names: Sequence[str] = (),
) -> None:
    """Print a table with a title, without the optional columns that are empty in every row.

    If a table does not fit into the terminal, it is printed as one block per row. `names` are the headings of the
    blocks, for a table without a column that names the row.
    """
    shown = [n for n, header in enumerate(headers) if header not in optional or any(row[n] for row in rows)]
    headers = [headers[number] for number in shown]
    rows = [[row[number] for number in shown] for row in rows]
    if sys.stdout.isatty():
        _print_rich(title, headers, rows, names)
    else:
        _print_plain(title, headers, rows)


def _print_plain(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(line[column]) for line in (headers, *rows)) for column in range(len(headers))]
    print(title)
    for line in (headers, ["-" * width for width in widths], *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _print_rich(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    console.print(Text(title, style="bold"))
    widths = column_widths((headers, *rows), console.width)
    if widths is None or _is_too_tall(rows, widths):
        _print_row_by_row(console, headers, rows, names)
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0), pad_edge=False)
    for header, width in zip(headers, widths, strict=True):
        table.add_column(header, width=width, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_style(cell)) for cell in row))
    console.print(table)


def _is_too_tall(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Return whether a sentence would be squeezed into a narrow column of many lines."""
    return any(_width(cell) > CELL_LINES_MAX * width for row in rows for cell, width in zip(row, widths, strict=True))


def _print_row_by_row(
    console: Console, headers: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[str]
) -> None:
    """Print a table that is too wide for columns: each row as a heading with its named values."""
    from rich.text import Text

    named = 2 if headers[0] == "#" and not names else 1  # a row number alone does not identify a row
    for number, row in enumerate(rows):
        heading = (row[0], names[number]) if names else row[:named]
        console.print(Text("  ".join(heading), style="cyan"))
        cells = [
            Text.assemble((f"{header} ", "dim"), (cell, _style(cell)))
            for header, cell in zip(headers[named:], row[named:], strict=True)
            if cell
        ]
        for line in _lines_of(cells, console.width - GAP):
            joined = Text(" · ").join(line)
            fits = joined.cell_len <= console.width - GAP
            for number_of_line, text in enumerate((joined,) if fits else joined.wrap(console, console.width - 2 * GAP)):
                text.rstrip()
                console.print(Text(" " * (2 * GAP if number_of_line else GAP)) + text)


def _lines_of(parts: Sequence[Text], room: int) -> list[list[Text]]:
    """Distribute parts over lines that fit the width, separated by dots."""
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


def print_wrapped(text: str, indent: str = "", hanging: str = "  ") -> None:
    """Print a paragraph: on a terminal, wrapped to its width with a hanging indent; in a pipe, on one line.

    Source code in the text has no-break spaces, so that it stays on one line if possible.
    """
    if sys.stdout.isatty():
        width = max(shutil.get_terminal_size().columns, WRAPPED_COLUMNS_MIN)
        text = textwrap.fill(
            text,
            width,
            initial_indent=indent,
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        text = f"{indent}{text}"
    print(plain_text(text))


def print_heading(text: str) -> None:
    """Print a bold line."""
    print(f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text)


def _style(cell: str) -> str:
    if cell.startswith(("not supported", "undeclared")):
        return "red"
    if cell.endswith((" pages", " pages each", "unbounded")):
        return "yellow"
    return "green" if cell.startswith(("one request", "declared fan-out")) else ""
