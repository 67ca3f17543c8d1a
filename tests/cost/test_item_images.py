"""The units predicted from items equal the captured, the published and the engine's units."""

from __future__ import annotations

import pytest

from singletable.cost.measured_items import (
    IndexShape,
    TableShape,
    pages_of,
    units_of_change,
    units_of_check,
    units_of_get,
    units_of_pages,
)
from singletable.values.item_size import CONSISTENT, EVENTUAL, TRANSACTIONAL
from singletable.values.limits import PAGE_BYTES_MAX
from tests.engine.items.captured_write_units import ROWS, Row
from tests.engine.table_requests import Document, texts

GLOBAL = IndexShape("gsi", "gsi", ("gsiPk",), frozenset(("proj",)))
WHOLE_LOCAL = IndexShape("lsi", "lsi", ("pk", "lsiSk"), None)
PART_LOCAL = IndexShape("lsi", "lsi", ("pk", "lsiSk"), frozenset(("proj",)))


def _images(row: Row) -> tuple[Document | None, Document | None]:
    before = None if row.before is None else texts(**row.before)
    if row.write == "put":
        return before, texts(**row.changes)
    assert before is not None
    if row.write == "delete":
        return before, None
    if row.write == "remove":
        return before, {name: value for name, value in before.items() if name not in row.changes}
    return before, {**before, **texts(**row.changes)}


def test_measured_items_are_compared_with_23_captured_writes() -> None:
    assert len(ROWS) == 23


@pytest.mark.parametrize("row", ROWS, ids=[row.claim for row in ROWS])
def test_measured_items_predict_the_captured_write_units(row: Row) -> None:
    table = TableShape(("pk", "sk"), (GLOBAL, PART_LOCAL if row.is_included else WHOLE_LOCAL))
    units = units_of_change(table, *_images(row))
    of_table, of_global, of_local = row.units
    expected = {"gsi": of_global, "lsi": of_local}
    assert units.table == of_table
    assert units.indexes == {name: amount for name, amount in expected.items() if amount is not None}


def test_measured_items_double_only_table_units_in_a_transaction() -> None:
    table = TableShape(("pk", "sk"), (GLOBAL,))
    units = units_of_change(table, None, texts(pk="a", sk="1", gsiPk="g"), in_transaction=True)
    assert (units.table, units.indexes, units.total) == (2, {"gsi": 1}, 3)


# The sizes of the items in DeviceStateLog_2 and _3 of aws-samples (MIT-0), and of the 835 items of the Battle Royale
# workshop (Apache-2.0). Their pages print the capacity for these reads. A filter changes nothing.
PUBLISHED = {
    "Query": ([51, 51, 51, 11_640], 1.5),
    "Query with a filter": ([51, 51, 51, 11_640], 1.5),
    "Query by prefix": ([89, 89, 89], 0.5),
    "Scan of 835 items": ([140] * 369 + [141] * 466, 14.5),
}


@pytest.mark.parametrize("read", PUBLISHED)
def test_measured_items_predict_the_published_read_units(read: str) -> None:
    sizes, published = PUBLISHED[read]
    assert units_of_pages(sizes, EVENTUAL) == [published]


def test_measured_items_end_a_page_with_the_entry_that_crosses_a_megabyte() -> None:
    half = PAGE_BYTES_MAX // 2
    assert list(pages_of([half - 1, half, 10, 10])) == [[half - 1, half, 10], [10]]
    assert list(pages_of([half, half, 10])) == [[half, half], [10]]


def test_measured_items_add_an_empty_page_after_a_last_entry_that_fills_a_page() -> None:
    assert units_of_pages([5000, 5000], CONSISTENT, limit=2) == [3, 1]


def test_measured_items_charge_the_minimum_for_a_missing_item() -> None:
    assert units_of_get(None, EVENTUAL) == 0.5
    assert units_of_get(texts(pk="a" * 5000), TRANSACTIONAL) == 4
    assert units_of_check(None) == 1
    assert units_of_check(texts(pk="a" * 2000), in_transaction=True) == 4
