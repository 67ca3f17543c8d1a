"""Concurrent writers share flushes. A flush does not include commits made after it started."""

from __future__ import annotations

import threading
import time

import pytest

from singletable.engine.storage.write_ahead_log import GroupFlush
from singletable.errors import StoreRefused


def test_a_flush_of_the_write_ahead_log_without_a_new_commit_does_nothing() -> None:
    calls: list[int] = []
    flushing = GroupFlush(lambda: calls.append(1))
    flushing.flush()
    assert len(calls) == 0
    flushing.after_commit()
    flushing.flush()
    flushing.flush()
    assert len(calls) == 1


def test_concurrent_writers_share_flushes_of_the_write_ahead_log() -> None:
    calls: list[int] = []

    def slow() -> None:
        calls.append(1)
        time.sleep(0.02)

    flushing = GroupFlush(slow)
    lock = threading.Lock()

    def write() -> None:
        for _ in range(10):
            with lock:
                flushing.after_commit()
            flushing.flush()

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # For 80 commits, one client needs a flush for each, and eight clients share about one flush.
    assert 10 <= len(calls) <= 40


def test_a_commit_during_a_flush_of_the_write_ahead_log_waits_for_the_next_flush() -> None:
    began, may_end = threading.Event(), threading.Event()
    calls: list[int] = []

    def held() -> None:
        calls.append(1)
        began.set()
        assert may_end.wait(5)

    flushing = GroupFlush(held)
    flushing.after_commit()
    first = threading.Thread(target=flushing.flush)
    first.start()
    assert began.wait(5)
    flushing.after_commit()
    second = threading.Thread(target=flushing.flush)
    second.start()
    assert len(calls) == 1
    may_end.set()
    first.join()
    second.join()
    assert len(calls) == 2


def test_a_commit_before_a_running_flush_of_the_write_ahead_log_waits_for_that_flush_only() -> None:
    began, may_end = threading.Event(), threading.Event()
    calls: list[int] = []

    def held() -> None:
        calls.append(1)
        began.set()
        assert may_end.wait(5)

    flushing = GroupFlush(held)
    flushing.after_commit()
    flushing.after_commit()
    threads = [threading.Thread(target=flushing.flush) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert began.wait(5)
    may_end.set()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_after_a_failure_every_flush_of_the_write_ahead_log_fails() -> None:
    outcomes = [OSError(5, "Input/output error"), None]

    def failing() -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    flushing = GroupFlush(failing)
    flushing.after_commit()
    for _ in range(2):
        with pytest.raises(StoreRefused, match="Input/output error"):
            flushing.flush()
    assert len(outcomes) == 1
