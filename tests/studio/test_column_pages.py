from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable.errors import ArgumentRefused
from singletable.studio.column_pages import (
    ROWS_MAX,
    SKIPPED_ROWS_MIN,
    ColumnPage,
    ColumnPosition,
    FieldSearch,
    meaning_of,
)
from singletable.studio.item_rows import ReadItems
from singletable.studio.studio_store import StudioStore
from singletable.studio.workspace import TableView
from tests.studio.opened_studio import COMMERCE, store_of, view_of, workspace
from tests.studio.readings import Reading, Readings


def reading_view(folder: Path, sizes: dict[str, int]) -> TableView:
    rows = [Reading(device, number) for device, size in sizes.items() for number in range(size)]
    url = store_of(folder, Readings, rows)
    store = StudioStore(url, may_write=True)
    return TableView(Readings.design, lambda: store.open(Readings.design), ReadItems())


def pages(view: TableView, place: str = "table", **position: Any) -> Iterator[ColumnPage]:
    """Yield all pages, the skipped parts of large partitions included."""
    index = view.rows.index(place)
    assert index is not None
    waiting = [ColumnPosition(**position)]
    while waiting:
        where = waiting.pop(0)
        page = view.columns.page(index, where)
        yield page
        if page.skip is not None:
            last = page.rows[-1].partition_id
            waiting.append(ColumnPosition(json.loads(last), start=page.next))
            waiting.append(ColumnPosition(start=page.skip))
        elif page.next is not None:
            waiting.append(ColumnPosition(where.partition, where.sort_prefix, page.next, where.search))


def test_column_pages_show_every_key_once_and_skip_over_large_partitions(tmp_path: Path) -> None:
    view = reading_view(tmp_path, {"a": 30, "large": 350, "b": 40, "c": 120, "d": 1})
    found = list(pages(view))
    ids = [row.id for page in found for row in page.rows]
    assert len(ids) == len(set(ids)) == 541
    assert any(page.skip is not None for page in found)
    assert all(len(page.rows) <= ROWS_MAX for page in found)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([1, 2, 49, 50, 51, 99, 100, 101, 150]), min_size=1))
def test_column_pages_show_any_partitions_once(tmp_path_factory: pytest.TempPathFactory, sizes: dict[str, int]) -> None:
    view = reading_view(tmp_path_factory.mktemp("store"), sizes)
    for place in ("table", "GSI1"):
        ids = [row.id for page in pages(view, place) for row in page.rows]
        assert len(ids) == len(set(ids)) == sum(sizes.values())


def test_column_pages_do_not_skip_a_small_partition_at_the_end(tmp_path: Path) -> None:
    view = reading_view(tmp_path, {"a": ROWS_MAX - SKIPPED_ROWS_MIN + 1, "b": 100})
    first = next(pages(view))
    assert first.next is not None
    assert first.skip is None or sum(row.partition_id == first.rows[-1].partition_id for row in first.rows) >= 50


def test_a_large_index_partition_is_read_by_page(tmp_path: Path) -> None:
    view = reading_view(tmp_path, {"a": 150, "b": 160})
    found = list(pages(view, "GSI1"))
    ids = [row.id for page in found for row in page.rows]
    assert len(ids) == len(set(ids)) == 310


def test_a_column_page_can_start_at_a_sort_key_of_one_partition(tmp_path: Path) -> None:
    view = reading_view(tmp_path, {"a": 30, "b": 5})
    partition = {"PK": {"S": "DEVICE#a"}}
    assert len(next(pages(view, partition=partition)).rows) == 30
    page = next(pages(view, partition=partition, sort_prefix="0001"))
    assert [row.sort[-1].text for row in page.rows] == [f"{number:05d}" for number in range(10, 20)]


def test_a_search_in_column_pages_reads_on_until_it_finds_rows_and_counts_what_it_examined(tmp_path: Path) -> None:
    view = reading_view(tmp_path, {"a": 1200, "b": 3})
    page = next(pages(view, search=FieldSearch("device", "b")))
    assert {row.partition[-1].text for row in page.rows} == {"b"}
    assert page.examined == 1203
    assert len(next(pages(view, search=FieldSearch("number", "7"))).rows) == 1
    assert not next(pages(view, search=FieldSearch("device", "nothing"))).rows


@pytest.mark.parametrize(
    ("text", "places", "search"),
    [
        ("USER#42", ["table"], None),
        ("USER#42#PENDING", ["GSI2"], None),
        ("ORDER_BY_DATE", ["GSI1"], None),
        ("PRODUCT#P9#REVIEWS", ["GSI1"], None),
        ("nothing", ["table"], None),
        ('{"GSI2PK": {"S": "USER#42#PENDING"}}', ["GSI2"], None),
        ('"a key with spaces" and more', ["table"], None),
        ("status:PENDING", [], {"field": "status", "text": "PENDING", "entity": None}),
        ("Order.status: PENDING", [], {"field": "status", "text": "PENDING", "entity": 1}),
    ],
)
def test_column_pages_understand_the_text_of_a_search(
    text: str, places: list[str], search: dict[str, Any] | None
) -> None:
    space = workspace(COMMERCE)
    found = meaning_of(view_of(space).rows, text).document()
    assert [each["place"] for each in found["places"]] == places
    assert found["search"] == search


def test_a_search_in_column_pages_accepts_a_key_with_spaces_in_quotation_marks() -> None:
    found = meaning_of(view_of(workspace(COMMERCE)).rows, '"a b" ORDER#1 2').document()
    assert found["places"] == [{"place": "table", "partition": {"PK": {"S": "a b"}}, "sort": "ORDER#1 2"}]


def test_a_search_in_column_pages_for_a_key_that_no_index_has_is_rejected_with_the_keys() -> None:
    with pytest.raises(ArgumentRefused, match=r'no partition key consists of X; write {"PK": {"S": "..."}} or'):
        meaning_of(view_of(workspace(COMMERCE)).rows, '{"X": {"S": "1"}}')


def test_a_search_in_column_pages_treats_text_after_a_key_as_the_start_of_the_sort_key() -> None:
    found = meaning_of(view_of(workspace(COMMERCE)).rows, "USER#42 ORDER#2026-05").document()
    assert found["places"] == [{"place": "table", "partition": {"PK": {"S": "USER#42"}}, "sort": "ORDER#2026-05"}]
