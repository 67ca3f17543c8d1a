"""What changed in a table between two moments, one line for each item, as incremental exports tell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from singletable.engine.export import Lines
from singletable.engine.ion import ion_line
from singletable.engine.keys import key_of
from singletable.engine.moment import STEP_ITEMS, Held
from singletable.engine.storage.connection import Connection
from singletable.engine.storage.store import Store
from singletable.engine.table import Item, OpenTable, decode_item

_MICROSECONDS = 1_000_000


class ChangedItem(NamedTuple):
    """An item before the first and after the last of its changes, and when that last one was made."""

    at: float
    before: bytes | None
    after: bytes | None


def changed_items(store: Store, table: OpenTable, first: float, until: float) -> Held[ChangedItem]:
    """Every item that was changed from one time on, up to but without the other; not one that came and went."""

    def query(connection: Connection) -> Iterator[ChangedItem]:
        assert table.changes is not None
        log = table.changes.log
        start, end = log.first_since(connection, first), log.first_since(connection, until) - 1
        for span in log.spans(connection, start, end):
            before, last = log.change(connection, span.first).before, log.change(connection, span.last)
            if before is not None or last.after is not None:
                yield ChangedItem(last.at, before, last.after)

    return Held(store, query)


def changed_lines(table: OpenTable, changed: Iterable[ChangedItem], output_format: str, view: str) -> Lines:
    """Every changed item as a line, a step at a time; the size is that of the lines."""
    found = iter(changed)
    while step := list(islice(found, STEP_ITEMS)):
        documents = [_document(table, each, view) for each in step]
        if output_format == "ION":
            lines = [ion_line(document) for document in documents]
        else:
            lines = [msgspec.json.encode(document) + b"\n" for document in documents]
        yield lines, sum(map(len, lines))


def _document(table: OpenTable, changed: ChangedItem, view: str) -> dict[str, Item]:
    before, after = (None if body is None else decode_item(body) for body in (changed.before, changed.after))
    known = after or before
    assert known is not None
    micros = str(int(changed.at * _MICROSECONDS))
    document: dict[str, Item] = {
        "Metadata": {"WriteTimestampMicros": {"N": micros}},
        "Keys": key_of(table, known),
    }
    if before is not None and view == "NEW_AND_OLD_IMAGES":
        document["OldImage"] = before
    if after is not None:
        document["NewImage"] = after
    return document
