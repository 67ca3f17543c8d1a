"""Staying awake between the requests of one quick peer, since falling asleep and being woken take as long as an answer.

A loop that has nothing to do sleeps in the kernel, and is woken when a request comes. Where the last request came right
after the answer before it, the next one is looked for instead, for as long as such requests take to come. Nobody stays
awake for a peer that takes its time, nor where the peer would have to wait for the same processor.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from time import monotonic

AWAKE_SECONDS = 0.0002


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Alertness:
    """Knows when the last answer was given, and whether a request came right after it."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds if seconds is not None else AWAKE_SECONDS if processors() > 1 else 0.0
        self._clock = clock
        self._answered = -1.0
        self._is_awake = False

    @property
    def is_awake(self) -> bool:
        """Whether the next request is being looked for."""
        return self._is_awake

    def came(self) -> bool:
        """A request is there; whether it came so soon after the last answer that the next one may, too."""
        return self._clock() - self._answered < self._seconds

    def answered(self, *, soon: bool) -> None:
        """An answer is on its way; when the next request may come soon, the loop does not sleep for a moment."""
        self._answered = self._clock()
        if soon and not self._is_awake:
            self._is_awake = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        """With something to do in the next round, the loop only looks for requests and does not wait for them."""
        if self._clock() - self._answered < self._seconds:
            asyncio.get_running_loop().call_soon(self._look)
        else:
            self._is_awake = False
