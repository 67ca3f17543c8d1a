"""Flushes of the store, run beside the event loop and shared by every answer that waits for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

Waiting = Callable[[BaseException | None], None]


class SharedFlush:
    """Runs one flush at a time; answers that come meanwhile wait for the next, all for the same one."""

    def __init__(self, flush: Callable[[], None]) -> None:
        self._flush = flush
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="flush")
        self._waiting: list[Waiting] = []
        self._running = False

    def wait(self, waiting: Waiting) -> None:
        """Call back, in the loop, once everything committed until now survives the loss of power, or with the fault."""
        self._waiting.append(waiting)
        if not self._running:
            self._start()

    def close(self) -> None:
        """End the thread; nobody may be waiting any more."""
        self._thread.shutdown(wait=True)

    def _start(self) -> None:
        self._running = True
        batch, self._waiting = self._waiting, []
        future = asyncio.get_running_loop().run_in_executor(self._thread, self._flush)
        future.add_done_callback(lambda done: self._finished(done, batch))

    def _finished(self, done: asyncio.Future[None], batch: list[Waiting]) -> None:
        self._running = False
        if self._waiting:
            self._start()
        problem = done.exception()
        for waiting in batch:
            waiting(problem)
