"""Rounds: the writes of several requests in one transaction, each of which can still be undone by itself.

A commit takes longer than most writes. Who answers several requests at a time makes one commit for all of them, and
sends the answers after it.
"""

from __future__ import annotations

import sqlite3
from threading import get_ident
from types import TracebackType
from typing import Self

from singletable.engine.storage.connection import Connection
from singletable.engine.storage.refusals import meaning
from singletable.engine.storage.sessions import Connections
from singletable.errors import StoreRefused


class Round:
    """What one thread does between the beginning and the end of a round; the first write begins the transaction."""

    __slots__ = ("_connections", "_failure", "connection", "thread")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._failure: BaseException | None = None
        self.connection: Connection | None = None
        self.thread = get_ident()

    def connection_to_write(self) -> Connection:
        """The connection of the round, in its transaction."""
        if self._failure is not None:
            raise StoreRefused(f"an earlier write of the same round failed: {self._failure}") from self._failure
        if self.connection is None:
            self.connection = self._begun()
        return self.connection

    def _begun(self) -> Connection:
        try:
            connection = self._connections.take_to_write()
            try:
                connection.execute("BEGIN IMMEDIATE")
            except BaseException:
                self._connections.give_written(connection)
                raise
        except BaseException as error:
            self.failed(error)
            raise meaning(error, self._connections.name) or error from None
        return connection

    def failed(self, error: BaseException) -> None:
        """Notes that SQLite has undone the whole transaction, so that nothing in this round has happened."""
        self._failure = self._failure or meaning(error, self._connections.name) or error

    def finish(self) -> None:
        """Commits, if anything was written; raises when anything that was written is not there."""
        connection, self.connection = self.connection, None
        try:
            if connection is not None:
                self._commit(connection)
        except sqlite3.Error as error:
            self.failed(error)
        if self._failure is not None:
            raise self._failure

    def _commit(self, connection: Connection) -> None:
        try:
            if self._failure is None:
                connection.execute("COMMIT")
                self._connections.committed(connection)
        finally:
            try:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            finally:
                self._connections.give_written(connection)


class ReadingInRound:
    """A read on the connection of the round, which sees what the round has written."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections, connection: Connection) -> None:
        self._connections = connections
        self._connection = connection

    def __enter__(self) -> Connection:
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.end_ranges()
        instead = None if error is None else meaning(error, self._connections.name)
        if instead is not None:
            raise instead from error


class WritingInRound:
    """A write in the transaction of the round, which is undone alone when anything is raised."""

    __slots__ = ("_connection", "_connections", "_round")

    def __init__(self, connections: Connections, together: Round) -> None:
        self._connections = connections
        self._round = together

    def __enter__(self) -> Connection:
        self._connection = connection = self._round.connection_to_write()
        connection.execute("SAVEPOINT one")
        connection.moment = None
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.end_ranges()
        if error is None:
            connection.execute("RELEASE one")
            return
        if connection.in_transaction:
            connection.execute("ROLLBACK TO one")
            connection.execute("RELEASE one")
        else:
            self._round.failed(error)
        instead = meaning(error, self._connections.name)
        if instead is not None:
            raise instead from error


class CertainInRound(WritingInRound):
    """The same for a write that raises before it changes anything or not at all, unless the store itself fails.

    Then nothing has to be undone alone, and it does without what that costs: a sixth of a small write. Should it raise
    after a change all the same, the whole round is undone.
    """

    __slots__ = ("_changes",)

    def __enter__(self) -> Connection:
        self._connection = connection = self._round.connection_to_write()
        self._changes = connection.total_changes
        connection.moment = None
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.end_ranges()
        if error is None:
            return
        if not connection.in_transaction or connection.total_changes != self._changes:
            self._round.failed(error)
        instead = meaning(error, self._connections.name)
        if instead is not None:
            raise instead from error


class Together:
    """The block of a round: what is written in it by this thread is committed at its end, all at once."""

    __slots__ = ("_holder", "_is_ours")

    def __init__(self, holder: HoldsRound) -> None:
        self._holder = holder
        self._is_ours = False

    def __enter__(self) -> Self:
        if self._holder.round is None:  # another thread may have one: then every write is committed by itself here
            self._holder.round = Round(self._holder.connections)
            self._is_ours = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            together, self._holder.round = self._holder.round, None
            assert together is not None
            if error is not None:
                together.failed(error)
            together.finish()


class Apart:
    """A block in a round for what cannot wait: commits the round so far, and everything in the block by itself."""

    __slots__ = ("_holder", "_round")

    def __init__(self, holder: HoldsRound) -> None:
        self._holder = holder
        self._round: Round | None = None

    def __enter__(self) -> Self:
        together = self._holder.round
        if together is not None and together.thread == get_ident():
            together.finish()
            self._round, self._holder.round = together, None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._round is not None:
            self._holder.round = self._round


class HoldsRound:
    """Where the round is that is under way, if one is."""

    __slots__ = ("connections", "round")

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self.round: Round | None = None
