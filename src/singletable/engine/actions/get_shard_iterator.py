"""GetShardIterator: returns a position in a stream from which GetRecords can read."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from singletable.engine.streams.stream_reading import (
    ShardIterator,
    ShardRange,
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
        shards = stream.shards(connection, engine.shard_records, engine.now())
        shard = next((each for each in shards if each.id == request.shard_id), None)
        if shard is None:
            raise RequestRefused("ResourceNotFoundException", "Shard does not exist")
        position = _position(connection, stream, shard, request, engine.now())
    iterator = ShardIterator(stream.arn, position, engine.now(), shard.first)
    return GetShardIteratorResult(shard_iterator=encode_iterator(engine.signed_tokens, iterator))


def _position(
    connection: sqlite3.Connection, stream: Stream, shard: ShardRange, request: GetShardIterator, now: float
) -> int:
    last = stream.last(connection) if shard.last is None else shard.last
    kind = request.shard_iterator_type
    if kind in ("TRIM_HORIZON", "LATEST"):
        if request.sequence_number is not None:
            raise invalid(f"{_INVALID}SequenceNumber should not be passed for this iterator type")
        return 0 if kind == "TRIM_HORIZON" else last + 1
    sequence = None if request.sequence_number is None else sequence_of(request.sequence_number)
    if sequence is None:
        raise invalid(f"{_INVALID}Invalid SequenceNumber")
    if not shard.first <= sequence <= max(shard.first, last):
        raise invalid("Invalid SequenceNumber for the shard")
    if sequence < stream.horizon(connection, now):
        raise trimmed_data_error()
    return sequence if kind == "AT_SEQUENCE_NUMBER" else sequence + 1
