"""Idempotency tokens: a transaction that is sent again within ten minutes is answered, not done again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence

import msgspec

from singletable.engine.capacity import Consumed
from singletable.engine.storage import tokens
from singletable.errors import RequestRefused
from singletable.values.capacity_units import TRANSACTIONAL, read_units
from singletable.wire.decoders import decoder_of
from singletable.wire.shape import Shape

TOKEN_SECONDS = 600


class ReplayedAction(msgspec.Struct, frozen=True, array_like=True):
    """The table of an action and the size it was counted by, the larger of before and after."""

    table: str
    size_bytes: int


class Replay(msgspec.Struct, frozen=True):
    """What is kept of a transaction for the case that it is sent again."""

    actions: list[ReplayedAction]

    def units(self) -> dict[str, Consumed]:
        """What a replay consumes: a transactional read of every item (captured)."""
        units: dict[str, Consumed] = {}
        for action in self.actions:
            units.setdefault(action.table, Consumed()).table += read_units(action.size_bytes, TRANSACTIONAL)
        return units


_read_replay = decoder_of(Replay).decode


def fingerprint_of(actions: Sequence[Shape]) -> bytes:
    """What must be the same for a request to be the same request: its actions, or its statements."""
    return hashlib.sha256(msgspec.json.encode(actions, order="deterministic")).digest()


def replay_of(connection: sqlite3.Connection, token: str, fingerprint: bytes, now: float) -> Replay | None:
    """What was kept under the token in the last ten minutes; refuses another request with the same token."""
    kept = tokens.find(connection, token)
    if kept is None or now - kept.at >= TOKEN_SECONDS:
        return None
    if kept.fingerprint != fingerprint:
        raise RequestRefused(
            "IdempotentParameterMismatchException",
            "The request uses the same client token as a previous, but non-identical request. "
            "Do not reuse a client token with different requests, unless the requests are identical",
        )
    return _read_replay(kept.answer)


def remember(connection: sqlite3.Connection, token: str, fingerprint: bytes, now: float, replay: Replay) -> None:
    """Keeps the token with the writes of its transaction, and lets go of those that are too old to count."""
    tokens.purge(connection, now - TOKEN_SECONDS)
    tokens.keep(connection, token, fingerprint, now, msgspec.json.encode(replay))
