"""DescribeStream: describes a stream and its shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singletable.engine.streams.stream_reading import ShardRange, find_stream, sequence_text
from singletable.engine.tables.table_description import key_schema
from singletable.wire.stream_requests import DescribeStream, DescribeStreamResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


PAGE_SHARDS = 100


def describe_stream(engine: Engine, request: DescribeStream) -> DescribeStreamResult:
    """Describe a stream and one page of its shards. The last shard is closed when the stream ends."""
    with engine.store.snapshot() as connection:
        stream = find_stream(connection, request.stream_arn, engine.arn(""))
        shards = stream.shards(connection, engine.shard_records, engine.now())
    document, row = stream.document, stream.row
    chosen, is_partial = _page(shards, request)
    description: dict[str, Any] = {
        "StreamArn": stream.arn,
        "StreamLabel": row.label,
        "StreamStatus": "ENABLED" if row.last is None else "DISABLED",
        "StreamViewType": document.view,
        "CreationRequestDateTime": document.created_at,
        "TableName": row.table_name,
        "KeySchema": key_schema((document.partition,), (document.sort,) if document.sort else ()),
        "Shards": [_described(each) for each in chosen],
    }
    if is_partial:
        description["LastEvaluatedShardId"] = chosen[-1].id
    return DescribeStreamResult(stream_description=description)


def _page(shards: list[ShardRange], request: DescribeStream) -> tuple[list[ShardRange], bool]:
    """Return the requested shards, and whether more shards follow."""
    if request.shard_filter is not None:
        shards = [each for each in shards if each.parent == request.shard_filter.shard_id]
    start = request.exclusive_start_shard_id
    if start is not None:
        shards = [each for each in shards if each.id > start]
    most = request.limit or PAGE_SHARDS
    return shards[:most], len(shards) > most


def _described(shard: ShardRange) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": sequence_text(shard.first)}
    if shard.last is not None:
        numbers["EndingSequenceNumber"] = sequence_text(max(shard.first, shard.last))
    described: dict[str, Any] = {"ShardId": shard.id, "SequenceNumberRange": numbers}
    return described if shard.parent is None else described | {"ParentShardId": shard.parent}
