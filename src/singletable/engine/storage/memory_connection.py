"""The one connection of a store in memory, which its threads share in turn."""

from __future__ import annotations

import threading

from singletable.engine.storage import layout
from singletable.engine.storage.connection import Connection, connect_to_memory
from singletable.errors import StoreRefused


class MemoryConnection:
    """One connection, for one thread at a time, which may take it more than once."""

    name = "memory:"

    def __init__(self) -> None:
        self._connection = connect_to_memory()
        layout.make(self._connection)
        self._lock = threading.RLock()
        self._depth = 0
        self._is_closed = False

    def take(self) -> Connection:
        """The connection, for the calling thread alone until it is given back."""
        self._lock.acquire()
        if self._is_closed:
            self._lock.release()
            raise StoreRefused("The store is closed, and what was in memory is gone.")
        self._depth += 1
        return self._connection

    def give(self, connection: Connection) -> None:
        """Takes the connection back."""
        self._depth -= 1
        if self._depth == 0 and connection.open_ranges:
            connection.end_ranges()
        self._lock.release()

    take_to_write = take
    give_written = give

    def committed(self, connection: Connection) -> None:
        """Notes a commit: nothing is to be done."""

    def flush(self) -> None:
        """Returns at once: nothing in memory survives anything."""

    def close(self) -> None:
        """Forgets everything; it may be called twice."""
        with self._lock:
            self._is_closed = True
            self._connection.close()
