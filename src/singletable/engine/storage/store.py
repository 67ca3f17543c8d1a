"""Stores: where an engine keeps its tables, in a file or in memory, for several threads and processes at once."""

from __future__ import annotations

from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Self

from singletable.engine.storage import layout
from singletable.engine.storage.connection_pool import ConnectionPool, Sync
from singletable.engine.storage.memory_connection import MemoryConnection
from singletable.engine.storage.refusals import StaleCatalog
from singletable.engine.storage.round import (
    Apart,
    CertainInRound,
    HoldsRound,
    ReadingInRound,
    Together,
    WritingInRound,
)
from singletable.engine.storage.sessions import Connections, Reading, Snapshot, Writing
from singletable.errors import StoreRefused

__all__ = ["StaleCatalog", "Store", "Sync"]


class Store:
    """A place for tables; `Store.open` makes one."""

    __slots__ = ("_connections", "_rounds", "path")

    def __init__(self, connections: Connections, path: Path | None) -> None:
        self._connections = connections
        self._rounds = HoldsRound(connections)
        self.path = path

    @classmethod
    def open(cls, url: str, *, sync: Sync = "normal", create: bool = True) -> Self:
        """Opens `memory:` or `file:PATH`, and makes the file where there is none.

        Without `create` the file has to be there, and is left in the version that it has.

        With `sync="normal"` a commit survives the death of the process; with `"full"`, once `flush` has returned, also
        the loss of power.
        """
        if url == "memory:":
            return cls(MemoryConnection(), None)
        path = _path_of(url)
        _refuse_unfit(path, create=create)
        return cls(ConnectionPool(path, sync, upgrades=create), path)

    @property
    def is_memory(self) -> bool:
        """Whether everything is gone when the store is closed."""
        return self.path is None

    def reading(self) -> Reading | ReadingInRound:
        """A connection to read with: each statement sees the store as it is when the statement begins."""
        together = self._rounds.round
        if together is not None and together.connection is not None and together.thread == get_ident():
            return ReadingInRound(self._connections, together.connection)
        return Reading(self._connections)

    def snapshot(self) -> Snapshot | ReadingInRound:
        """A connection on which all statements see the store as it is at the first of them."""
        together = self._rounds.round
        if together is not None and together.connection is not None and together.thread == get_ident():
            return ReadingInRound(self._connections, together.connection)  # nobody else can write
        return Snapshot(self._connections)

    def writing(self, *, certain: bool = False) -> Writing | WritingInRound:
        """A connection in a transaction that is committed at the end, or rolled back whole when anything is raised.

        A caller who is `certain` raises nothing after the first change. It costs less, where others write together.
        """
        together = self._rounds.round
        if together is not None and together.thread == get_ident():
            return (CertainInRound if certain else WritingInRound)(self._connections, together)
        return Writing(self._connections)

    def together(self) -> Together:
        """A block whose writes, by this thread, are committed together at its end; nothing is durable before.

        Each `writing` in it is still done whole or not at all. The end raises when what was written is not there.
        """
        return Together(self._rounds)

    def apart(self) -> Apart:
        """A block inside of `together` whose writes are committed one by one, as everywhere else."""
        return Apart(self._rounds)

    def secret(self) -> bytes:
        """What the store signs with whatever it hands out and takes back."""
        with self.reading() as connection:
            return layout.secret(connection)

    def flush(self) -> None:
        """Returns when every commit of this process so far is as durable as `sync` promises; callers share the work."""
        self._connections.flush()

    def close(self) -> None:
        """Closes the store; it may be called twice."""
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
        raise StoreRefused(f'{url!r} names no store.\n  Say "memory:", or "file:" and the path of a file.')
    # SQLite puts the log beside the file that a link leads to, and so do we look for it there.
    return Path(path).expanduser().resolve()


def _refuse_unfit(path: Path, *, create: bool) -> None:
    """Says in plain words what SQLite would only call unable to open."""
    if path.is_dir():
        raise StoreRefused(f"{path} is a folder.\n  Name a file in it, such as file:{path / 'store.db'}")
    if path.exists():
        if not path.is_file():
            raise StoreRefused(f"{path} is neither a file nor a folder.\n  Name a file for the store.")
        return
    if not create:
        raise StoreRefused(f"There is no store at {path}.\n  Look at the path; nothing was made.")
    if not path.parent.is_dir():
        raise StoreRefused(
            f"There is no folder {path.parent}.\n  Make it first, or look at the path: a store makes its file alone."
        )
