"""Draft from a worksheet of access patterns: CSV, a Markdown table, or the output of `check`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from singletable.errors import ImportRefused
from singletable.importers.draft import Draft
from singletable.importers.worksheet.worksheet_fields import FIELD_NAMES, FieldColumn, FieldReader
from singletable.importers.worksheet.worksheet_keys import worksheet_table
from singletable.importers.worksheet.worksheet_requests import Column, WorksheetRow

T = TypeVar("T", bound=str)
_NAMES: Mapping[Column, tuple[str, ...]] = {
    "title": ("access pattern", "pattern description", "description", "question", "query", "use case", "pattern"),
    "name": ("pattern", "pattern name", "name"),
    "entry": ("entry entity", "entity", "entry", "entry point", "starting entity", "start entity"),
    "filters": ("filters range", "filters", "filter", "range", "filter range", "conditions", "filters and range"),
    "sort": ("sort direction", "sort", "sort order", "order", "ordering", "direction"),
    "frequency": ("frequency", "rate", "rps", "qps", "tps", "traffic", "how often", "peak rps", "requests per second"),
    "budget": ("latency budget", "budget", "latency", "latency ms", "latency budget ms", "budget ms", "p99"),
    "items": ("items per call", "expected items", "items"),
}
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_UNDERLINES = re.compile(r"-+(?: {2,}-+)+\s*")
_DELIMITERS = ",;\t"
_CELL_MAX, _CELLS_MAX = 40, 8
"""The maximum length of a header in an error message."""
_ENTRY_MAX = 100


@dataclass(frozen=True)
class _Grid:
    """A table of text: its header, and its rows with their line numbers."""

    header: Sequence[str]
    rows: Sequence[tuple[int, Sequence[str]]]
    title: str = ""


def read_worksheet(text: str, name: str) -> Draft:
    """Return the draft of a worksheet, with keys proposed for its rows. Raise ImportRefused if it contains none."""
    rows: list[WorksheetRow] = []
    fields = FieldReader(name)
    problems: list[str] = []
    headers: list[Sequence[str]] = []
    titles: list[str] = []
    for grid in _grids(text.removeprefix("\ufeff")):
        headers.append(grid.header)
        columns = _columns(grid.header, _NAMES)
        if "title" not in columns or "entry" not in columns:
            _read_fields(grid, fields)
            continue
        titles.append(grid.title)
        for line, cells in grid.rows:
            known: dict[Column, str] = {column: _plain(_cell(cells, place)) for column, place in columns.items()}
            row = WorksheetRow(line, known, tuple(each for each in cells[len(grid.header) :] if each.strip()))
            if not row.title and not row.entry:
                continue
            for column, text_of_it in (("access pattern", row.title), ("entry entity", row.entry)):
                if not any(each.isalpha() for each in text_of_it):
                    problems.append(f"{name}:{line}: the row has no {column}")
            if len(row.entry) > _ENTRY_MAX:
                problems.append(
                    f"{name}:{line}: the entry entity has {len(row.entry):,} letters; the maximum is {_ENTRY_MAX}"
                )
            rows.append(row)
    if problems:
        raise ImportRefused("\n".join(problems))
    if not rows:
        raise ImportRefused(_missing(name, headers))
    stem = titles[0] or PurePath(name).stem or "Worksheet"
    return Draft(f"A model from the worksheet {name}, with proposed keys", (worksheet_table(rows, stem, fields.found),))


def _read_fields(grid: _Grid, fields: FieldReader) -> None:
    """Read a table of fields or sizes. Ignore any other table."""
    columns = _columns(grid.header, FIELD_NAMES)
    if "entity" in columns and columns.keys() & {"field", "items", "bytes"}:
        for line, cells in grid.rows:
            known: dict[FieldColumn, str] = {column: _plain(_cell(cells, place)) for column, place in columns.items()}
            fields.read(line, known)


def _missing(name: str, headers: Sequence[Sequence[str]]) -> str:
    needed = "a worksheet has the columns Access Pattern and Entry Entity, and at least one row"
    if not headers:
        return f"{name} contains no table; {needed}"
    names = [cell.strip() for cell in headers[0] if cell.strip()]
    seen = ", ".join(each if len(each) <= _CELL_MAX else f"{each[:_CELL_MAX]}..." for each in names[:_CELLS_MAX])
    more = f" and {len(names) - _CELLS_MAX:,} more" if len(names) > _CELLS_MAX else ""
    return f"{name} contains no worksheet; {needed}. The first table has the columns {seen or 'without names'}{more}"


def _columns(header: Sequence[str], known: Mapping[T, Sequence[str]]) -> dict[T, int]:
    """Return the position of each known column. If several columns match, the earlier name in the list is used."""
    plain = [" ".join(re.findall(r"[a-z0-9]+", _plain(cell).lower())) for cell in header]
    found: dict[T, int] = {}
    for column, names in known.items():
        place = next((plain.index(each) for each in names if each in plain), None)
        if place is not None and place not in found.values():
            found[column] = place
    return found


def _cell(cells: Sequence[str], place: int) -> str:
    return cells[place] if place < len(cells) else ""


def _plain(cell: str) -> str:
    """Return a cell without Markdown markup. A dash means an empty cell."""
    text = re.sub(r"<[^<>]*>", " ", cell)
    text = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", text).replace("\\", "")
    text = " ".join(text.split())
    return "" if text in ("-", "–", "—", "n/a", "N/A", "none", "None") else text  # noqa: RUF001


def _grids(text: str) -> Iterator[_Grid]:
    """Yield the tables of a text: Markdown tables, tables that `check` has printed, or the text as CSV."""
    lines = text.splitlines()
    found = False
    for number in range(1, len(lines)):
        above = lines[number - 1]
        if "|" in above and "-" in lines[number] and _RULE.fullmatch(lines[number]):
            found = True
            yield _Grid(_bars(above), [(at + 1, _bars(line)) for at, line in _below(lines, number + 1, "|")])
        elif _UNDERLINES.fullmatch(lines[number]):
            found = True
            spans = [match.span() for match in re.finditer(r"-+", lines[number])]
            rows = [(at + 1, _cut(line, spans)) for at, line in _below(lines, number + 1, "")]
            title = lines[number - 2] if number > 1 else ""
            yield _Grid(_cut(above, spans), rows, title.removesuffix(": the worksheet"))
    if not found:
        yield from _separated(text)


def _below(lines: Sequence[str], start: int, mark: str) -> Iterator[tuple[int, str]]:
    for number in range(start, len(lines)):
        if not lines[number].strip() or mark not in lines[number]:
            return
        yield number, lines[number]


def _bars(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def _cut(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    ends = [*(start for start, _ in spans[1:]), None]
    return [line[start:end].strip() for (start, _), end in zip(spans, ends, strict=True)]


def _separated(text: str) -> Iterator[_Grid]:
    """Yield the text as CSV, with the delimiter that results in the most known columns."""
    grids: list[_Grid] = []
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        rows: list[tuple[int, list[str]]] = []
        try:
            for cells in reader:
                rows.append((reader.line_num, cells))
        except csv.Error:
            continue
        filled = [row for row in rows if any(cell.strip() for cell in row[1])]
        start = next((at for at, row in enumerate(filled) if {"title", "entry"} <= _columns(row[1], _NAMES).keys()), 0)
        if filled:
            grids.append(_Grid(filled[start][1], filled[start + 1 :]))
    grids.sort(key=lambda grid: len(_columns(grid.header, _NAMES)), reverse=True)
    yield from grids[:1]
