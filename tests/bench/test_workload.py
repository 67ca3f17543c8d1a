"""The workload is what the rows say: sizes as DynamoDB counts them, and clients that never write one item."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bench.engine_bench import scale
from bench.engine_bench.workload import CLIENTS_MAX, LISTED, Workload, get, query
from singletable.values.item_size import item_size

PAGE_BYTES_MAX = 1_000_000


@pytest.fixture(scope="module")
def workload() -> Workload:
    return Workload()


def test_items_are_of_one_kilobyte(workload: Workload) -> None:
    assert {item_size(item) for item in [*workload.read, *workload.written]} <= set(range(1_020, 1_025))


def test_a_page_is_as_large_as_every_server_answers_at_once(workload: Workload) -> None:
    for page in workload.pages:
        assert 0.95 * PAGE_BYTES_MAX < sum(item_size(item) for item in page) < PAGE_BYTES_MAX


def keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "pk" in value:
            yield value["pk"]["S"]
        for inner in value.values():
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


@pytest.mark.parametrize("name", ["PutItem 1 KB", "UpdateItem", "BatchWriteItem 25", "TransactWriteItems 4"])
def test_no_two_clients_write_one_item(workload: Workload, name: str) -> None:
    [row] = [row for row in workload.rows if row.name == name]
    of_client: list[set[str]] = [set() for _ in range(CLIENTS_MAX)]
    for place, exchange in enumerate(row.exchanges):
        of_client[place % CLIENTS_MAX] |= set(keys_in(json.loads(exchange.body)))
    assert sum(map(len, of_client)) == len(set.union(*of_client))
    assert set.union(*of_client) <= {item["pk"]["S"] for item in workload.written}


def test_every_run_asks_the_same(workload: Workload) -> None:
    again = Workload()
    assert again.items() == workload.items()
    assert [exchange.body for row in again.rows for exchange in row.exchanges] == [
        exchange.body for row in workload.rows for exchange in row.exchanges
    ]


def test_only_the_item_itself_is_a_right_answer(workload: Workload) -> None:
    first, second = workload.read[:2]
    assert get(first).is_right({"Item": first})
    assert not get(first).is_right({"Item": second})


def test_the_newest_items_come_first(workload: Workload) -> None:
    items = workload.lists[0]
    assert query(items, limit=LISTED).is_right({"Items": items[:-21:-1]})
    assert not query(items, limit=LISTED).is_right({"Items": items[:LISTED]})


def test_what_is_read_from_a_large_store_is_never_written() -> None:
    reads, writes, queries = scale.requests(1_000, rounds=1)
    read = {key for exchange in reads for key in keys_in(json.loads(exchange.body))}
    read |= {json.loads(each.body)["ExpressionAttributeValues"][":partition"]["S"] for each in queries}
    written = {key for exchange in writes for key in keys_in(json.loads(exchange.body))}
    assert not read & written
    assert len(read) == len(written) == 1_000 / scale.PARTITION_ITEMS / 2
