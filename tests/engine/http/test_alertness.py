"""The loop stays awake for a peer whose requests come right after its answers, and for no other."""

from __future__ import annotations

import asyncio

from singletable.engine.http.alertness import Alertness, processors


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def rounds() -> None:
    """The loop goes round a few times."""
    for _ in range(3):
        await asyncio.sleep(0)


def awake_after(gaps: list[float], *, later: float = 0.0, seconds: float | None = 0.5) -> bool:
    """Whether somebody is awake after requests that came so long after the answers before them, and some time more."""

    async def run() -> bool:
        clock = Clock()
        alertness = Alertness(seconds, clock)
        for gap in gaps:
            clock.now += gap
            await rounds()
            alertness.answered(soon=alertness.came())
        clock.now += later
        await rounds()
        return alertness.is_awake

    return asyncio.run(run())


def test_the_first_request_and_one_that_took_its_time_keep_nobody_awake() -> None:
    assert not awake_after([0.0])
    assert not awake_after([0.0, 0.6])
    assert not awake_after([0.0, 0.6, 0.7])


def test_a_request_right_after_an_answer_keeps_the_loop_awake_for_the_next() -> None:
    assert awake_after([0.0, 0.1])
    assert awake_after([0.0, 0.6, 0.1])
    assert awake_after([0.0, 0.1, 0.1, 0.1], later=0.4)


def test_it_falls_asleep_when_no_request_comes() -> None:
    assert not awake_after([0.0, 0.1], later=0.5)
    assert not awake_after([0.0, 0.1, 0.1, 0.1], later=9.0)
    assert not awake_after([0.0, 0.1, 0.7])


def test_with_one_processor_nobody_stays_awake() -> None:
    assert not awake_after([0.0, 0.0, 0.0], seconds=0.0)
    assert processors() >= 1
