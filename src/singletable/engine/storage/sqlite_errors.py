"""SQLite errors, translated into the errors of a store."""

from __future__ import annotations

import re
import sqlite3

from singletable.errors import StoreRefused

_PRIMARY_CODE = 0xFF
# Errors that our statements raise only if the schema or a text is damaged; SQLite gives them no code of their own.
_DAMAGED_SCHEMA = re.compile(
    "^no such column|has no column named|^table .* has .* columns|^Could not decode|^unsupported file format"
)

_REASONS = {
    sqlite3.SQLITE_NOTADB: (
        "is not a SQLite database, so it cannot be a singletable store",
        "Choose another path; singletable creates the store when the file does not exist.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "is corrupt or truncated",
        "Restore the file from a copy that was made while the store was closed.",
    ),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Check that you may read and write the file and its folder."),
    sqlite3.SQLITE_PERM: ("cannot be opened", "Check that you may read and write the file and its folder."),
    sqlite3.SQLITE_READONLY: (
        "is read-only, or was moved while it was open",
        "Check that the file is still at this path, and that you may write to it and its folder.",
    ),
    sqlite3.SQLITE_BUSY: (
        "has been locked by another process for a minute",
        "Find the process that has the file open (with lsof or fuser), and stop it or let it finish.",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot grow: the disk is full",
        "This write changed nothing, and the existing data is intact. Free disk space, then repeat the write.",
    ),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "Check the disk; the store contains every confirmed write."),
}


class StaleCatalog(Exception):  # internal exception: the engine catches it and reloads the catalog
    """A tree does not exist under its name, because another process has changed or dropped its table."""


class WriterBusy(Exception):  # internal exception: the event loop catches it and runs the request in a thread
    """Another thread or process is writing, and the current thread must not wait for it."""


def translate_error(error: BaseException, store: str) -> Exception | None:
    """Return the error to raise instead of a SQLite error, or None to raise the original."""
    if isinstance(error, UnicodeDecodeError):  # damaged text, which SQLite's own message can quote
        what, remedy = _REASONS[sqlite3.SQLITE_CORRUPT]
        return StoreRefused(f"{store} {what}.\n  {remedy}")
    if not isinstance(error, sqlite3.Error):
        return None
    if str(error).startswith("no such table"):
        return StaleCatalog(str(error))
    code = getattr(error, "sqlite_errorcode", None)
    if _DAMAGED_SCHEMA.search(str(error)) is not None:
        code = sqlite3.SQLITE_CORRUPT
    reason = None if code is None else _REASONS.get(code & _PRIMARY_CODE)
    if reason is None:
        return None
    what, remedy = reason
    return StoreRefused(f"{store} {what} (SQLite: {error}).\n  {remedy}")


def is_busy(error: BaseException) -> bool:
    """Return whether another connection blocks this one. A retry may succeed."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.Error) and code is not None and code & _PRIMARY_CODE == sqlite3.SQLITE_BUSY


def lock_timeout_error(store: str) -> StoreRefused:
    """Return the error for a writer that waited too long for the write lock."""
    what, remedy = _REASONS[sqlite3.SQLITE_BUSY]
    return StoreRefused(f"{store} {what}.\n  {remedy}")
