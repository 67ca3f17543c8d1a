"""Busy polling happens only for a client whose requests arrive immediately after the responses."""

from __future__ import annotations

import asyncio

from singletable.engine.http.server_state import BusyPolling, processor_count


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def run_loop() -> None:
    """Let the loop run a few iterations."""
    for _ in range(3):
        await asyncio.sleep(0)


def polls_after(gaps: list[float], *, later: float = 0.0, seconds: float | None = 0.5) -> bool:
    """Return whether the loop polls `later` seconds after requests with these gaps to the previous responses."""

    async def run() -> bool:
        clock = Clock()
        polling = BusyPolling(seconds, clock)
        for gap in gaps:
            clock.now += gap
            await run_loop()
            polling.after_response(fast=polling.is_fast_client())
        clock.now += later
        await run_loop()
        return polling.is_polling

    return asyncio.run(run())


def test_the_server_state_starts_no_polling_for_the_first_request_or_a_slow_client() -> None:
    assert not polls_after([0.0])
    assert not polls_after([0.0, 0.6])
    assert not polls_after([0.0, 0.6, 0.7])


def test_the_server_state_starts_polling_for_a_request_right_after_a_response() -> None:
    assert polls_after([0.0, 0.1])
    assert polls_after([0.0, 0.6, 0.1])
    assert polls_after([0.0, 0.1, 0.1, 0.1], later=0.4)


def test_the_server_state_ends_polling_when_no_request_comes() -> None:
    assert not polls_after([0.0, 0.1], later=0.5)
    assert not polls_after([0.0, 0.1, 0.1, 0.1], later=9.0)
    assert not polls_after([0.0, 0.1, 0.7])


def test_the_server_state_never_polls_on_one_processor() -> None:
    assert not polls_after([0.0, 0.0, 0.0], seconds=0.0)
    assert processor_count() >= 1
