"""Turns to write: one at a time, in order, and not for ever."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.storage.write_turn import WriteTurn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="writers wait as SQLite has them wait")


@pytest.fixture
def turns(tmp_path: Path) -> Iterator[list[WriteTurn]]:
    """As five processes have them: each with a descriptor of its own."""
    (tmp_path / "log").touch()
    descriptors = [os.open(tmp_path / "log", os.O_RDWR) for _ in range(5)]
    yield [WriteTurn(descriptor) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)


def test_one_has_the_turn_until_it_ends_it(turns: list[WriteTurn]) -> None:
    one, other = turns[:2]
    assert one.take(0)
    assert not other.take(0.01)
    one.end()
    assert other.take(1)
    other.end()


def test_turns_come_in_the_order_they_were_asked_for(turns: list[WriteTurn]) -> None:
    first, *others = turns
    order: list[int] = []

    def ask(number: int) -> None:
        assert others[number].take(5)
        order.append(number)
        others[number].end()

    assert first.take(0)
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    first.end()
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3]


def test_who_gave_up_waiting_does_not_keep_the_turn_that_came_too_late(turns: list[WriteTurn]) -> None:
    one, late, other = turns[:3]
    assert one.take(0)
    assert not late.take(0.01)
    one.end()
    assert other.take(1)
    other.end()
