"""Background runners: a thread for synchronous reads and an asyncio task for others. Each runs pending steps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

STOP_SECONDS = 5.0
"""How long `stop` waits for the work that is running."""


class BackgroundThread:
    """Calls a function in a thread. The function does one piece of work, and returns the seconds until the next one."""

    def __init__(self, step: Callable[[], float], name: str) -> None:
        self._step, self._name = step, name
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Start the thread, unless it runs."""
        with self._lock:
            if self._thread is None and not self._is_stopped:
                self._thread = threading.Thread(target=self._run, daemon=True, name=self._name)
                self._thread.start()

    def wake(self) -> None:
        """Let the thread look for work now."""
        self._wake.set()

    def stop(self) -> None:
        """End the thread after the current piece of work."""
        with self._lock:
            self._is_stopped = True
            thread = self._thread
        self._wake.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._is_stopped:
            seconds = self._step()
            if seconds > 0:
                self._wake.wait(seconds)
                self._wake.clear()


class BackgroundTask:
    """Calls a coroutine function in a task of the event loop of the caller, like a BackgroundThread."""

    def __init__(self, step: Callable[[], Awaitable[float]]) -> None:
        self._step = step
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Start the task, unless it runs on this event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop and not self._is_stopped:
            self._loop, self._wake = loop, asyncio.Event()
            self._task = loop.create_task(self._run(self._wake), name="shadow reads")

    def wake(self) -> None:
        """Let the task look for work now."""
        self._wake.set()

    async def stop(self) -> None:
        """End the task after the current piece of work."""
        self._is_stopped = True
        self._wake.set()
        if self._task is not None and self._loop is asyncio.get_running_loop():
            await asyncio.wait((self._task,), timeout=STOP_SECONDS)
            self._task.cancel()

    async def _run(self, wake: asyncio.Event) -> None:
        while not self._is_stopped and wake is self._wake:
            seconds = await self._step()
            if seconds > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(wake.wait(), seconds)
                wake.clear()
