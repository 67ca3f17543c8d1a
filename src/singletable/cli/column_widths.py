"""How wide the columns of a table are drawn, so that it fits the terminal and breaks no word in two."""

from __future__ import annotations

from collections.abc import Sequence

GAP = 2
"""The spaces between two columns."""
WORD_CHARACTERS_MAX = 28
"""A longer word, such as the template of a key, is broken all the same, so that one of them does not undo a table."""


def column_widths(lines: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The width of each column; None when the words of these lines, headers first, do not fit beside each other."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(_width, column)) for column in columns]
    least = [min(WORD_CHARACTERS_MAX, max(_longest_word(cell) for cell in column)) for column in columns]
    left = room - GAP * (len(columns) - 1)
    if sum(least) > left:
        return None
    while sum(widths) > left:
        # The column that has most to give gives, so that long sentences are broken before short ones.
        widest = max(range(len(widths)), key=lambda number: widths[number] - least[number])
        widths[widest] -= 1
    return widths


def _longest_word(cell: str) -> int:
    return max(map(_width, cell.split()), default=0)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
