"""Shadow reads: serve a pattern from its old or its new implementation, and compare both in the background."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, Self

from singletable.client.request_steps import run, run_async
from singletable.client.table import Table
from singletable.consolidation.comparison_worker import ComparisonWorker
from singletable.consolidation.mode_updates import ModeUpdates
from singletable.consolidation.old_reads import OldRead
from singletable.consolidation.pattern_modes import Mode, mode_items
from singletable.consolidation.served_reads import AsyncShadowedRead, ServedRead, ShadowedRead, completed
from singletable.consolidation.shadowed_pattern import ShadowedPattern, ShadowSettings
from singletable.errors import ArgumentRefused, NotConnected

STALE_SECONDS_MAX = 1.0
"""How long a call waits for the modes after a pause of the whole process."""
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
        self._session = opened.session  # the writes of the reserved items are not writes of the application
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
        options = (self._updates, self.settings, self._session, self._opened.reader.now)
        self._worker = ComparisonWorker(*options, is_async=False)
        self._async_worker = ComparisonWorker(*options, is_async=True)

    @property
    def modes(self) -> dict[str, Mode]:
        """The modes of the patterns, as this process knows them."""
        return {name: each.mode for name, each in self._patterns.items()}

    def refresh(self, seconds: float = 30.0) -> bool:
        """Read the modes now. Return whether they were read in time."""
        return completed(self._read_modes(self._worker, seconds))

    async def refresh_async(self, seconds: float = 30.0) -> bool:
        """Read the modes now, on the running event loop."""
        return await self._read_modes(self._async_worker, seconds)

    def drain(self, seconds: float = 30.0) -> bool:
        """Make the waiting comparisons, and store the counts. Return whether this was done in time."""
        return completed(self._drain(self._worker, seconds))

    async def drain_async(self, seconds: float = 30.0) -> bool:
        """Make the waiting comparisons of the asyncio reads, and store the counts."""
        return await self._drain(self._async_worker, seconds)

    async def _read_modes(self, worker: ComparisonWorker, seconds: float) -> bool:
        before = self._updates.reads
        return await self._wait(worker, seconds, lambda: self._updates.reads > before, self._updates.demand)

    async def _drain(self, worker: ComparisonWorker, seconds: float) -> bool:
        worker.draining += 1
        try:
            return await self._wait(worker, seconds, lambda: self._is_drained(worker), self._updates.store_now)
        finally:
            worker.draining -= 1

    def _is_drained(self, worker: ComparisonWorker) -> bool:
        is_stored = not any(each.is_pending for each in self._patterns.values())
        return worker.queue.is_idle and is_stored and not self._updates.is_running

    async def _wait(
        self, worker: ComparisonWorker, seconds: float, is_done: Callable[[], bool], demand: Callable[[], None]
    ) -> bool:
        """Wait until the worker has completed its work. Return False after the timeout, or if an update fails."""
        self._check_open()
        worker.runner.start()
        until, failures = perf_counter() + seconds, self._updates.failures
        while not is_done():
            if perf_counter() >= until or self._updates.failures > failures:
                return False
            demand()
            worker.runner.wake()
            await worker.pause(_POLL_SECONDS)
        return True

    def close(self) -> None:
        """Stop the comparisons and store the counts. Closing the table does the same."""
        if self._mark_closed():
            completed(self._worker.stop())
            self._drop_waiting()
            run(self._updates.update(), self._session)

    async def close_async(self) -> None:
        """Stop the comparisons and store the counts, on the running event loop."""
        if self._mark_closed():
            await self._async_worker.stop()
            await asyncio.to_thread(completed, self._worker.stop())
            self._drop_waiting()
            await run_async(self._updates.update(), self._session)

    def _mark_closed(self) -> bool:
        if self._is_closed:
            return False
        self._is_closed = True
        for worker in (self._worker, self._async_worker):
            worker.close()
        self._updates.end()  # so that the next call raises NotConnected
        self._session.dependents[:] = [each for each in self._session.dependents if each is not self]
        return True

    def _drop_waiting(self) -> None:
        for worker in (self._worker, self._async_worker):
            worker.drop_waiting()

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
        completed(self._know_modes(self._worker))

    async def _refresh_async(self) -> None:
        await self._know_modes(self._async_worker)

    async def _know_modes(self, worker: ComparisonWorker) -> None:
        """Read the modes before the first call. After a pause of the process, wait a moment for them."""
        self._check_open()
        worker.runner.start()
        if not self._updates.is_known:
            await worker.run(self._updates.first())
        else:
            await self._read_modes(worker, STALE_SECONDS_MAX)
            self._updates.accept_stale()

    def _after_fork(self) -> None:
        """Start again in a forked child: the thread and the counts belong to the parent."""
        self._start_background()
        for pattern in self._patterns.values():
            pattern.restart()
        self._updates.restart()


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
