"""Row readers: the rows of a source page by page, from a position that a checkpoint can store."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from singletable.client.request_steps import Steps
from singletable.client.responses import Item
from singletable.consolidation.row_mapping import plain_row
from singletable.consolidation.sources import CsvSource, DynamoDBSource, JsonLinesSource, Source
from singletable.errors import ArgumentRefused
from singletable.migrations.item_pass import PAGE_ITEMS_MAX, SegmentedScan

Positions = tuple[Item | None, ...]
"""The next position of each part of a source, or None for a finished part."""


@dataclass(frozen=True)
class OldRow:
    """A row of a source, as Python values and, if the source is a DynamoDB table, as an item."""

    source: str
    key: str
    """The key of the row, for messages and to recognise the row."""
    values: Mapping[str, Any]
    item: Item | None = None


class RowReader(Protocol):
    """Reads the rows of a source."""

    @property
    def positions(self) -> Positions:
        """The next position of each part."""
        ...

    @property
    def read_units(self) -> float:
        """The read units that were consumed."""
        ...

    @property
    def watermark(self) -> Item | None:
        """The highest watermark so far, as a position from which a later run continues."""
        ...

    def page(self) -> Steps[list[OldRow]]:
        """Return the next page of rows, and advance the positions."""
        ...


class TableRowReader:
    """Reads a DynamoDB table with a segmented Scan."""

    watermark: Item | None = None

    def __init__(self, name: str, keys: tuple[str, ...], positions: Positions) -> None:
        self._name, self._keys = name, keys
        self._scan = SegmentedScan(name, positions)

    @property
    def positions(self) -> Positions:
        """The next position of each segment."""
        return self._scan.positions

    @property
    def read_units(self) -> float:
        """The read units of the Scan so far."""
        return self._scan.read_units

    def page(self) -> Steps[list[OldRow]]:
        """Return the next page of every segment."""
        items = yield from self._scan.page()
        return [table_row(self._name, self._keys, item) for item in items]


def table_row(table: str, keys: tuple[str, ...], item: Item) -> OldRow:
    """Return an item of an old table as a row."""
    return OldRow(table, json.dumps({name: item[name] for name in keys}, ensure_ascii=False), plain_row(item), item)


class FileRowReader:
    """Reads a CSV or JSON lines file from the top. With a watermark, it skips the rows below the watermark."""

    read_units = 0.0

    def __init__(self, source: CsvSource | JsonLinesSource, positions: Positions, since: Item | None) -> None:
        self.positions = positions
        self.watermark = since
        self._source = source
        self._since = None if since is None else since["watermark"]["S"]
        done = int((positions[0] or {}).get("rows", {}).get("N", 0))
        self._rows = islice(_file_rows(source), done, None)
        self._done = done

    def page(self) -> Steps[list[OldRow]]:
        """Return the next rows of the file."""
        rows = list(islice(self._rows, PAGE_ITEMS_MAX))
        self._done += len(rows)
        self.positions = ({"rows": {"N": str(self._done)}},) if len(rows) == PAGE_ITEMS_MAX else (None,)
        name = self._source.watermark
        if name is not None:
            rows = [each for each in rows if self._is_new(_text(self._source, each, name))]
        yield from ()
        return [_row(self._source, each) for each in rows]

    def _is_new(self, text: str) -> bool:
        known = None if self.watermark is None else self.watermark["watermark"]["S"]
        if known is None or _order(text) > _order(known):
            self.watermark = {"watermark": {"S": text}}
        return self._since is None or _order(text) >= _order(self._since)


def _file_rows(source: CsvSource | JsonLinesSource) -> Iterator[Mapping[str, Any]]:
    path = Path(source.path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if isinstance(source, CsvSource):
                yield from _csv_rows(source, csv.reader(file, delimiter=source.delimiter, strict=True))
            else:
                yield from _json_rows(source, file)
    except OSError as problem:
        raise ArgumentRefused(f"cannot read {path}: {problem.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ArgumentRefused(f"cannot read {path}: {problem}") from None


def _csv_rows(source: CsvSource, lines: Any) -> Iterator[Mapping[str, Any]]:
    header: list[str] = next(lines, [])
    if missing := [each for each in (*source.key, source.watermark) if each is not None and each not in header]:
        raise ArgumentRefused(f"{source.path} has no column {', '.join(missing)}; its columns are {', '.join(header)}")
    for line in lines:
        if len(line) != len(header):
            raise ArgumentRefused(
                f"{source.path}:{lines.line_num}: the row has {len(line)} columns, but the header has {len(header)}"
            )
        yield dict(zip(header, line, strict=True))


def _json_rows(source: JsonLinesSource, lines: Iterator[str]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_float=Decimal)
        except (ValueError, RecursionError) as problem:
            raise ArgumentRefused(f"{source.path}:{number}: not a JSON document: {problem}") from None
        if not isinstance(row, dict):
            raise ArgumentRefused(f"{source.path}:{number}: each line must be a JSON object")
        yield row


def _row(source: Source, values: Mapping[str, Any]) -> OldRow:
    assert not isinstance(source, DynamoDBSource), "a table has its own reader"
    key = {name: _text(source, values, name) for name in source.key}
    return OldRow(source.name, json.dumps(key, ensure_ascii=False), values)


def _text(source: Source, values: Mapping[str, Any], name: str) -> str:
    if values.get(name) is None:
        raise ArgumentRefused(f"{source.name}: a row has no value for {name}: {dict(values)!r:.200}")
    return str(values[name])


def _order(text: str) -> tuple[int, Decimal, str]:
    """Return a key that orders watermarks: numbers by value, and other text, such as ISO times, by its characters."""
    try:
        return 0, Decimal(text), ""
    except InvalidOperation:
        return 1, Decimal(0), text


def row_reader(
    source: Source, keys: Mapping[str, tuple[str, ...]], segments: int, start: Positions | None, since: Item | None
) -> RowReader:
    """Return the reader of a source from a checkpoint (None for the beginning).

    `keys` are the key attributes of each DynamoDB table, and `since` is the watermark of the previous run.
    """
    if isinstance(source, DynamoDBSource):
        return TableRowReader(source.name, keys[source.name], start or ({},) * segments)
    if isinstance(source, CsvSource | JsonLinesSource):
        return FileRowReader(source, start or ({},), since)
    from singletable.consolidation.sql_rows import SqlRowReader  # imports SQLAlchemy

    return SqlRowReader(source, start or ({},), since)


def sql_row(source: Source, values: Mapping[str, Any]) -> OldRow:
    """Return a row of a SQL query."""
    return _row(source, values)


def is_finished(positions: Sequence[Item | None]) -> bool:
    """Return whether every part of a source is finished."""
    return all(each is None for each in positions)
