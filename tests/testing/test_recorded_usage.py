"""`measure` records the requests of a block; `uses` and `uses_at_most` assert how many there are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from examples.shop.sharded import CustomerByHash, Region, ShopByHash
from singletable import ArgumentRefused, ConditionFailed, NotConnected, Table, field, key
from singletable.client.retries import Retries
from singletable.errors import RequestRefused
from singletable.testing import RecordedRequest, measure, uses, uses_at_most
from tests.client.shop import START, Order, Shop, order


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop.open("memory:", retries=Retries(first_seconds=0.0)) as opened:
        for number in range(3):
            opened.put(order(number))
        yield opened


def test_recorded_usage_contains_the_requests_of_a_block(shop: Shop) -> None:
    with measure(shop) as usage:
        shop.order("o0001")
        shop.orders_of_customer("c1")
        shop.put(order(7))
    shop.order("o0002")
    assert usage.requests == 3
    assert usage.operations == ["GetItem", "Query", "PutItem"]
    assert (usage.read_units, usage.write_units) == (1.0, 2.0)
    assert usage.recorded_requests == (
        RecordedRequest("GetItem", None, read_units=0.5),
        RecordedRequest("Query", "GSI1", read_units=0.5),
        RecordedRequest("PutItem", None, write_units=2.0),
    )


def test_recorded_usage_within_its_limits_passes(shop: Shop) -> None:
    with uses(shop, requests=1, read_units=0.5, write_units=0):
        shop.order("o0001")
    with uses_at_most(shop, requests=5, read_units=2):
        shop.order("o0001")
    with uses(shop, requests=0):
        pass


def test_recorded_usage_over_its_limits_fails_with_a_list_of_every_request(shop: Shop) -> None:
    def read_twice() -> None:
        shop.order("o0001")
        shop.orders_of_customer("c1")

    with pytest.raises(AssertionError) as failed, uses(shop, requests=1, read_units=0.5):
        read_twice()
    assert str(failed.value).splitlines() == [
        "the block used 2 requests, expected 1; 1.0 read units, expected 0.5:",
        "  1. GetItem            table        0.5 read units",
        "  2. Query              GSI1         0.5 read units",
        "  total: 2 requests, 1.0 read units, 0.0 write units",
    ]
    with pytest.raises(AssertionError, match="2 requests, expected at most 1"), uses_at_most(shop, requests=1):
        read_twice()
    with (
        pytest.raises(AssertionError, match=r"2.0 write units, expected at most 1.5"),
        uses_at_most(shop, write_units=1.5),
    ):
        shop.put(order(9))


def test_recorded_usage_below_the_exact_number_fails(shop: Shop) -> None:
    with pytest.raises(AssertionError, match="0 requests, expected 1"), uses(shop, requests=1):
        pass


def test_an_exception_in_a_block_with_recorded_usage_is_raised_before_the_usage_check(shop: Shop) -> None:
    with pytest.raises(ConditionFailed), uses(shop, requests=7):
        shop.update(key(Order, id="o0001"), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "NO")
    with measure(shop) as usage, pytest.raises(ConditionFailed):
        shop.update(key(Order, id="o0001"), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "NO")
    assert usage.recorded_requests == (RecordedRequest("UpdateItem", error="ConditionalCheckFailedException"),)
    assert "failed: ConditionalCheckFailedException" in str(usage)


def test_recorded_usage_checks_need_at_least_one_limit(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="pass at least one of requests="), uses(shop):
        pass
    with pytest.raises(NotConnected), measure(Shop()):
        pass


def test_recorded_usage_counts_a_nested_block_in_both_blocks(shop: Shop) -> None:
    with measure(shop) as outer:
        shop.order("o0001")
        with measure(shop) as inner:
            shop.order("o0002")
    assert (outer.requests, inner.requests) == (2, 1)


def test_recorded_usage_counts_async_requests_in_the_task_that_sends_them(shop: Shop) -> None:
    async def task(count: int) -> int:
        with measure(shop) as usage:
            for _ in range(count):
                await shop.order.aio("o0001")
                await asyncio.sleep(0)
        return usage.requests

    async def unmeasured() -> None:
        for _ in range(5):
            await shop.order.aio("o0002")
            await asyncio.sleep(0)

    async def all_tasks() -> list[int | None]:
        return list(await asyncio.gather(task(1), unmeasured(), task(3), task(2)))

    assert asyncio.run(all_tasks()) == [1, None, 3, 2]


def test_recorded_usage_counts_tasks_and_threads_that_a_block_starts(shop: Shop) -> None:
    async def children() -> int:
        with measure(shop) as usage:
            await asyncio.gather(*(shop.order.aio("o0001") for _ in range(3)))
            await asyncio.to_thread(shop.order, "o0001")
            await asyncio.get_running_loop().run_in_executor(None, shop.order, "o0001")
        return usage.requests

    assert asyncio.run(children()) == 5
    with uses(shop, requests=4):
        threads = [threading.Thread(target=shop.order, args=("o0001",)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_recorded_usage_counts_every_request_of_a_fan_out_in_threads_too() -> None:
    counts: list[int] = []

    def count(table: ShopByHash, times: int) -> None:
        with measure(table) as usage:
            for _ in range(times):
                list(table.customers())
        counts.append(usage.requests)

    with ShopByHash.open("memory:") as shop:
        shop.put(CustomerByHash(id="c", name="n", region=Region.ASIA, created_at=START))
        with uses(shop, requests=8):
            shop.customers()
        both = [threading.Thread(target=count, args=(shop, times)) for times in (1, 2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
    assert sorted(counts) == [8, 16]


def test_recorded_usage_counts_retries(shop: Shop) -> None:
    transport = shop._opened().session.transport
    send, left = transport.send, [1, 1]

    def throttled(operation: str, body: bytes) -> bytes:
        if left:
            left.pop()
            raise RequestRefused("ThrottlingException", "Rate exceeded")
        return send(operation, body)

    transport.send = throttled  # type: ignore[method-assign]
    with measure(shop) as usage:
        assert shop.order("o0001") is not None
    assert usage.requests == 3
    assert [each.error for each in usage.recorded_requests] == ["ThrottlingException", "ThrottlingException", None]


def test_recorded_usage_leaves_the_wrapped_transport_reachable(shop: Shop) -> None:
    with measure(shop):
        pass
    transport = shop._opened().session.transport
    assert transport.name == "memory:"
    assert transport.engine.call("ListTables", {})["TableNames"] == ["Shop"]  # type: ignore[attr-defined]
    asyncio.run(shop.aio.close())


def test_recorded_usage_measures_two_tables_separately() -> None:
    tables: list[Table] = [Shop.open("memory:"), Shop.open("memory:")]
    with measure(tables[0]) as first, measure(tables[1]) as second:
        tables[1].put(order(1))
    assert (first.requests, second.requests) == (0, 1)
