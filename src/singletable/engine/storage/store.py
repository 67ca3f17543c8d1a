"""Stores: the tables of an engine in a file or in memory, for several threads and processes at once."""

from __future__ import annotations

from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Self

from singletable.engine.storage import store_format
from singletable.engine.storage.connection_pool import ConnectionPool, Sync
from singletable.engine.storage.group_commit import (
    CurrentGroup,
    GroupCommitBlock,
    GroupRead,
    GroupWrite,
    GroupWriteWithoutSavepoint,
    SeparateCommitsBlock,
)
from singletable.engine.storage.process_locks import WriteWait
from singletable.engine.storage.sqlite_connection import (
    ConnectionSource,
    MemoryConnection,
    ReadSession,
    SnapshotSession,
    WriteSession,
)
from singletable.engine.storage.sqlite_errors import StaleCatalog, WriterBusy
from singletable.errors import StoreRefused, without_secrets

__all__ = ["StaleCatalog", "Store", "Sync", "WriterBusy"]


class Store:
    """A store of tables. Open it with `Store.open`."""

    __slots__ = ("_connections", "_current", "path")

    def __init__(self, connections: ConnectionSource, path: Path | None) -> None:
        self._connections = connections
        self._current = CurrentGroup(connections)
        self.path = path

    @classmethod
    def open(cls, url: str, *, sync: Sync = "normal", create: bool = True) -> Self:
        """Open `memory:` or `file:PATH`, and create the file if it does not exist.

        Without `create`, the file must exist, and its format version stays unchanged.

        With `sync="normal"`, a commit survives a crash of the process. With `"full"`, it also survives a power failure
        after `flush` has returned.
        """
        if url == "memory:":
            return cls(MemoryConnection(), None)
        path = _path_of(url)
        _check_path(path, create=create)
        return cls(ConnectionPool(path, sync, upgrades=create), path)

    @property
    def is_memory(self) -> bool:
        """Whether closing the store discards its data."""
        return self.path is None

    @property
    def waits(self) -> WriteWait:
        """How long the current thread waits for its turn to write. An event loop does not wait at all."""
        return self._connections.waits

    def reading(self) -> ReadSession | GroupRead:
        """Return a read session. Each statement sees the state of the store at the start of the statement."""
        group = self._current.group
        if group is not None and group.connection is not None and group.thread == get_ident():
            return GroupRead(self._connections, group.connection)
        return ReadSession(self._connections)

    def snapshot(self) -> SnapshotSession | GroupRead:
        """Return a snapshot session. All statements see the state of the store at the first statement."""
        group = self._current.group
        if group is not None and group.connection is not None and group.thread == get_ident():
            return GroupRead(self._connections, group.connection)  # no other connection can write meanwhile
        return SnapshotSession(self._connections)

    def writing(self, *, savepoint: bool = True) -> WriteSession | GroupWrite:
        """Return a write session: a transaction that commits at the end of its block, or rolls back after an error.

        Pass `savepoint=False` if the block raises no error after its first change. This is faster in a group commit.
        """
        group = self._current.group
        if group is not None and group.thread == get_ident():
            return (GroupWrite if savepoint else GroupWriteWithoutSavepoint)(self._connections, group)
        return WriteSession(self._connections)

    def group_commit(self) -> GroupCommitBlock:
        """Return a block that commits all writes of this thread together at its end. No write is durable earlier.

        Each `writing` in it still takes effect completely or not at all. Leaving the block raises an error if the
        writes did not take effect.
        """
        return GroupCommitBlock(self._current)

    def separate_commits(self) -> SeparateCommitsBlock:
        """Return a block inside a `group_commit` block. Its writes are committed one by one."""
        return SeparateCommitsBlock(self._current)

    def secret(self) -> bytes:
        """Return the secret key that signs tokens. Clients receive the tokens and send them back later."""
        with self.reading() as connection:
            return store_format.secret(connection)

    def flush(self) -> None:
        """Return when every commit of this process so far is as durable as `sync` promises. Callers share a flush."""
        self._connections.flush()

    def abandon(self, *, within_group: bool = False) -> None:
        """Release everything that the current thread holds, after an interrupt such as KeyboardInterrupt.

        The unfinished write of this thread is rolled back. Pass `within_group=True` inside a `group_commit` block that
        has not ended. Callers call this method again in a `finally` block, because a second interrupt can occur during
        the cleanup.
        """
        self._current.abandon(within_group=within_group)

    def release_memory(self) -> None:
        """Unmap the pages of the file that earlier reads have mapped. The next read maps them again.

        Without this, a read of the whole store would map the whole file, which counts as memory of the process.
        """
        with self.reading() as connection:
            connection.remap()

    def close(self) -> None:
        """Close the store. You can call it twice."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _path_of(url: str) -> Path:
    path = url.removeprefix("file:")
    if path == url or not path:
        raise StoreRefused(f'{without_secrets(url)!r} is not the URL of a store.\n  Use "memory:" or "file:PATH".')
    # SQLite puts the log next to the file that a symbolic link leads to, so the path is resolved here too.
    return Path(path).expanduser().resolve()


def _check_path(path: Path, *, create: bool) -> None:
    """Raise StoreRefused with a specific reason. SQLite would report only that it cannot open the file."""
    if path.is_dir():
        raise StoreRefused(f"{path} is a folder.\n  Use the path of a file in it, such as file:{path / 'store.db'}")
    if path.exists():
        if not path.is_file():
            raise StoreRefused(f"{path} is not a regular file.\n  Use the path of a regular file.")
        return
    if not create:
        raise StoreRefused(f"There is no store at {path}; no file was created.\n  Check the path.")
    if not path.parent.is_dir():
        raise StoreRefused(
            f"There is no folder {path.parent}.\n  Create the folder, or check the path. singletable creates the file "
            "of a store, but not its folder."
        )
