"""Group commit: the writes of several requests in one transaction, each with a savepoint to roll back to.

A commit takes longer than most writes. The HTTP server processes several requests at a time. It makes one commit for
all of them and then sends the responses.
"""

from __future__ import annotations

import sqlite3
from threading import get_ident
from types import TracebackType
from typing import Self

from singletable.engine.storage.sqlite_connection import (
    ConnectionSource,
    StoreConnection,
    begin_write,
    raise_translated,
)
from singletable.engine.storage.sqlite_errors import StaleCatalog, WriterBusy, is_busy, translate_error
from singletable.errors import StoreRefused

_INTERRUPTED = "a write of this group commit was interrupted; none of its writes took effect"


class GroupCommit:
    """The group commit of one thread. Its first write starts the transaction."""

    __slots__ = ("_connections", "_failure", "connection", "is_writing", "thread")

    def __init__(self, connections: ConnectionSource) -> None:
        self._connections = connections
        self._failure: BaseException | None = None
        self.connection: StoreConnection | None = None
        self.is_writing = False
        """Whether a write of the group has started and not ended."""
        self.thread = get_ident()

    def write_connection(self) -> StoreConnection:
        """Return the connection of the group, in its transaction."""
        if self._failure is not None:
            raise StoreRefused(f"an earlier write in the same group commit failed: {self._failure}") from self._failure
        if self.connection is None:
            self.connection = self._begin()
        return self.connection

    def _begin(self) -> StoreConnection:
        try:
            connection = self._connections.acquire_writer()
            try:
                begin_write(connection, self._connections)
            except BaseException:
                self._connections.release_writer(connection)
                raise
        except WriterBusy:
            raise  # nothing has started, so a later write of the group can try again
        except BaseException as error:
            if self._connections.waits.seconds == 0 and is_busy(error):
                raise WriterBusy(self._connections.name) from error
            self.fail(error)
            raise translate_error(error, self._connections.name) or error from None
        return connection

    def fail(self, error: BaseException) -> None:
        """Record that the whole transaction is or will be rolled back, so that no write of the group takes effect."""
        if not isinstance(error, Exception):
            error = StoreRefused(_INTERRUPTED)
        self._failure = self._failure or translate_error(error, self._connections.name) or error

    def finish(self) -> None:
        """Commit if there were writes. Raise an error if they did not take effect."""
        connection, self.connection = self.connection, None
        try:
            if connection is not None:
                self._commit(connection)
        except sqlite3.Error as error:
            self.fail(error)
        if self._failure is not None:
            raise self._failure

    def _commit(self, connection: StoreConnection) -> None:
        try:
            if self._failure is None:
                connection.execute("COMMIT")
                self._connections.after_commit(connection)
        finally:
            self._connections.release_writer(connection)


class GroupRead:
    """A read on the connection of the group, which sees the group's writes."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: ConnectionSource, connection: StoreConnection) -> None:
        self._connections = connections
        self._connection = connection

    def __enter__(self) -> StoreConnection:
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close_cursors()
        if error is not None:
            raise_translated(error, self._connections)


class GroupWrite:
    """A write in the transaction of the group, with a savepoint. An error rolls back only this write."""

    __slots__ = ("_connection", "_connections", "_group")

    def __init__(self, connections: ConnectionSource, group: GroupCommit) -> None:
        self._connections = connections
        self._group = group

    def __enter__(self) -> StoreConnection:
        self._connection = connection = self._group.write_connection()
        self._group.is_writing = True
        connection.execute("SAVEPOINT one")
        connection.moment = None
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.close_cursors()
        if error is None:
            connection.execute("RELEASE one")
            self._group.is_writing = False
            return
        if connection.in_transaction:
            connection.execute("ROLLBACK TO one")
            connection.execute("RELEASE one")
        else:
            self._group.fail(error)
        self._group.is_writing = False
        raise_translated(error, self._connections)


class GroupWriteWithoutSavepoint(GroupWrite):
    """A write without a savepoint, because only a failure of the store can stop it part-way.

    A savepoint costs a sixth of a small write. If the write raises an error after a change, the whole group is rolled
    back.
    """

    __slots__ = ("_changes",)

    def __enter__(self) -> StoreConnection:
        self._connection = connection = self._group.write_connection()
        self._group.is_writing = True
        self._changes = connection.total_changes
        connection.moment = None
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        connection = self._connection
        connection.close_cursors()
        if error is None:
            self._group.is_writing = False
            return
        if not connection.in_transaction or connection.total_changes != self._changes:
            self._group.fail(error)
        self._group.is_writing = False
        raise_translated(error, self._connections)


class GroupCommitBlock:
    """A block that commits all writes of this thread together at its end."""

    __slots__ = ("_current", "_group")

    def __init__(self, current: CurrentGroup) -> None:
        self._current = current
        self._group: GroupCommit | None = None

    def __enter__(self) -> Self:
        if self._current.group is None:  # if another thread has a group, each write in this block commits separately
            self._group = GroupCommit(self._current.connections)
            self._current.group = self._group
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        group = self._group
        if group is not None:
            if self._current.group is group:
                self._current.group = None
            if error is not None:
                group.fail(error)
            try:
                group.finish()
            except (StoreRefused, StaleCatalog):
                if error is None or isinstance(error, Exception):
                    raise  # an interrupt is raised unchanged


class SeparateCommitsBlock:
    """A block inside a group commit, for writes that cannot wait.

    It commits the group so far, then each write separately.
    """

    __slots__ = ("_current", "_group")

    def __init__(self, current: CurrentGroup) -> None:
        self._current = current
        self._group: GroupCommit | None = None

    def __enter__(self) -> Self:
        group = self._current.group
        if group is not None and group.thread == get_ident():
            group.finish()
            self._group, self._current.group = group, None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._group is not None:
            self._current.group = self._group


class CurrentGroup:
    """The group commit in progress in a store, if there is one."""

    __slots__ = ("connections", "group")

    def __init__(self, connections: ConnectionSource) -> None:
        self.connections = connections
        self.group: GroupCommit | None = None

    def abandon(self, *, within_group: bool) -> None:
        """Release everything that the current thread holds. An interrupted group is rolled back as a whole.

        With `within_group`, a group survives an error between two of its writes, because its block is still running.
        """
        group = self.group
        if group is not None and group.thread == get_ident():
            if within_group and group.connection is not None and not group.is_writing:
                return
            group.fail(StoreRefused(_INTERRUPTED))  # first, because a second interrupt can end this cleanup
            group.connection = None
            self.group = None
        self.connections.abandon()
