"""Read items page by page for `check --items`: from JSON files, NoSQL Workbench models, stores and live tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.cli.item_json import Item, item_of_json, items_of_json, parse_json
from singletable.cli.item_source import is_store
from singletable.cli.live_table import connect, describe, existing_table
from singletable.conformance.scan_items import ItemScan, StoredItem
from singletable.errors import ArgumentRefused

LIVE_SAMPLE = 100_000
"""The default number of items to read from a live table, where you pay for every read."""
_PAGE_ITEMS = 1_000


@dataclass
class ItemPages:
    """The items of one table at one place. The counts are complete after all pages are read."""

    place: str
    table_name: str
    has_own_name: bool
    """Whether the user chose the table name. If not, the name comes from the model."""
    items_max: int | None
    """The maximum number of items to read. None reads all."""
    is_only_table: bool
    """Whether the model has no other table. Rows without a table name then belong to this table."""
    expected_items: int | None = None
    """The number of items that will be read, if it is known in advance."""
    is_whole: bool = False
    requests: int = 0
    read_units: float = 0.0

    def pages(self) -> Iterator[list[StoredItem]]:
        """Yield the items page by page."""
        try:
            is_table = is_store(self.place)
        except OSError as problem:
            raise ArgumentRefused(f"cannot read {self.place}: {problem.strerror or problem}") from None
        yield from self._table_pages() if is_table else self._file_pages()

    def _table_pages(self) -> Iterator[list[StoredItem]]:
        url = self.place if ":" in self.place and not Path(self.place).is_file() else f"file:{self.place}"
        with connect(url) as requests, existing_table(requests, self.table_name):
            if is_live(self.place):  # a description of a table in a store would make the engine count its items
                stored = describe(requests, self.table_name).get("ItemCount") or None
                limits = [count for count in (stored, self.items_max) if count is not None]
                self.expected_items = min(limits, default=None)
            scan = ItemScan(requests.session, self.table_name, self.items_max)
            for page in scan.pages():
                self.requests, self.read_units = scan.requests, scan.read_units
                yield page
            self.is_whole = scan.is_whole

    def _file_pages(self) -> Iterator[list[StoredItem]]:
        page: list[StoredItem] = []
        for number, item in enumerate(self._file_items()):
            if number == self.items_max:
                break
            page.append(StoredItem(item))
            if len(page) == _PAGE_ITEMS:
                yield page
                page = []
        else:
            self.is_whole = True
        yield page

    def _file_items(self) -> Iterator[Item]:
        """Yield the items of a file: of a Workbench model, of a file with one item per line, or of one document."""
        path = Path(self.place)
        try:
            if _has_one_item_per_line(path):
                self._reject_several_tables()
                with path.open(encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        if line.strip():
                            place = f"{self.place}, line {number},"
                            yield item_of_json(parse_json(line, place), place)
                return
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise ArgumentRefused(f"cannot read {self.place}: {problem}") from None
        document = parse_json(text, self.place)
        if isinstance(document, dict) and isinstance(document.get("DataModel"), list):
            yield from self._workbench_items(text)
        else:
            self._reject_several_tables()
            yield from items_of_json(text, self.place)

    def _reject_several_tables(self) -> None:
        if not self.is_only_table:
            raise ArgumentRefused(
                f"{self.place} does not name the table of its items, and the model has several tables; select one "
                "with MODEL:Table"
            )

    def _workbench_items(self, text: str) -> Iterator[Item]:
        """Yield the rows of the table and its facets. Rows with the same key are one item."""
        from singletable.importers.workbench.workbench_document import read_workbench

        tables = {table.sample.name: table.sample for table in read_workbench(text).tables}
        only = next(iter(tables.values())) if len(tables) == 1 and not self.has_own_name else None
        table = tables.get(self.table_name, only)
        if table is None:
            raise ArgumentRefused(
                f"{self.place} has no table {self.table_name!r}; its tables are {', '.join(tables)}: "
                "select one with --table-name"
            )
        for number, item in enumerate(table.items, 1):
            yield item_of_json(dict(item), f"row {number} of {table.name} in {self.place}")


def _has_one_item_per_line(path: Path) -> bool:
    """Return whether the first two lines with text are JSON objects. Such a file is read line by line."""
    with path.open(encoding="utf-8") as lines:
        first = [line for line, _ in zip((line for line in lines if line.strip()), range(2), strict=False)]
    return len(first) == 2 and all(_is_object(line) for line in first)


def _is_object(line: str) -> bool:
    try:
        document: Any = parse_json(line, "line")
    except ArgumentRefused:
        return False
    return isinstance(document, dict)


def is_live(place: str) -> bool:
    """Return whether a place is a server, where reads take time and may cost money."""
    return place.startswith(("http:", "https:", "dynamodb:"))


def default_items_max(place: str) -> int | None:
    """Return the default limit of items: no limit for files and stores, a sample for live tables."""
    return LIVE_SAMPLE if is_live(place) else None
