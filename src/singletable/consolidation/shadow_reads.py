"""Shadow reads: serve a pattern from its old or its new implementation, and compare both in the background."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from time import perf_counter, sleep, thread_time
from typing import Any, Self

from singletable.client.request_log import error_code
from singletable.client.request_steps import run, run_async
from singletable.client.table import Table
from singletable.consolidation.background_comparisons import (
    AnswerComparison,
    ComparisonQueue,
    ComparisonResult,
    comparison_steps,
)
from singletable.consolidation.background_runners import BackgroundTask, BackgroundThread
from singletable.consolidation.mode_updates import ModeUpdates
from singletable.consolidation.old_reads import OldRead
from singletable.consolidation.pattern_modes import Mode, mode_items
from singletable.consolidation.served_reads import (
    AsyncShadowedRead,
    ServedRead,
    ShadowedRead,
    SideSteps,
    run_sides,
    run_sides_async,
)
from singletable.consolidation.shadowed_pattern import ShadowedPattern, ShadowSettings, logger
from singletable.errors import ArgumentRefused, NotConnected

STALE_SECONDS_MAX = 1.0
"""How long a call waits for the modes after a pause of the whole process."""
BATCH_SECONDS, BATCH_CPU_SECONDS = 0.05, 0.002
"""How long comparisons wait for others, and how long the thread makes comparisons without a rest."""
_POLL_SECONDS = 0.002


class ShadowReads:
    """Base class of the reads of an application that has an old and a new implementation of its patterns.

    Declare each old implementation as a method with `@old_read(Shop.customer)`, and call the methods instead of the
    patterns. The mode of each pattern is stored in the table; `switch_mode` changes it. Closing the table closes its
    shadow reads.
    """

    def __init__(self, table: Table, settings: ShadowSettings | None = None) -> None:
        self.settings = settings or ShadowSettings()
        self.table = table
        opened = self._opened = table._opened()
        self._session = opened.session  # the requests for the reserved items are no writes of the application
        members = {name: member for base in reversed(type(self).__mro__) for name, member in vars(base).items()}
        declared = {name: member for name, member in members.items() if isinstance(member, OldRead)}
        if not declared:
            raise ArgumentRefused(f"{type(self).__name__} has no method with @old_read(...)")
        design = opened.reader.design
        names = sorted({each.pattern.declaration.name for each in declared.values()})
        self._patterns = {name: ShadowedPattern(design.name, name, self.settings) for name in names}
        items = mode_items(design, opened.reader.name)
        self._updates = ModeUpdates(items, self._patterns, self.settings, perf_counter, opened.reader.now)
        self._is_closed = False
        self._start_background()
        for name, each in declared.items():
            vars(self)[name] = self._bound(each)
        self._session.dependents.append(self)
        _all[id(self)] = self

    def _bound(self, declared: OldRead[..., Any]) -> ServedRead:
        of_class = declared.pattern
        if not isinstance(self.table, of_class._table):
            raise ArgumentRefused(
                f"{type(self).__name__} needs an open {of_class._table.__name__}, got {type(self.table).__name__}"
            )
        new = of_class.of(self.table)
        new._options = of_class._options
        convert, kind = declared.convert, AsyncShadowedRead if declared.is_async else ShadowedRead
        call: Callable[..., Any] = new.aio if declared.is_async else new
        if convert is not None:
            call = _converting_async(call, convert) if declared.is_async else _converting(call, convert)
        old = declared.function.__get__(self)
        return kind(self, declared, self._patterns[of_class.declaration.name], {"old": old, "new": call})

    def _start_background(self) -> None:
        self._queue, self._async_queue = (ComparisonQueue(self.settings.queue_max) for _ in range(2))
        self._thread = BackgroundThread(self._step, "shadow reads")
        self._rest_until = 0.0
        self._draining = 0
        self._task = BackgroundTask(self._step_async)

    @property
    def modes(self) -> dict[str, Mode]:
        """The modes of the patterns, as this process knows them."""
        return {name: each.mode for name, each in self._patterns.items()}

    def refresh(self, seconds: float = 30.0) -> bool:
        """Read the modes now. Return whether they were read in time."""
        before = self._updates.reads
        return self._wait(seconds, lambda: self._updates.reads > before, self._updates.demand)

    async def refresh_async(self, seconds: float = 30.0) -> bool:
        """Read the modes now, on the running event loop."""
        before = self._updates.reads
        return await self._wait_async(seconds, lambda: self._updates.reads > before, self._updates.demand)

    def drain(self, seconds: float = 30.0) -> bool:
        """Make the waiting comparisons, and store the counts. Return whether this was done in time."""
        self._draining += 1
        try:
            return self._wait(seconds, partial(self._is_drained, self._queue), self._updates.store_now)
        finally:
            self._draining -= 1

    async def drain_async(self, seconds: float = 30.0) -> bool:
        """Make the waiting comparisons of the asyncio reads, and store the counts."""
        return await self._wait_async(seconds, partial(self._is_drained, self._async_queue), self._updates.store_now)

    def _is_drained(self, queue: ComparisonQueue) -> bool:
        is_stored = not any(each.is_pending for each in self._patterns.values())
        return queue.is_idle and is_stored and not self._updates.is_running

    def _wait(self, seconds: float, is_done: Callable[[], bool], demand: Callable[[], None]) -> bool:
        """Wait until the background thread has completed its work.

        Return False after the timeout, or if an update fails.
        """
        self._check_open()
        self._thread.start()
        until, failures = perf_counter() + seconds, self._updates.failures
        while not is_done():
            if perf_counter() >= until or self._updates.failures > failures:
                return False
            demand()
            self._thread.wake()
            sleep(_POLL_SECONDS)
        return True

    async def _wait_async(self, seconds: float, is_done: Callable[[], bool], demand: Callable[[], None]) -> bool:
        self._check_open()
        self._task.start()
        until, failures = perf_counter() + seconds, self._updates.failures
        while not is_done():
            if perf_counter() >= until or self._updates.failures > failures:
                return False
            demand()
            self._task.wake()
            await asyncio.sleep(_POLL_SECONDS)
        return True

    def close(self) -> None:
        """Stop the comparisons and store the counts. Closing the table does the same."""
        if self._mark_closed():
            self._thread.stop()
            self._drop_waiting()
            run(self._updates.update(), self._session)

    async def close_async(self) -> None:
        """Stop the comparisons and store the counts, on the running event loop."""
        if self._mark_closed():
            await self._task.stop()
            await asyncio.to_thread(self._thread.stop)
            self._drop_waiting()
            await run_async(self._updates.update(), self._session)

    def _mark_closed(self) -> bool:
        if self._is_closed:
            return False
        self._is_closed = True
        self._updates.end()  # so that the next call raises NotConnected
        self._session.dependents[:] = [each for each in self._session.dependents if each is not self]
        return True

    def _drop_waiting(self) -> None:
        for queue in (self._queue, self._async_queue):
            for comparison in queue.clear():
                comparison.pattern.statistics.count("dropped")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def _check_open(self) -> None:
        if self._is_closed:
            raise NotConnected(
                f"{type(self).__name__} is closed; open the table and create {type(self).__name__} again"
            )

    def _refresh(self) -> None:
        """Read the modes before the first call. After a pause of the process, wait a moment for them."""
        self._check_open()
        self._thread.start()
        if not self._updates.is_known:
            run(self._updates.first(), self._session)
        else:
            self.refresh(STALE_SECONDS_MAX)
            self._updates.accept_stale()

    async def _refresh_async(self) -> None:
        self._check_open()
        self._task.start()
        if not self._updates.is_known:
            await run_async(self._updates.first(), self._session)
        else:
            await self.refresh_async(STALE_SECONDS_MAX)
            self._updates.accept_stale()

    def _compare(self, comparison: AnswerComparison, *, is_async: bool) -> None:
        queue, runner = (self._async_queue, self._task) if is_async else (self._queue, self._thread)
        if queue.put(comparison):
            runner.start()
            if is_async:
                runner.wake()
            elif (now := perf_counter()) >= self._rest_until:
                self._rest_until = now + BATCH_SECONDS
                runner.wake()
        else:
            comparison.pattern.statistics.count("dropped")

    def _step(self) -> float:
        """Store counts and read modes if this is due, and make the waiting comparisons.

        Return the seconds until the next step. The thread makes several comparisons at once and then rests, so that few
        calls share the processor with it.
        """
        if self._updates.claim():
            run(self._updates.update(), self._session)
        if not self._draining and (rest := self._rest_until - perf_counter()) > 0:
            return rest
        started, used = thread_time(), 0.0
        while used < BATCH_CPU_SECONDS and not self._is_closed and (found := self._queue.take(perf_counter())):
            self._make(found)
            used = thread_time() - started
        if not used:
            return self._seconds_to_wait(self._queue)
        self._rest_until = perf_counter() + max(BATCH_SECONDS, used * (1 / self.settings.cpu_share - 1))
        return 0.0

    def _make(self, comparison: AnswerComparison) -> None:
        steps = self._steps_of(comparison)
        try:
            note = comparison.pattern.statistics.read
            verdict = run_sides(steps, comparison.sides, comparison.args, comparison.kwargs, note)
        except Exception as problem:  # a failed comparison must not end the thread
            verdict = _failed(comparison, problem)
        except BaseException:
            self._queue.finish()
            raise
        self._finish(self._queue, comparison, verdict)

    async def _step_async(self) -> float:
        if self._updates.claim():
            await run_async(self._updates.update(), self._session)
        comparison = self._async_queue.take(perf_counter())
        if comparison is None:
            return self._seconds_to_wait(self._async_queue)
        steps = self._steps_of(comparison)
        try:
            note = comparison.pattern.statistics.read
            verdict = await run_sides_async(steps, comparison.sides, comparison.args, comparison.kwargs, note)
        except Exception as problem:  # a failed comparison must not end the task
            verdict = _failed(comparison, problem)
        except BaseException:  # the event loop ends
            self._async_queue.finish()
            raise
        self._finish(self._async_queue, comparison, verdict)
        return 0.0

    def _seconds_to_wait(self, queue: ComparisonQueue) -> float:
        times = [each for each in (queue.next_at(), self._updates.next_at) if each is not None]
        return max(0.001, min(times) - perf_counter())

    def _steps_of(self, comparison: AnswerComparison) -> SideSteps[ComparisonResult]:
        return comparison_steps(comparison, is_last=comparison.attempt == len(self.settings.recheck_seconds))

    def _finish(self, queue: ComparisonQueue, comparison: AnswerComparison, verdict: ComparisonResult) -> None:
        """Record a verdict, or repeat the comparison after a pause."""
        if verdict.result == "undecided":
            again = replace(comparison, attempt=comparison.attempt + 1)
            if comparison.attempt and verdict.differences:
                again = replace(again, suspects=frozenset(each.place for each in verdict.differences))
            queue.finish(again, perf_counter() + self.settings.recheck_seconds[comparison.attempt])
            return
        comparison.pattern.record(comparison, verdict, self._opened.reader.now())
        queue.finish()
        if verdict.result == "differs":
            self._updates.hurry()

    def _after_fork(self) -> None:
        """Start again in a forked child: the thread and the counts belong to the parent."""
        self._start_background()
        for pattern in self._patterns.values():
            pattern.restart()
        self._updates.restart()


def _failed(comparison: AnswerComparison, problem: Exception) -> ComparisonResult:
    """Repeat a comparison that failed, for example because the application has changed the served object meanwhile."""
    if comparison.attempt == 0:
        return ComparisonResult("undecided")
    logger.error("%s: the answers cannot be compared (%s)", comparison.pattern.label, error_code(problem))
    return ComparisonResult("timing")


def _converting(call: Callable[..., Any], convert: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: convert(call(*args, **kwargs))


def _converting_async(call: Callable[..., Awaitable[Any]], convert: Callable[[Any], Any]) -> Callable[..., Any]:
    async def read(*args: Any, **kwargs: Any) -> Any:
        return convert(await call(*args, **kwargs))

    return read


_all: weakref.WeakValueDictionary[int, ShadowReads] = weakref.WeakValueDictionary()
"""The shadow reads of this process, by identity: a subclass may define an equality."""


def _after_fork() -> None:
    for reads in list(_all.values()):
        reads._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
