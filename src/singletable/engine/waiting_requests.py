"""Requests that wait for another writer. They run in a thread, so that an event loop never waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from singletable.engine.storage.process_locks import WriteWait, never

Result = TypeVar("Result")


class WaitingRequests:
    """Runs requests one after another in a thread that may wait for its turn to write."""

    def __init__(self, waits: WriteWait) -> None:
        self._waits = waits
        self._is_closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="waiting requests")

    def run(self, request: Callable[[], Result], has_given_up: Callable[[], bool] = never) -> asyncio.Future[Result]:
        """Run a request. If the client disconnects, or the future is cancelled during the wait, the request is not run.

        In that case, the future raises WriterBusy or CancelledError.
        """
        futures: list[asyncio.Future[Result]] = []  # empty until the thread has its future

        def is_over() -> bool:
            return self._is_closed or has_given_up() or any(future.cancelled() for future in futures)

        future = asyncio.get_running_loop().run_in_executor(self._thread, self._run, request, is_over)
        futures.append(future)
        return future

    def close(self) -> None:
        """End the waits and the thread."""
        self._is_closed = True
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _run(self, request: Callable[[], Result], is_over: Callable[[], bool]) -> Result:
        self._waits.is_over = is_over
        try:
            return request()
        finally:
            self._waits.reset()
