"""Idempotency tokens: what was answered under each, kept in the transaction that it is the token of."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class Token(NamedTuple):
    """The request that a token was used for, when, and what is kept of the answer."""

    fingerprint: bytes
    at: float
    answer: bytes


def find(connection: sqlite3.Connection, token: str) -> Token | None:
    """What is kept under a token."""
    row = connection.execute("SELECT fingerprint, at, answer FROM tokens WHERE token = ?", (token,)).fetchone()
    return None if row is None else Token(*row)


def keep(connection: sqlite3.Connection, token: str, fingerprint: bytes, at: float, answer: bytes) -> None:
    """Keeps a token, in place of an older use of it."""
    connection.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", (token, fingerprint, at, answer))


def purge(connection: sqlite3.Connection, before: float) -> None:
    """Forgets the tokens that were used before a time."""
    connection.execute("DELETE FROM tokens WHERE at < ?", (before,))
