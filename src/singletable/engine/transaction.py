"""What every transaction of writes does, in actions or in statements: all of them or none, once for each token."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from singletable.engine.cancellation import NO_REASON, Reason, cancelled, failed_condition, invalid_action
from singletable.engine.capacity import Consumed, Detail, add, told_of_each
from singletable.engine.idempotency import Replay, ReplayedAction
from singletable.engine.item_write import ConditionFailed, PlannedWrite, Written, perform, perform_blind
from singletable.engine.table import EmptyKeyValue
from singletable.engine.write import consumed
from singletable.errors import RequestRefused

WRITE_FACTOR = 2  # a transaction writes twice: it prepares, and it commits


def condition_reason(write: PlannedWrite, failure: ConditionFailed) -> Reason:
    """The reason of an action whose condition does not hold."""
    return failed_condition(failure.old if write.returns_old_on_failure else None)


def performed(
    connection: sqlite3.Connection,
    writes: list[PlannedWrite],
    reason: Callable[[PlannedWrite, ConditionFailed], Reason] = condition_reason,
    *,
    counts: bool = True,
) -> list[Written]:
    """Does every action; when one cannot be done, all are undone and each has its reason.

    Unless the transaction is counted, nobody looks at what a write without a condition has overwritten.
    """
    done: list[Written] = []
    reasons: list[Reason] = []
    for write in writes:
        try:
            if write.is_blind and not counts:
                perform_blind(connection, write)
                done.append(Written(None, write.image))
            else:
                done.append(perform(connection, write, WRITE_FACTOR))
            reasons.append(NO_REASON)
        except ConditionFailed as failure:
            reasons.append(reason(write, failure))
        except EmptyKeyValue:
            raise
        except RequestRefused as refusal:
            reasons.append(invalid_action(refusal))
    if len(done) < len(reasons):
        raise cancelled(reasons)
    return done


def consumed_by_all(writes: list[PlannedWrite], done: list[Written], detail: Detail) -> Any:
    """ConsumedCapacity of a transaction, if it is asked for."""
    if detail is None or detail == "NONE":
        return UNSET
    units: dict[str, Consumed] = {}
    for write, written in zip(writes, done, strict=True):
        add(units, write.table.name, consumed(write.table, *written, factor=WRITE_FACTOR))
    return told_of_each(units, detail, "WriteCapacityUnits")


def replay_kept(writes: list[PlannedWrite], done: list[Written]) -> Replay:
    """What is kept of a transaction that has a token."""
    sizes = [max(image.size if image else 0 for image in written) for written in done]
    return Replay([ReplayedAction(write.table.name, size) for write, size in zip(writes, sizes, strict=True)])


def consumed_by_replay(replay: Replay, detail: Detail) -> Any:
    """The same for a token that was seen: nothing is written, and reading what was written is what it costs."""
    if detail is None or detail == "NONE":
        return UNSET
    return told_of_each(replay.units(), detail, "ReadCapacityUnits")
