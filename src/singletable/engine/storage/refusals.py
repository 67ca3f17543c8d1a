"""What SQLite's errors mean for a store: a catalog that is out of date, or a store that is out of reach."""

from __future__ import annotations

import sqlite3

from singletable.errors import StoreRefused

_PRIMARY_CODE = 0xFF

_REASONS = {
    sqlite3.SQLITE_NOTADB: (
        "is no singletable store, nor any other SQLite database",
        "Name another path; a store is made where there is no file yet.",
    ),
    sqlite3.SQLITE_CORRUPT: ("is damaged or cut short", "Bring it back from a copy that was made while it was closed."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Look whether the folder and the file are yours to read and write."),
    sqlite3.SQLITE_PERM: ("cannot be opened", "Look whether the folder and the file are yours to read and write."),
    sqlite3.SQLITE_READONLY: (
        "cannot be written, or was moved away while it was open",
        "Look whether the file is where it was, and whether it and its folder are yours to write.",
    ),
    sqlite3.SQLITE_BUSY: (
        "has been held by another process for a minute",
        "Find the process that has it open (lsof, fuser) and let it finish or end it.",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot grow: the disk is full",
        "Make room; nothing was written, and what is there is whole.",
    ),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "Look at the disk; nothing was answered that is not there."),
}


class StaleCatalog(Exception):  # it is caught by the engine, which looks at the catalog again, and never seen by users
    """A tree is not there under its name: another process has changed or dropped its table."""


def meaning(error: BaseException, store: str) -> Exception | None:
    """The error to raise in place of one of SQLite's; None when it stands for itself."""
    if not isinstance(error, sqlite3.Error):
        return None
    if str(error).startswith("no such table"):
        return StaleCatalog(str(error))
    code = getattr(error, "sqlite_errorcode", None)
    reason = None if code is None else _REASONS.get(code & _PRIMARY_CODE)
    if reason is None:
        return None
    what, remedy = reason
    return StoreRefused(f"{store} {what} (SQLite: {error}).\n  {remedy}")


def is_busy(error: BaseException) -> bool:
    """Whether SQLite says that another connection is in the way, which may be over in a moment."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.Error) and code is not None and code & _PRIMARY_CODE == sqlite3.SQLITE_BUSY


def held_too_long(store: str) -> StoreRefused:
    """The refusal of a writer whose turn did not come."""
    what, remedy = _REASONS[sqlite3.SQLITE_BUSY]
    return StoreRefused(f"{store} {what}.\n  {remedy}")
