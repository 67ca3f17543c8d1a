"""Requests and results of streams: ListStreams, DescribeStream, GetShardIterator, GetRecords."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from singletable.values.limits import NAME_CHARACTERS_MAX, NAME_CHARACTERS_MIN
from singletable.wire.api_types import NAME_REGEX, Result, Shape

StreamArn = Annotated[str, Meta(min_length=37, max_length=1024)]
ShardId = Annotated[str, Meta(min_length=28, max_length=65)]
SequenceNumber = Annotated[str, Meta(min_length=21, max_length=40)]
Limit = Annotated[int, Meta(ge=1)]
PageLimit = Annotated[int, Meta(ge=1, le=100)]


class ListStreams(Shape, kw_only=True, frozen=True):
    """List the streams of all tables, or of one table, in pages."""

    table_name: (
        Annotated[str, Meta(min_length=NAME_CHARACTERS_MIN, max_length=NAME_CHARACTERS_MAX, pattern=NAME_REGEX)] | None
    ) = None
    limit: PageLimit | None = None
    exclusive_start_stream_arn: StreamArn | None = None


class ShardFilter(Shape, kw_only=True, frozen=True):
    """Select the shards that follow a shard."""

    type: Literal["CHILD_SHARDS"]
    shard_id: ShardId


class DescribeStream(Shape, kw_only=True, frozen=True):
    """Describe a stream and its shards."""

    stream_arn: StreamArn
    limit: PageLimit | None = None
    exclusive_start_shard_id: ShardId | None = None
    shard_filter: ShardFilter | None = None


class GetShardIterator(Shape, kw_only=True, frozen=True):
    """Request an iterator at a position in a shard."""

    stream_arn: StreamArn
    shard_id: ShardId
    shard_iterator_type: Literal["AT_SEQUENCE_NUMBER", "TRIM_HORIZON", "AFTER_SEQUENCE_NUMBER", "LATEST"]
    sequence_number: SequenceNumber | None = None


class GetRecords(Shape, kw_only=True, frozen=True):
    """Read records, starting at the position of an iterator."""

    shard_iterator: Annotated[str, Meta(min_length=1, max_length=2048)]
    limit: Limit | None = None


class ListStreamsResult(Result, kw_only=True, frozen=True):
    """A page of streams, and the last ARN of the page if there are more streams."""

    streams: list[dict[str, str]]
    last_evaluated_stream_arn: str | msgspec.UnsetType = msgspec.UNSET


class DescribeStreamResult(Result, kw_only=True, frozen=True):
    """A stream and its shards."""

    stream_description: dict[str, Any]


class GetShardIteratorResult(Result, kw_only=True, frozen=True):
    """An iterator, valid for fifteen minutes."""

    shard_iterator: str


class GetRecordsResult(Result, kw_only=True, frozen=True):
    """Records in the order of the changes, and the next iterator; at the end of a closed shard there is none."""

    records: list[dict[str, Any]]
    next_shard_iterator: str | msgspec.UnsetType = msgspec.UNSET
