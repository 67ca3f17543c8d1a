"""GetShardIterator: returns a position in a stream from which GetRecords can read."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from singletable.engine.streams.stream_reading import (
    ShardIterator,
    Stream,
    encode_iterator,
    find_stream,
    sequence_of,
    trimmed_data_error,
)
from singletable.errors import RequestRefused, invalid
from singletable.wire.stream_requests import GetShardIterator, GetShardIteratorResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def get_shard_iterator(engine: Engine, request: GetShardIterator) -> GetShardIteratorResult:
    """Return an iterator at the start or the end of the shard, or at or after a given record.

    Raise an error if that record is older than the retention period and was deleted.
    """
    with engine.store.snapshot() as connection:
        stream = find_stream(connection, request.stream_arn, engine.arn(""))
        if request.shard_id != stream.shard:
            raise RequestRefused("ResourceNotFoundException", "Shard does not exist")
        position = _position(connection, stream, request, engine.now())
    return GetShardIteratorResult(
        shard_iterator=encode_iterator(engine.signed_tokens, ShardIterator(stream.arn, position, engine.now()))
    )


def _position(connection: sqlite3.Connection, stream: Stream, request: GetShardIterator, now: float) -> int:
    kind = request.shard_iterator_type
    if kind in ("TRIM_HORIZON", "LATEST"):
        if request.sequence_number is not None:
            raise invalid(f"{_INVALID}SequenceNumber should not be passed for this iterator type")
        return 0 if kind == "TRIM_HORIZON" else stream.last(connection) + 1
    sequence = None if request.sequence_number is None else sequence_of(request.sequence_number)
    if sequence is None:
        raise invalid(f"{_INVALID}Invalid SequenceNumber")
    if not stream.row.first <= sequence <= max(stream.row.first, stream.last(connection)):
        raise invalid("Invalid SequenceNumber for the shard")
    if sequence < stream.horizon(connection, now):
        raise trimmed_data_error()
    return sequence if kind == "AT_SEQUENCE_NUMBER" else sequence + 1
