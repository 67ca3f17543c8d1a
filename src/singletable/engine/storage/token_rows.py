"""Idempotency tokens (ClientRequestToken) and their results, stored in the transaction that used them."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class UsedToken(NamedTuple):
    """A used token: the fingerprint of its request, the time of use, and the stored part of the result."""

    fingerprint: bytes
    at: float
    answer: bytes


def find(connection: sqlite3.Connection, token: str) -> UsedToken | None:
    """Return the last use of a token, or None."""
    row = connection.execute("SELECT fingerprint, at, answer FROM tokens WHERE token = ?", (token,)).fetchone()
    return None if row is None else UsedToken(*row)


def save(connection: sqlite3.Connection, token: str, fingerprint: bytes, at: float, answer: bytes) -> None:
    """Store the use of a token, replacing an older one."""
    connection.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", (token, fingerprint, at, answer))


def purge(connection: sqlite3.Connection, before: float) -> None:
    """Delete the tokens that were used before a time."""
    connection.execute("DELETE FROM tokens WHERE at < ?", (before,))
