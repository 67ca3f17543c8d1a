"""GetShardIterator: a place in a stream to read from."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from singletable.engine.shard_iterator import ShardIterator, iterator_of, trimmed
from singletable.engine.streams import Stream, find_stream, sequence_of
from singletable.errors import RequestRefused, invalid
from singletable.wire.streams import GetShardIterator, GetShardIteratorResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

_INVALID = "One or more parameter values were invalid: "


def get_shard_iterator(engine: Engine, request: GetShardIterator) -> GetShardIteratorResult:
    """Gives a place at an end of the shard, or at or after a record that is still there."""
    with engine.store.snapshot() as connection:
        stream = find_stream(connection, request.stream_arn, engine.arn(""))
        if request.shard_id != stream.shard:
            raise RequestRefused("ResourceNotFoundException", "Shard does not exist")
        position = _position(connection, stream, request, engine.now())
    return GetShardIteratorResult(
        shard_iterator=iterator_of(engine.places, ShardIterator(stream.arn, position, engine.now()))
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
        raise trimmed()
    return sequence if kind == "AT_SEQUENCE_NUMBER" else sequence + 1
