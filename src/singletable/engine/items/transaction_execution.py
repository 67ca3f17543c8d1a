"""Write transactions: all or nothing, with cancellation reasons and idempotency tokens."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

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
from singletable.engine.storage import token_rows
from singletable.engine.tables.stored_table import EmptyKeyValue, Image
from singletable.engine.traffic.throttling import ThrottledRequest
from singletable.errors import RequestRefused
from singletable.values.item_size import TRANSACTIONAL, read_units
from singletable.wire.api_types import Shape
from singletable.wire.decoders import decoder_of

TOKEN_SECONDS = 600
WRITE_FACTOR = 2  # a transactional write costs two units: prepare and commit
Reason = dict[str, Any]
NO_REASON: Reason = {"Code": "None"}


def condition_failed_reason(old: Image | None) -> Reason:
    """Return the reason of a failed condition, with the old item if the action requested it."""
    reason = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    return reason if old is None else {**reason, "Item": Raw(old.body)}


def invalid_action_reason(error: RequestRefused) -> Reason:
    """Return the reason of an action that is invalid for the table or item, or throttled."""
    code = error.cancellation_code if isinstance(error, ThrottledRequest) else "ValidationError"
    return {"Code": code, "Message": error.message}


def conflict_reason() -> Reason:
    """Return the reason of an action that conflicts with another transaction."""
    return {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}


def cancelled_error(reasons: list[Reason]) -> RequestRefused:
    """Return the error of a cancelled transaction."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return RequestRefused(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )


def condition_reason(write: PlannedWrite, failure: ConditionNotMet) -> Reason:
    """Return the reason of a write whose condition failed."""
    return condition_failed_reason(failure.old if write.returns_old_on_failure else None)


def perform_transaction(
    connection: sqlite3.Connection,
    writes: list[PlannedWrite],
    reason: Callable[[PlannedWrite, ConditionNotMet], Reason] = condition_reason,
    *,
    counts: bool = True,
) -> list[BeforeAndAfter]:
    """Perform all writes; if one fails, raise the error with a reason for each, which rolls back the transaction.

    With `counts` false, the capacity is not needed, so writes without a condition take the fast path.
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
    """The table of an action and the billed size: the larger of before and after."""

    table: str
    size_bytes: int


class Replay(msgspec.Struct, frozen=True):
    """The record of a transaction with a token, needed if the client sends it again."""

    actions: list[ReplayedAction]

    def units(self) -> dict[str, ConsumedUnits]:
        """Return the units of a replay: a transactional read of every item (captured from AWS)."""
        units: dict[str, ConsumedUnits] = {}
        for action in self.actions:
            units.setdefault(action.table, ConsumedUnits()).table += read_units(action.size_bytes, TRANSACTIONAL)
        return units


_read_replay = decoder_of(Replay).decode


def actions_fingerprint(actions: Sequence[Shape]) -> bytes:
    """Return a hash of the actions or statements, which a repeated request must match."""
    return hashlib.sha256(msgspec.json.encode(actions, order="deterministic")).digest()


def find_replay(connection: sqlite3.Connection, token: str, fingerprint: bytes, now: float) -> Replay | None:
    """Return the record of a token used in the last ten minutes; reject a different request with the same token."""
    stored = token_rows.find(connection, token)
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
    """Save the token in its transaction, and delete expired tokens."""
    token_rows.purge(connection, now - TOKEN_SECONDS)
    token_rows.save(connection, token, fingerprint, now, msgspec.json.encode(replay))


def replay_record(writes: list[PlannedWrite], done: list[BeforeAndAfter]) -> Replay:
    """Return the record of a transaction with a token."""
    sizes = [max(image.size if image else 0 for image in written) for written in done]
    return Replay([ReplayedAction(write.table.name, size) for write, size in zip(writes, sizes, strict=True)])


def replay_capacity(replay: Replay, detail: Detail) -> Any:
    """Return the ConsumedCapacity of a replay, which costs reads of the written items, or UNSET."""
    if detail is None or detail == "NONE":
        return UNSET
    return capacity_per_table(replay.units(), detail, "ReadCapacityUnits")
