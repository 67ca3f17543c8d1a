"""DescribeStream: describes a stream and its shard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singletable.engine.streams.stream_reading import find_stream, sequence_text
from singletable.engine.tables.table_description import key_schema
from singletable.wire.stream_requests import DescribeStream, DescribeStreamResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def describe_stream(engine: Engine, request: DescribeStream) -> DescribeStreamResult:
    """Describe a stream. Every stream has one shard, which is closed when the stream ends."""
    with engine.store.snapshot() as connection:
        stream = find_stream(connection, request.stream_arn, engine.arn(""))
    document, row = stream.document, stream.row
    numbers = {"StartingSequenceNumber": sequence_text(row.first)}
    if row.last is not None:
        numbers["EndingSequenceNumber"] = sequence_text(max(row.first, row.last))
    shards: list[dict[str, Any]] = [{"ShardId": stream.shard, "SequenceNumberRange": numbers}]
    if request.exclusive_start_shard_id is not None or request.shard_filter is not None:
        # A stream has only one shard, so no shard follows another shard.
        shards = []
    return DescribeStreamResult(
        stream_description={
            "StreamArn": stream.arn,
            "StreamLabel": row.label,
            "StreamStatus": "ENABLED" if row.last is None else "DISABLED",
            "StreamViewType": document.view,
            "CreationRequestDateTime": document.created_at,
            "TableName": row.table_name,
            "KeySchema": key_schema((document.partition,), (document.sort,) if document.sort else ()),
            "Shards": shards,
        }
    )
