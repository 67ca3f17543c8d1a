"""Comparison worker: the processor time of comparisons, their rests, and coroutines that never wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter, sleep, thread_time
from typing import Any

import pytest

from singletable.consolidation import switch_mode
from singletable.consolidation.comparison_worker import metered
from singletable.consolidation.served_reads import completed
from tests.consolidation.shop_reads import EVERY, RowReads, TwoShops, start, two_shops

CUSTOMER = "c000001"
COMPARISON_SECONDS = 0.005
TIRED = replace(EVERY, cpu_share=0.005)
"""After a comparison of 5 ms, the worker rests for a second."""


@pytest.fixture
def shops() -> Iterator[TwoShops]:
    with two_shops() as found:
        yield found


def burn(seconds: float) -> None:
    """Use processor time."""
    started = thread_time()
    while thread_time() - started < seconds:
        pass


def slow(read: Callable[[str], Any], made: list[float]) -> Callable[[str], Any]:
    """Return a new implementation whose comparison uses processor time."""

    def read_slowly(id: str) -> Any:
        made.append(perf_counter())
        burn(COMPARISON_SECONDS)
        return read(id)

    return read_slowly


def test_the_comparison_worker_of_a_thread_uses_at_most_its_share_of_a_processor(shops: TwoShops) -> None:
    reads = shops.reads(TIRED)
    start(reads, "customer")
    made: list[float] = []
    served = vars(reads)["customer"]
    served._sides["new"] = slow(served._sides["new"], made)
    for _ in range(20):
        reads.customer(CUSTOMER)
    sleep(0.5)
    assert len(made) == 1
    assert reads.drain()  # does not rest
    assert len(made) == 20
    assert made[-1] - made[1] < 10


def test_the_comparison_worker_of_a_task_uses_at_most_its_share_of_a_processor(shops: TwoShops) -> None:
    async def call_often() -> None:
        reads = RowReads(shops.new, shops.old, TIRED)
        await reads.customer(CUSTOMER)
        assert await reads.drain_async()
        switch_mode(shops.new, "customer", "shadow")
        assert await reads.refresh_async()
        made: list[float] = []
        served = vars(reads)["customer"]
        served._sides["new"] = slow(served._sides["new"], made)
        for _ in range(20):
            await reads.customer(CUSTOMER)
        await asyncio.sleep(0.5)
        assert len(made) == 1
        assert await reads.drain_async()
        assert len(made) == 20
        await reads.close_async()

    asyncio.run(call_often())


def test_a_call_does_not_wake_a_comparison_worker_that_will_look_soon(shops: TwoShops) -> None:
    reads = shops.reads(TIRED)
    start(reads, "customer")
    wakes: list[float] = []
    wake = reads._worker.runner.wake

    def count_and_wake() -> None:
        wakes.append(perf_counter())
        wake()

    vars(reads._worker.runner)["wake"] = count_and_wake
    made: list[float] = []
    served = vars(reads)["customer"]
    served._sides["new"] = slow(served._sides["new"], made)
    for _ in range(50):
        reads.customer(CUSTOMER)
    assert len(wakes) == 1
    until = perf_counter() + 60
    while len(made) < 2 and perf_counter() < until:
        sleep(0.01)
    assert len(made) >= 2, "the worker looks again after its rest, without a further call"
    assert len(wakes) == 1


def test_the_comparison_worker_counts_the_processor_time_of_one_coroutine_only() -> None:
    async def work() -> str:
        burn(0.02)
        await asyncio.sleep(0.001)
        burn(0.02)
        return "done"

    async def other() -> None:
        for _ in range(20):
            burn(0.01)
            await asyncio.sleep(0)

    async def both() -> tuple[str, float]:
        disturbing = asyncio.create_task(other())
        found: tuple[str, float] = await metered(work())
        await disturbing
        return found

    result, used = asyncio.run(both())
    assert result == "done"
    assert 0.04 <= used < 0.08


def test_the_comparison_worker_passes_errors_and_cancellations_on() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def cancel() -> None:
        task = asyncio.ensure_future(metered(work()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert ended == ["cancelled"]

    async def fail() -> None:
        raise ValueError("boom")

    async def failing() -> None:
        await metered(fail())

    with pytest.raises(ValueError, match="boom"):
        completed(failing())


def test_the_comparison_worker_does_not_complete_a_coroutine_that_waits() -> None:
    async def wait() -> None:
        await asyncio.sleep(0)

    with pytest.raises(TypeError, match="must not wait"):
        completed(wait())
