"""The pattern tables of a Markdown or CSV file, and their rows with plain cell texts."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from singletable.errors import ImportRefused

Header = Literal["title", "place", "operation", "partition", "sort", "conditions", "key", "number"]

_HEADERS: Mapping[Header, frozenset[str]] = {
    "title": frozenset({"access pattern", "access patterns", "pattern", "use case", "query pattern"}),
    "place": frozenset(
        {
            *("base table gsi lsi", "base table gsi", "base table lsi", "table gsi lsi", "table gsi", "table index"),
            *("table or index", "base table or gsi", "index", "table", "gsi", "target", "table gsi index"),
        }
    ),
    "operation": frozenset({"operation", "operations", "dynamodb operation", "api", "api operation", "action"}),
    "partition": frozenset(
        {"partition key value", "partition key", "partition key pk", "pk", "pk value", "hash key", "hash key value"}
    ),
    "sort": frozenset({"sort key value", "sort key", "sort key sk", "sk", "sk value", "range key", "range key value"}),
    "key": frozenset(
        {"key condition", "key conditions", "key condition expression", "query condition", "query conditions", "query"}
    ),
    "conditions": frozenset(
        {
            *("other conditions filters", "other conditions", "conditions filters", "conditions", "filters", "filter"),
            *("filter expression", "other conditions or filters", "notes", "comment", "comments"),
        }
    ),
}
_REQUIRED: tuple[frozenset[Header], ...] = (
    frozenset({"title", "operation", "partition"}),
    frozenset({"title", "key"}),
)
# Where the condition on the sort key begins: `PK=a and SK begins_with "b"`, `PK=a, SK=b`.
_SORT = re.compile(r"(?:\s+and\s+|\s*,\s*)(?=[\w.-]+\s*(?:=|<|>|begins|starts|between\b))", re.IGNORECASE)
_VERB = re.compile(r"(get|query|scan)(?:item)?\s+", re.IGNORECASE)
_STARTS = re.compile(r"\bstarts[ _-]?with\b", re.IGNORECASE)
_LIMIT = re.compile(r"\s*\blimit\s*[:=]?\s*([0-9]+)\s*$", re.IGNORECASE)
_OF_INDEX = re.compile(r"(\w*?\d+)[-_]?PK\s*=", re.IGNORECASE)
_WRITES: Mapping[str, str] = {
    **dict.fromkeys(("create", "add", "put", "insert", "register"), "PutItem"),
    **dict.fromkeys(("update", "change", "set"), "UpdateItem"),
    **dict.fromkeys(("delete", "remove"), "DeleteItem"),
}
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)\s*#*\s*")
_NOTHING = re.compile(r"(?:n/?a|none|todo|tbd|-+|\u2013|\u2014)", re.IGNORECASE)
_TWO_INDEXES = re.compile(r"(\S+)\s*(?:\band\b|,|&|\+)\s*(\S.*)", re.IGNORECASE)
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " "})
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class PatternTableRow:
    """A row: its cells as plain text, the heading above its table, and the cells without a header."""

    line: int
    cells: Mapping[Header, str]
    heading: str = ""
    beyond: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The access pattern, in the words of the file."""
        return self.cells.get("title", "")

    def cell(self, header: Header) -> str:
        """Return a cell. Return an empty text for an empty cell, `N/A` or a dash."""
        text = self.cells.get(header, "").strip()
        return "" if _NOTHING.fullmatch(text) else text


def pattern_rows(text: str, name: str) -> tuple[list[PatternTableRow], str]:
    """Return the rows of every pattern table in the file, and its first heading. Raise ImportRefused if there is none.

    `name` is the name of the file, for messages.
    """
    rows, heading = _markdown_rows(text)
    if not rows:
        rows = list(_csv_rows(text))
    rows = [row for row in rows if row.title]
    if not rows:
        raise ImportRefused(
            f"{name}: no pattern table found. A pattern table is a Markdown table or a CSV file with the columns "
            "`Access pattern`, `Operation` and `Partition key value`. Optional columns: `Base table/GSI/LSI`, "
            "`Sort key value` and `Other conditions/filters`. A column `Key condition`, such as `PK=a and SK=b`, can "
            "replace the operation and the key columns"
        )
    return rows, heading


def _markdown_rows(text: str) -> tuple[list[PatternTableRow], str]:
    rows: list[PatternTableRow] = []
    columns: list[Header | None] | None = None
    heading = first = ""
    previous: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEADING.fullmatch(line):
            heading = plain_text(found[2])
            first = first or heading
        if "|" not in line:
            columns, previous = None, []
            continue
        cells = _cells(line)
        if _RULE.fullmatch(line.strip()):
            columns = _columns(previous) if columns is None else columns
        elif columns is not None:
            rows.append(_row(number, columns, cells, heading))
        previous = cells
    return rows, first


def _cells(line: str) -> list[str]:
    text = line.strip()
    text = text.removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return [plain_text(cell) for cell in re.split(r"(?<!\\)\|", text)]


def plain_text(cell: str) -> str:
    """Return a Markdown cell without its markup: `` `PK=\\<id\\>` `` becomes `PK=<id>`."""
    text = re.sub(r"<br\s*/?>", " ", cell, flags=re.IGNORECASE)
    text = re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~-])", r"\1", text)
    text = html.unescape(text).translate(_QUOTES)
    text = re.sub(r"`+|\*\*", "", text)
    return " ".join(text.split())


def _columns(header: Sequence[str]) -> list[Header | None] | None:
    """Return the content of each column. Return None if this is not the header of a pattern table."""
    taken: set[Header] = set()
    columns: list[Header | None] = []
    for position, cell in enumerate(header):
        words = " ".join(re.findall(r"[a-z]+", cell.lower()))
        fitting: list[Header] = [each for each, names in _HEADERS.items() if words in names and each not in taken]
        found: Header | None = fitting[0] if fitting else None
        if position == 0 and words in ("", "no", "nr", "number"):
            found = "number"
        columns.append(found)
        taken |= {found} if found else set()
    return columns if any(taken >= each for each in _REQUIRED) else None


def _row(line: int, columns: Sequence[Header | None], cells: Sequence[str], heading: str) -> PatternTableRow:
    known: dict[Header, str] = {}
    beyond: list[str] = []
    for position, cell in enumerate(cells):
        header = columns[position] if position < len(columns) else None
        if header is not None:
            known[header] = cell
        elif cell:
            beyond.append(cell)
    if (several := _TWO_INDEXES.fullmatch(known.get("place", ""))) is not None:
        known["place"] = several[1]
        beyond.append(several[2])
    if condition := known.pop("key", ""):
        condition = "" if _NOTHING.fullmatch(condition) else condition
        known = {**_of_condition(condition, known.get("title", ""), known.get("place", "")), **known}
    return PatternTableRow(line, known, heading, tuple(beyond))


def _of_condition(text: str, title: str, place: str) -> dict[Header, str]:
    """Return the operation and the key cells of a key condition: `PK="u#1" and SK begins_with "o#"`."""
    verb = _VERB.match(text)
    text = _STARTS.sub("begins_with", text[verb.end() :] if verb else text)
    limit = _LIMIT.search(text)
    text = text[: limit.start()] if limit else text
    partition, *rest = _SORT.split(text, maxsplit=1)
    sort = rest[0] if rest else ""
    index = _OF_INDEX.match(partition) if not place else None
    place = index[1] if index else place
    is_item = re.fullmatch(r"[\w.-]+\s*==?[^=].*", sort) is not None and not re.search(r"gsi|lsi|index", place, re.I)
    first = re.match(r"[a-z]+", title.lower())
    operation = _WRITES.get(first[0] if first else "") or ("GetItem" if is_item else "Query")
    operation = verb[1].capitalize() if verb and verb[1].lower() != "get" else operation
    partition = "" if operation == "Scan" or (operation == "Query" and "=" not in partition) else partition
    cells: dict[Header, str] = {"operation": operation, "partition": partition, "sort": sort, "place": place}
    return {**cells, "conditions": f"Limit {limit[1]}"} if limit else cells


def _csv_rows(text: str) -> Iterator[PatternTableRow]:
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        columns: list[Header | None] | None = None
        rows: list[PatternTableRow] = []
        try:
            for cells in reader:
                plain = [plain_text(cell) for cell in cells]
                if columns is None:
                    columns = _columns(plain)
                else:
                    rows.append(_row(reader.line_num, columns, plain, ""))
        except csv.Error:
            continue
        if rows:
            yield from rows
            return
