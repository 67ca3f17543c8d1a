"""Atomic write transactions, with cancellation reasons and idempotency tokens."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from singletable.engine.items.consumed_capacity import (
    ConsumedUnits,
    Detail,
    add_units,
    capacity_per_table,
    units_of_write,
)
from singletable.engine.items.item_writes import (
    BeforeAndAfter,
    ConditionNotMet,
    PlannedWrite,
    perform,
    perform_fast_path,
)
from singletable.engine.storage.row_checksum import check_record, record_checksum
from singletable.engine.tables.stored_table import EmptyKeyValue, Image
from singletable.engine.traffic.throttling import ThrottledRequest
from singletable.errors import RequestRefused, invalid
from singletable.values.item_size import TRANSACTIONAL, read_units
from singletable.values.limits import TRANSACTION_BYTES_MAX
from singletable.wire.api_types import Shape, decoder_of

TOKEN_SECONDS = 600
WRITE_FACTOR = 2  # a transactional write consumes twice the units: half of them to prepare, and half to commit
Reason = dict[str, Any]
NO_REASON: Reason = {"Code": "None"}


def reject_large_payload(sizes: Iterable[int]) -> None:
    """Raise an error if the actions of a transaction are too large together.

    The tests of Alternator show the first words of DynamoDB's message; the whole message is DynamoDB Local's. The size
    in the message is the sum of the action sizes up to the first action that exceeds the limit.
    """
    for total in accumulate(sizes):
        if total > TRANSACTION_BYTES_MAX:
            raise invalid(f"Transaction payload size cannot exceed 4MB. Payload Size: {total}")


def condition_failed_reason(old: Image | None) -> Reason:
    """Return the cancellation reason for a failed condition, with the old item if the action requested it."""
    reason = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    return reason if old is None else {**reason, "Item": Raw(old.body)}


def invalid_action_reason(error: RequestRefused) -> Reason:
    """Return the cancellation reason for an action that is throttled, or that is invalid for its table or item."""
    code = error.cancellation_code if isinstance(error, ThrottledRequest) else "ValidationError"
    return {"Code": code, "Message": error.message}


def conflict_reason() -> Reason:
    """Return the cancellation reason for an action that conflicts with another transaction."""
    return {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}


def cancelled_error(reasons: list[Reason]) -> RequestRefused:
    """Return the error for a cancelled transaction."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return RequestRefused(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )


def condition_reason(write: PlannedWrite, failure: ConditionNotMet) -> Reason:
    """Return the cancellation reason for a write whose condition failed."""
    return condition_failed_reason(failure.old if write.returns_old_on_failure else None)


def perform_transaction(
    connection: sqlite3.Connection,
    writes: list[PlannedWrite],
    reason: Callable[[PlannedWrite, ConditionNotMet], Reason] = condition_reason,
    *,
    counts: bool = True,
) -> list[BeforeAndAfter]:
    """Perform all writes. If one fails, raise an error that contains a cancellation reason for each write.

    The error rolls back the transaction of the store. Pass `counts=False` if you do not need the capacity. Writes
    without a condition then take the fast path.
    """
    done: list[BeforeAndAfter] = []
    reasons: list[Reason] = []
    for write in writes:
        try:
            if write.takes_fast_path and not counts:
                perform_fast_path(connection, write)
                done.append(BeforeAndAfter(None, write.image))
            else:
                done.append(perform(connection, write, WRITE_FACTOR))
            reasons.append(NO_REASON)
        except ConditionNotMet as failure:
            reasons.append(reason(write, failure))
        except EmptyKeyValue:
            raise
        except RequestRefused as error:
            reasons.append(invalid_action_reason(error))
    if len(done) < len(reasons):
        raise cancelled_error(reasons)
    return done


def transaction_capacity(writes: list[PlannedWrite], done: list[BeforeAndAfter], detail: Detail) -> Any:
    """Return the ConsumedCapacity of a transaction, or UNSET if it is not requested."""
    if detail is None or detail == "NONE":
        return UNSET
    units: dict[str, ConsumedUnits] = {}
    for write, written in zip(writes, done, strict=True):
        add_units(units, write.table.name, units_of_write(write.table, *written, factor=WRITE_FACTOR))
    return capacity_per_table(units, detail, "WriteCapacityUnits")


class ReplayedAction(msgspec.Struct, frozen=True, array_like=True):
    """The table of an action, and its billed size, which is the larger of the item sizes before and after the write."""

    table: str
    size_bytes: int


class Replay(msgspec.Struct, frozen=True):
    """The record of a transaction with an idempotency token.

    If the client repeats the request, the engine builds the response from this record.
    """

    actions: list[ReplayedAction]

    def units(self) -> dict[str, ConsumedUnits]:
        """Return the units that a replay consumes.

        It costs as much as a transactional read of every item (captured from AWS).
        """
        units: dict[str, ConsumedUnits] = {}
        for action in self.actions:
            units.setdefault(action.table, ConsumedUnits()).table += read_units(action.size_bytes, TRANSACTIONAL)
        return units


_read_replay = decoder_of(Replay).decode


def actions_fingerprint(actions: Sequence[Shape]) -> bytes:
    """Return a hash of the actions or statements, which a repeated request must match."""
    return hashlib.sha256(msgspec.json.encode(actions, order="deterministic")).digest()


class UsedToken(NamedTuple):
    """A stored idempotency token: the fingerprint of its request, the time of use, and the encoded replay record."""

    fingerprint: bytes
    at: float
    answer: bytes


def find_token(connection: sqlite3.Connection, token: str) -> UsedToken | None:
    """Return the last use of an idempotency token, or None if it was not used."""
    statement = "SELECT fingerprint, at, answer, checksum FROM tokens WHERE token = ?"
    row = connection.execute(statement, (token,)).fetchone()
    if row is None:
        return None
    check_record(connection, f"the record of the idempotency token {token}", row[3], token, *row[:3])
    return UsedToken(*row[:3])


def save_token(connection: sqlite3.Connection, token: str, fingerprint: bytes, at: float, answer: bytes) -> None:
    """Store the use of an idempotency token, replacing an earlier use."""
    row = (token, fingerprint, float(at), answer)
    connection.execute("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?)", (*row, record_checksum(*row)))


def purge_tokens(connection: sqlite3.Connection, before: float) -> None:
    """Delete the idempotency tokens that were last used before the given time."""
    connection.execute("DELETE FROM tokens WHERE at < ?", (before,))


def find_replay(connection: sqlite3.Connection, token: str, fingerprint: bytes, now: float) -> Replay | None:
    """Return the record of a token used in the last ten minutes. Reject a different request with the same token."""
    stored = find_token(connection, token)
    if stored is None or now - stored.at >= TOKEN_SECONDS:
        return None
    if stored.fingerprint != fingerprint:
        raise RequestRefused(
            "IdempotentParameterMismatchException",
            "The request uses the same client token as a previous, but non-identical request. "
            "Do not reuse a client token with different requests, unless the requests are identical",
        )
    return _read_replay(stored.answer)


def remember_token(connection: sqlite3.Connection, token: str, fingerprint: bytes, now: float, replay: Replay) -> None:
    """Save the idempotency token within the transaction that uses it, and delete expired tokens."""
    purge_tokens(connection, now - TOKEN_SECONDS)
    save_token(connection, token, fingerprint, now, msgspec.json.encode(replay))


def replay_record(writes: list[PlannedWrite], done: list[BeforeAndAfter]) -> Replay:
    """Return the record of a transaction with an idempotency token."""
    sizes = [max(image.size if image else 0 for image in written) for written in done]
    return Replay([ReplayedAction(write.table.name, size) for write, size in zip(writes, sizes, strict=True)])


def replay_capacity(replay: Replay, detail: Detail) -> Any:
    """Return the ConsumedCapacity of a replay, or UNSET if it is not requested. A replay reads every written item."""
    if detail is None or detail == "NONE":
        return UNSET
    return capacity_per_table(replay.units(), detail, "ReadCapacityUnits")
