"""Requests that wait for another writer. They run in a thread, so that an event loop never waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from singletable.engine.storage.process_locks import WriteWait, never
from singletable.engine.storage.sqlite_errors import WriterBusy
from singletable.errors import StoreRefused

Result = TypeVar("Result")
_CLOSED = "The table was closed while this write waited for another process; the write changed nothing."


class WaitingRequests:
    """Runs requests one after another in a thread that may wait for its turn to write."""

    def __init__(self, waits: WriteWait) -> None:
        self._waits = waits
        self._is_closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="waiting requests")

    def start(self, request: Callable[[], Result], has_given_up: Callable[[], bool] = never) -> asyncio.Future[Result]:
        """Run a request. If the client disconnects during the wait, the future raises WriterBusy, and nothing changes.

        A write that has begun does not end early.
        """

        def is_over() -> bool:
            return self._is_closed or has_given_up()

        return self._submit(request, is_over, lambda: not is_over())

    async def run(self, request: Callable[[], Result]) -> Result:
        """Run a request and return its result. A caller can cancel the wait, but not a write that has begun.

        So a cancelled request has either changed nothing and never will, or is complete when this method returns.
        """
        choice = _Choice()
        future = self._submit(
            request,
            lambda: self._is_closed or choice.is_cancelled,
            lambda: not self._is_closed and choice.begin(),
        )
        try:
            return await asyncio.shield(future)
        except WriterBusy:
            raise StoreRefused(_CLOSED) from None
        except asyncio.CancelledError:
            if future.cancelled():  # `close` has removed it from the queue
                raise StoreRefused(_CLOSED) from None
            if choice.cancel():
                future.cancel()
            while not (choice.is_cancelled or future.done()):
                with suppress(asyncio.CancelledError):  # raised below
                    await asyncio.wait([future])
            raise

    def close(self) -> None:
        """End the waits and the thread."""
        self._is_closed = True
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _submit(
        self, request: Callable[[], Result], is_over: Callable[[], bool], begin: Callable[[], bool]
    ) -> asyncio.Future[Result]:
        return asyncio.get_running_loop().run_in_executor(self._thread, self._run, request, is_over, begin)

    def _run(self, request: Callable[[], Result], is_over: Callable[[], bool], begin: Callable[[], bool]) -> Result:
        self._waits.allow_end(is_over, begin)
        try:
            return request()
        finally:
            self._waits.reset()


class _Choice:
    """Whether a write begins or is cancelled. Two threads choose, and the first one decides."""

    def __init__(self) -> None:
        self._chosen: dict[int, str] = {}

    @property
    def is_cancelled(self) -> bool:
        """Whether the write never begins."""
        return self._chosen.get(0) == "cancel"

    def begin(self) -> bool:
        """Begin the write, unless it was cancelled. Return whether it has begun."""
        return self._chosen.setdefault(0, "begin") == "begin"  # one atomic step

    def cancel(self) -> bool:
        """Cancel the write, unless it has begun. Return whether it was cancelled."""
        return self._chosen.setdefault(0, "cancel") == "cancel"
