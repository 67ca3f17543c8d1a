"""GetRecords: reads the change records of a stream from a given position."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.storage.change_log_rows import LoggedChange
from singletable.engine.streams.stream_reading import (
    ShardIterator,
    Stream,
    decode_iterator,
    encode_iterator,
    find_stream,
    record_of,
    trimmed_data_error,
)
from singletable.errors import invalid
from singletable.wire.stream_requests import GetRecords, GetRecordsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

RECORDS_MAX = 1000
PAGE_BYTES_MAX = 1024 * 1024


def get_records(engine: Engine, request: GetRecords) -> GetRecordsResult:
    """Return up to 1,000 records or 1 MB, whichever comes first."""
    if request.limit is not None and request.limit > RECORDS_MAX:
        raise invalid(f"One or more parameter values were invalid: Limit should be less than or equal to {RECORDS_MAX}")
    iterator = decode_iterator(engine, request.shard_iterator)
    with engine.store.snapshot() as connection:
        stream = find_stream(connection, iterator.stream_arn, engine.arn(""))
        position = _position(connection, stream, iterator, engine.now())
        last, is_closed = _end(connection, stream, iterator, engine.shard_records)
        changes = _page(stream.log.between(connection, position, last, request.limit or RECORDS_MAX))
    next_position = changes[-1].sequence + 1 if changes else position
    is_over = is_closed and next_position > last
    return GetRecordsResult(
        records=[record_of(stream, change, engine.region) for change in changes],
        next_shard_iterator=UNSET
        if is_over
        else encode_iterator(engine.signed_tokens, iterator._replace(position=next_position, created_at=engine.now())),
    )


def _end(
    connection: sqlite3.Connection, stream: Stream, iterator: ShardIterator, shard_records: int | None
) -> tuple[int, bool]:
    """Return the last change of the shard, and whether the shard is closed."""
    last = stream.last(connection)
    if shard_records is not None and last >= (end := iterator.shard_first + shard_records - 1):
        return end, True
    return last, stream.row.last is not None


def _position(connection: sqlite3.Connection, stream: Stream, iterator: ShardIterator, now: float) -> int:
    horizon = stream.horizon(connection, now)
    if iterator.position == 0:
        return max(horizon, iterator.shard_first)
    if iterator.position < horizon and iterator.position <= stream.last(connection):
        raise trimmed_data_error()
    return iterator.position


def _page(changes: list[LoggedChange]) -> list[LoggedChange]:
    """Return the first changes that fit into one response, but at least one change if there is any."""
    size = 0
    for position, change in enumerate(changes):
        size += len(change.before or b"") + len(change.after or b"")
        if size > PAGE_BYTES_MAX and position:
            return changes[:position]
    return changes
