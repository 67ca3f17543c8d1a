"""What a block of code uses is counted, listed, and held against what it promised."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from examples.shop.sharded import CustomerByHash, Region, ShopByHash
from singletable import ArgumentRefused, ConditionFailed, NotConnected, Table, field, key
from singletable.client.policy import Retries
from singletable.errors import RequestRefused
from singletable.testing import Made, measured, uses, uses_at_most
from tests.client.shop import START, Order, Shop, order


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop.open("memory:", retries=Retries(first_seconds=0.0)) as opened:
        for number in range(3):
            opened.put(order(number))
        yield opened


def test_a_block_is_counted(shop: Shop) -> None:
    with measured(shop) as used:
        shop.order("o0001")
        shop.orders_of_customer("c1")
        shop.put(order(7))
    shop.order("o0002")
    assert used.requests == 3
    assert used.operations == ["GetItem", "Query", "PutItem"]
    assert (used.read_units, used.write_units) == (1.0, 2.0)
    assert used.made == (
        Made("GetItem", None, read_units=0.5),
        Made("Query", "GSI1", read_units=0.5),
        Made("PutItem", None, write_units=2.0),
    )


def test_a_block_that_keeps_its_promise_passes(shop: Shop) -> None:
    with uses(shop, requests=1, read_units=0.5, write_units=0):
        shop.order("o0001")
    with uses_at_most(shop, requests=5, read_units=2):
        shop.order("o0001")
    with uses(shop, requests=0):
        pass


def test_a_block_that_uses_more_lists_every_request(shop: Shop) -> None:
    def read_twice() -> None:
        shop.order("o0001")
        shop.orders_of_customer("c1")

    with pytest.raises(AssertionError) as failed, uses(shop, requests=1, read_units=0.5):
        read_twice()
    assert str(failed.value).splitlines() == [
        "the block used 2 requests, not 1; 1.0 read units, not 0.5:",
        "  1. GetItem            the table    0.5 read units",
        "  2. Query              GSI1         0.5 read units",
        "  together 2 requests, 1.0 read units, 0.0 write units",
    ]
    with pytest.raises(AssertionError, match="2 requests, not at most 1"), uses_at_most(shop, requests=1):
        read_twice()
    with pytest.raises(AssertionError, match=r"2.0 write units, not at most 1.5"), uses_at_most(shop, write_units=1.5):
        shop.put(order(9))


def test_exactly_is_neither_more_nor_less(shop: Shop) -> None:
    with pytest.raises(AssertionError, match="0 requests, not 1"), uses(shop, requests=1):
        pass


def test_an_error_of_the_block_itself_comes_first(shop: Shop) -> None:
    with pytest.raises(ConditionFailed), uses(shop, requests=7):
        shop.update(key(Order, id="o0001"), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "NO")
    with measured(shop) as used, pytest.raises(ConditionFailed):
        shop.update(key(Order, id="o0001"), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "NO")
    assert used.made == (Made("UpdateItem", refusal="ConditionalCheckFailedException"),)
    assert "refused: ConditionalCheckFailedException" in str(used)


def test_nothing_promised_is_no_promise(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="say what the block may use"), uses(shop):
        pass
    with pytest.raises(NotConnected), measured(Shop()):
        pass


def test_blocks_inside_each_other_are_counted_both(shop: Shop) -> None:
    with measured(shop) as outer:
        shop.order("o0001")
        with measured(shop) as inner:
            shop.order("o0002")
    assert (outer.requests, inner.requests) == (2, 1)


def test_awaited_requests_belong_to_the_task_that_makes_them(shop: Shop) -> None:
    async def task(count: int) -> int:
        with measured(shop) as used:
            for _ in range(count):
                await shop.order.aio("o0001")
                await asyncio.sleep(0)
        return used.requests

    async def unmeasured() -> None:
        for _ in range(5):
            await shop.order.aio("o0002")
            await asyncio.sleep(0)

    async def together() -> list[int | None]:
        return list(await asyncio.gather(task(1), unmeasured(), task(3), task(2)))

    assert asyncio.run(together()) == [1, None, 3, 2]


def test_tasks_and_threads_that_a_block_starts_are_its_own(shop: Shop) -> None:
    async def children() -> int:
        with measured(shop) as used:
            await asyncio.gather(*(shop.order.aio("o0001") for _ in range(3)))
            await asyncio.to_thread(shop.order, "o0001")
            await asyncio.get_running_loop().run_in_executor(None, shop.order, "o0001")
        return used.requests

    assert asyncio.run(children()) == 5
    with uses(shop, requests=4):
        threads = [threading.Thread(target=shop.order, args=("o0001",)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_a_fan_out_is_all_its_requests_in_threads_too() -> None:
    counts: list[int] = []

    def count(table: ShopByHash, times: int) -> None:
        with measured(table) as used:
            for _ in range(times):
                list(table.customers())
        counts.append(used.requests)

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


def test_a_request_that_is_sent_again_counts_again(shop: Shop) -> None:
    transport = shop._opened().session.transport
    send, left = transport.send, [1, 1]

    def throttled(operation: str, body: bytes) -> bytes:
        if left:
            left.pop()
            raise RequestRefused("ThrottlingException", "Rate exceeded")
        return send(operation, body)

    transport.send = throttled  # type: ignore[method-assign]
    with measured(shop) as used:
        assert shop.order("o0001") is not None
    assert used.requests == 3
    assert [each.refusal for each in used.made] == ["ThrottlingException", "ThrottlingException", None]


def test_what_stands_behind_the_table_is_still_reached(shop: Shop) -> None:
    with measured(shop):
        pass
    transport = shop._opened().session.transport
    assert transport.name == "memory:"
    assert transport.engine.call("ListTables", {})["TableNames"] == ["Shop"]  # type: ignore[attr-defined]
    asyncio.run(shop.aio.close())


def test_any_table_can_be_measured() -> None:
    tables: list[Table] = [Shop.open("memory:"), Shop.open("memory:")]
    with measured(tables[0]) as first, measured(tables[1]) as second:
        tables[1].put(order(1))
    assert (first.requests, second.requests) == (0, 1)
