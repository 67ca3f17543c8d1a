"""What one does with a store at a time: a read, several reads that see the same moment, or a write."""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Protocol

from singletable.engine.storage.connection import Connection
from singletable.engine.storage.refusals import meaning


class Connections(Protocol):
    """Where connections come from."""

    @property
    def name(self) -> str:
        """The store, as its user knows it."""
        ...

    def take(self) -> Connection:
        """A connection for the caller alone, until it is given back."""
        ...

    def give(self, connection: Connection) -> None:
        """Takes a connection back."""
        ...

    def take_to_write(self) -> Connection:
        """The same, for the one writer of the process."""
        ...

    def give_written(self, connection: Connection) -> None:
        """Takes back the connection of the writer."""
        ...

    def committed(self, connection: Connection) -> None:
        """Notes a commit of the writer."""
        ...

    def flush(self) -> None:
        """Returns when every commit so far is as durable as was asked for."""
        ...

    def close(self) -> None:
        """Closes every connection."""
        ...


class Reading:
    """A connection to read with: each statement sees the store as it is when the statement begins."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> Connection:
        self._connection = connection = self._connections.take()
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connections.give(self._connection)
        if error is not None:
            _raise_meaning(error, self._connections)


class Snapshot:
    """A connection on which all statements see the store as it is at the first of them."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> Connection:
        self._connection = connection = self._connections.take()
        connection.execute("BEGIN")
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            _roll_back(self._connection)
        finally:
            self._connections.give(self._connection)
        if error is not None:
            _raise_meaning(error, self._connections)


class Writing:
    """A connection in a transaction that is committed at the end, or rolled back whole when anything is raised."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> Connection:
        self._connection = connection = self._connections.take_to_write()
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.moment = None
        except BaseException as error:
            self._connections.give_written(connection)
            _raise_meaning(error, self._connections)
            raise
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.end_ranges()
        try:
            if error is None:
                connection.execute("COMMIT")
                self._connections.committed(connection)
        except sqlite3.Error as failure:
            _raise_meaning(failure, self._connections)
            raise
        finally:
            try:
                _roll_back(connection)
            finally:
                self._connections.give_written(connection)
        if error is not None:
            _raise_meaning(error, self._connections)


def _roll_back(connection: Connection) -> None:
    """Ends a transaction that is still open; SQLite ends it itself when the disk is full, for one."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _raise_meaning(error: BaseException, connections: Connections) -> None:
    instead = meaning(error, connections.name)
    if instead is not None:
        raise instead from error
