"""Comparison worker: makes the waiting comparisons of synchronous or of asyncio reads, in small batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from time import perf_counter, sleep, thread_time
from types import coroutine
from typing import Any, TypeVar

from singletable.client.request_log import error_code
from singletable.client.request_session import Session
from singletable.client.request_steps import Steps, run, run_async
from singletable.consolidation.background_comparisons import (
    AnswerComparison,
    ComparisonQueue,
    ComparisonResult,
    compare,
)
from singletable.consolidation.background_runners import BackgroundTask, BackgroundThread
from singletable.consolidation.mode_updates import ModeUpdates
from singletable.consolidation.served_reads import completed
from singletable.consolidation.shadowed_pattern import ShadowedPattern, ShadowSettings, logger

R = TypeVar("R")
BATCH_SECONDS, BATCH_CPU_SECONDS = 0.05, 0.002
"""How long a comparison waits for others in its batch, and the processor time that a batch may use before a rest."""


class ComparisonWorker:
    """Makes comparisons in a thread, or in a task of the event loop. It also stores counts and reads modes.

    It makes several comparisons at once and then rests, so that few calls share the processor with it. A call wakes it
    only if it would otherwise wait for a long time.
    """

    def __init__(
        self,
        updates: ModeUpdates,
        settings: ShadowSettings,
        session: Session,
        now: Callable[[], float],
        *,
        is_async: bool,
    ) -> None:
        self._updates, self._settings, self._session, self._now = updates, settings, session, now
        self._is_async = is_async
        self.queue = ComparisonQueue(settings.queue_max)
        self.runner: BackgroundThread | BackgroundTask = (
            BackgroundTask(self._step)
            if is_async
            else BackgroundThread(lambda: completed(self._step()), "shadow reads")
        )
        self.draining = 0
        """The number of callers that wait until all comparisons are made. Until then, the worker does not rest."""
        self._rest_until = 0.0
        self._is_awake = self._is_closed = False

    def has_room(self, pattern: ShadowedPattern) -> bool:
        """Return whether a further comparison of a pattern may wait."""
        return self.queue.has_room(pattern.name)

    def add(self, comparison: AnswerComparison) -> None:
        """Let a comparison wait for its turn, or drop it if too many comparisons of its pattern wait."""
        if not self.queue.put(comparison):
            comparison.pattern.statistics.count("dropped")
        elif self._is_async or not self._is_awake:
            self._is_awake = True
            self.runner.start()
            self.runner.wake()

    async def run(self, steps: Steps[R]) -> R:
        """Run steps that send requests."""
        return await run_async(steps, self._session) if self._is_async else run(steps, self._session)

    async def pause(self, seconds: float) -> None:
        """Wait some seconds."""
        if self._is_async:
            await asyncio.sleep(seconds)
        else:
            sleep(seconds)

    def close(self) -> None:
        """Make no further comparisons after the current one."""
        self._is_closed = True

    async def stop(self) -> None:
        """End the thread or the task after the current piece of work."""
        if isinstance(self.runner, BackgroundTask):
            await self.runner.stop()
        else:
            self.runner.stop()

    def drop_waiting(self) -> None:
        """Remove the comparisons that wait, and count them as dropped."""
        for comparison in self.queue.clear():
            comparison.pattern.statistics.count("dropped")

    async def _step(self) -> float:
        """Store counts and read modes if this is due, and make a batch of comparisons.

        Return the seconds until the next step.
        """
        if self._updates.claim():
            await self.run(self._updates.update())
        if not self.draining and (rest := self._rest_until - perf_counter()) > 0:
            return rest
        used = 0.0
        while used < BATCH_CPU_SECONDS and not self._is_closed and (found := self.queue.take(perf_counter())):
            used += await self._make(found)
        if used:
            self._rest_until = perf_counter() + max(BATCH_SECONDS, used * (1 / self._settings.cpu_share - 1))
            return 0.0
        self._is_awake = False  # before the last look at the queue, so that no comparison waits without a wake-up
        times = [each for each in (self.queue.next_at(), self._updates.next_at) if each is not None]
        return max(0.001, min(times) - perf_counter())

    async def _make(self, comparison: AnswerComparison) -> float:
        """Make one comparison, and return its processor time."""
        used = 0.0
        try:
            is_last = comparison.attempt == len(self._settings.recheck_seconds)
            verdict, used = await metered(compare(comparison, is_last=is_last))
        except Exception as problem:  # a failed comparison must not end the worker
            verdict = _failed(comparison, problem)
        except BaseException:  # the process or the event loop ends
            self.queue.finish()
            raise
        self._finish(comparison, verdict)
        return max(used, 1e-6)

    def _finish(self, comparison: AnswerComparison, verdict: ComparisonResult) -> None:
        """Record a verdict, or repeat the comparison after a pause."""
        if verdict.result == "undecided":
            again = comparison._replace(attempt=comparison.attempt + 1)
            if comparison.attempt and verdict.differences:
                again = again._replace(suspects=frozenset(each.place for each in verdict.differences))
            self.queue.finish(again, perf_counter() + self._settings.recheck_seconds[comparison.attempt])
            return
        comparison.pattern.record(comparison, verdict, self._now())
        self.queue.finish()
        if verdict.result == "differs":
            self._updates.hurry()


def _failed(comparison: AnswerComparison, problem: Exception) -> ComparisonResult:
    """Repeat a comparison that failed, for example because the application has changed the served object meanwhile."""
    if comparison.attempt == 0:
        return ComparisonResult("undecided")
    logger.error("%s: the answers cannot be compared (%s)", comparison.pattern.label, error_code(problem))
    return ComparisonResult("timing")


@coroutine
def metered(steps: Coroutine[Any, Any, R]) -> Generator[Any, Any, tuple[R, float]]:
    """Run a coroutine, and return its result and the processor seconds that it has used itself."""
    used, problem = 0.0, None
    while True:
        started = thread_time()
        try:
            awaited = steps.send(None) if problem is None else steps.throw(problem)
        except StopIteration as ended:
            return ended.value, used + thread_time() - started
        used += thread_time() - started
        problem = None
        try:
            yield awaited
        except BaseException as thrown:  # also the cancellation of the task
            problem = thrown
