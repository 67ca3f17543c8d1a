"""Shared flushes: a callback runs after the first flush that started after its request."""

from __future__ import annotations

import asyncio
import threading

from singletable.engine.http.server_state import SharedFlush


class Disk:
    """A flush that waits for the test."""

    def __init__(self) -> None:
        self.started = 0
        self.may_end = threading.Semaphore(0)
        self.fails = False

    def flush(self) -> None:
        self.started += 1
        assert self.may_end.acquire(timeout=10)
        if self.fails:
            raise OSError("the disk is gone")


async def wait_until(condition: object) -> None:
    assert callable(condition)
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("timed out")


def test_callbacks_added_to_the_server_state_during_a_flush_share_the_next_flush() -> None:
    async def scenario() -> None:
        disk, called = Disk(), list[int]()
        shared = SharedFlush(disk.flush)
        shared.wait(lambda _: called.append(0))
        await wait_until(lambda: disk.started == 1)
        for number in range(1, 6):
            shared.wait(lambda _, number=number: called.append(number))  # type: ignore[misc]
        disk.may_end.release()
        await wait_until(lambda: called == [0] and disk.started == 2)
        disk.may_end.release()
        await wait_until(lambda: called == [0, 1, 2, 3, 4, 5])
        assert disk.started == 2
        shared.close()

    asyncio.run(scenario())


def test_the_server_state_passes_the_error_of_a_flush_to_callbacks_and_flushes_again() -> None:
    async def scenario() -> None:
        disk, called = Disk(), list[BaseException | None]()
        shared = SharedFlush(disk.flush)
        disk.fails = True
        shared.wait(called.append)
        disk.may_end.release()
        await wait_until(lambda: called)
        assert isinstance(called[0], OSError)
        disk.fails = False
        shared.wait(called.append)
        disk.may_end.release()
        await wait_until(lambda: len(called) == 2)
        assert called[1] is None
        shared.close()

    asyncio.run(scenario())
