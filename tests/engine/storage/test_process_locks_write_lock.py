"""The fair write lock: one holder at a time, in the order of requests, with a timeout."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.storage.process_locks import FairWriteLock, WriteWait

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="on Windows, writers wait as SQLite makes them wait")


def waiting(seconds: float) -> WriteWait:
    wait = WriteWait()
    wait.seconds = seconds
    return wait


@pytest.fixture
def locks(tmp_path: Path) -> Iterator[list[FairWriteLock]]:
    """Return the locks of five processes, each with its own descriptor."""
    (tmp_path / "log").touch()
    descriptors = [os.open(tmp_path / "log", os.O_RDWR) for _ in range(5)]
    yield [FairWriteLock(tmp_path / "log", descriptor) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)


def test_process_locks_let_one_process_hold_the_write_lock_until_it_releases_it(locks: list[FairWriteLock]) -> None:
    one, other = locks[:2]
    assert one.acquire(waiting(0))
    assert not other.acquire(waiting(0.01))
    one.release()
    assert other.acquire(waiting(1))
    other.release()


def test_process_locks_grant_the_write_lock_in_the_order_of_requests(locks: list[FairWriteLock]) -> None:
    first, *others = locks
    order: list[int] = []

    def request(number: int) -> None:
        assert others[number].acquire(waiting(5))
        order.append(number)
        others[number].release()

    assert first.acquire(waiting(0))
    threads = [threading.Thread(target=request, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    first.release()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3]


def test_process_locks_release_a_write_lock_granted_after_the_timeout(locks: list[FairWriteLock]) -> None:
    one, late, other = locks[:3]
    assert one.acquire(waiting(0))
    assert not late.acquire(waiting(0.01))
    one.release()
    assert other.acquire(waiting(1))
    other.release()
