"""Workload of the engine benchmark: item sizes as DynamoDB counts them, and clients that write different items."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bench.engine_bench import large_store
from bench.engine_bench.workload import CLIENTS_MAX, LISTED, Workload, get, query
from singletable.values.item_size import item_size

PAGE_BYTES_MAX = 1_000_000


@pytest.fixture(scope="module")
def workload() -> Workload:
    return Workload()


def test_items_of_the_benchmark_workload_have_one_kilobyte(workload: Workload) -> None:
    assert {item_size(item) for item in [*workload.read, *workload.written]} <= set(range(1_020, 1_025))


def test_pages_of_the_benchmark_workload_fit_every_server(workload: Workload) -> None:
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
def test_no_two_clients_of_the_benchmark_workload_write_the_same_item(workload: Workload, name: str) -> None:
    [row] = [row for row in workload.rows if row.name == name]
    of_client: list[set[str]] = [set() for _ in range(CLIENTS_MAX)]
    for position, exchange in enumerate(row.exchanges):
        of_client[position % CLIENTS_MAX] |= set(keys_in(json.loads(exchange.body)))
    assert sum(map(len, of_client)) == len(set.union(*of_client))
    assert set.union(*of_client) <= {item["pk"]["S"] for item in workload.written}


def test_every_run_of_the_benchmark_workload_sends_the_same_requests(workload: Workload) -> None:
    again = Workload()
    assert again.items() == workload.items()
    assert [exchange.body for row in again.rows for exchange in row.exchanges] == [
        exchange.body for row in workload.rows for exchange in row.exchanges
    ]


def test_the_benchmark_workload_expects_only_the_item_itself(workload: Workload) -> None:
    first, second = workload.read[:2]
    assert get(first).is_expected({"Item": first})
    assert not get(first).is_expected({"Item": second})


def test_the_benchmark_workload_expects_the_newest_items_first(workload: Workload) -> None:
    items = workload.lists[0]
    assert query(items, limit=LISTED).is_expected({"Items": items[:-21:-1]})
    assert not query(items, limit=LISTED).is_expected({"Items": items[:LISTED]})


def test_the_benchmark_workload_never_writes_the_items_that_it_reads_from_a_large_store() -> None:
    reads, writes, queries = large_store.requests(1_000, rounds=1)
    read = {key for exchange in reads for key in keys_in(json.loads(exchange.body))}
    read |= {json.loads(each.body)["ExpressionAttributeValues"][":partition"]["S"] for each in queries}
    written = {key for exchange in writes for key in keys_in(json.loads(exchange.body))}
    assert not read & written
    assert len(read) == len(written) == 1_000 / large_store.PARTITION_ITEMS / 2
