"""Flushes are shared: whoever waits is told by the first flush that began after it asked."""

from __future__ import annotations

import asyncio
import threading

from singletable.engine.http.shared_flush import SharedFlush


class Disk:
    """A flush that takes as long as the test says."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = threading.Semaphore(0)
        self.fails = False

    def flush(self) -> None:
        self.begun += 1
        assert self.may_end.acquire(timeout=10)
        if self.fails:
            raise OSError("the disk is gone")


async def until(condition: object) -> None:
    assert callable(condition)
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came true")


def test_those_who_come_during_a_flush_share_the_next() -> None:
    async def scenario() -> None:
        disk, told = Disk(), list[int]()
        shared = SharedFlush(disk.flush)
        shared.wait(lambda _: told.append(0))
        await until(lambda: disk.begun == 1)
        for number in range(1, 6):
            shared.wait(lambda _, number=number: told.append(number))  # type: ignore[misc]
        disk.may_end.release()
        await until(lambda: told == [0] and disk.begun == 2)
        disk.may_end.release()
        await until(lambda: told == [0, 1, 2, 3, 4, 5])
        assert disk.begun == 2
        shared.close()

    asyncio.run(scenario())


def test_a_flush_that_fails_is_told_to_all_who_waited_and_the_next_is_tried() -> None:
    async def scenario() -> None:
        disk, told = Disk(), list[BaseException | None]()
        shared = SharedFlush(disk.flush)
        disk.fails = True
        shared.wait(told.append)
        disk.may_end.release()
        await until(lambda: told)
        assert isinstance(told[0], OSError)
        disk.fails = False
        shared.wait(told.append)
        disk.may_end.release()
        await until(lambda: len(told) == 2)
        assert told[1] is None
        shared.close()

    asyncio.run(scenario())
