"""Work that goes on after its request was answered, in threads, until it is done or the engine is closed."""

from __future__ import annotations

import threading
from collections.abc import Callable

from singletable.engine.storage.presence import Presence
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused

# A lock goes to whoever asks first when it is free, and who has just given it back is quicker than who waits for it.
PAUSE_SECONDS = 0.001


class Stopped(Exception):  # it is caught by the work that it ends, and never seen by users
    """The engine is being closed."""


class Jobs:
    """What this process has under way."""

    def __init__(self, store: Store) -> None:
        self.presence = Presence(store.path)
        self._stopping = threading.Event()
        self._running: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def start(self, name: str, work: Callable[[], None], *, at_end: Callable[[], None] | None = None) -> None:
        """Starts work that any process can go on with; one of a name runs at a time."""

        def run() -> None:
            try:
                work()
            finally:
                if at_end is not None:
                    at_end()

        with self._lock:
            if self._stopping.is_set():
                raise StoreRefused("The engine is closed.\n  Open it again, and close it when nobody uses it any more.")
            running = self._running.get(name)
            if running is not None and running.is_alive():
                return
            self._running = {name: thread for name, thread in self._running.items() if thread.is_alive()}
            thread = threading.Thread(target=run, name=name, daemon=True)
            self._running[name] = thread
            thread.start()

    def start_owned(self, name: str, prepare: Callable[[], Callable[[], None]]) -> None:
        """Starts work that ends with this process; `prepare` notes in the store that it begins, and returns it."""
        self.presence.enter()
        try:
            self.start(name, prepare(), at_end=self.presence.leave)
        except BaseException:
            self.presence.leave()
            raise

    @property
    def is_stopping(self) -> bool:
        """Whether the engine is being closed."""
        return self._stopping.is_set()

    def check(self) -> None:
        """Lets others write between two steps, and raises Stopped when the engine is being closed."""
        if self._stopping.wait(PAUSE_SECONDS):
            raise Stopped

    def stop(self) -> None:
        """Ends all work at its next check, and waits for it."""
        with self._lock:
            self._stopping.set()
        self.wait()

    def wait(self) -> None:
        """Returns when nothing is under way."""
        while running := [thread for thread in list(self._running.values()) if thread.is_alive()]:
            for thread in running:
                thread.join()
