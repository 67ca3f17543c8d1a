"""Shard reader: lists the shards of a stream and reads their records, through the API of DynamoDB Streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec

from singletable.client.request_steps import Call, Steps
from singletable.errors import RequestRefused, StreamRefused
from singletable.streams.stream_records import StreamRecord, record_from

SOURCE = "stream"
StreamStart = Literal["oldest", "latest"]
"""Where a worker starts to read a shard without a checkpoint."""
_ITERATOR_TYPES = {"oldest": "TRIM_HORIZON", "latest": "LATEST"}
Document = dict[str, Any]


class StreamShard(NamedTuple):
    """A shard of a stream."""

    id: str
    parent: str | None


def latest_stream(table: str) -> Steps[str]:
    """Return the ARN of the stream of a table. Raise StreamRefused if it has none."""
    (body,) = yield (Call("DescribeTable", {"TableName": table}, source=SOURCE),)
    found: Document = msgspec.json.decode(body)["Table"]
    arn = found.get("LatestStreamArn")
    if not arn or not (found.get("StreamSpecification") or {}).get("StreamEnabled"):
        raise StreamRefused(f"table {table!r} has no stream.\n  Enable one with NEW_AND_OLD_IMAGES.")
    return str(arn)


def shards_of(arn: str) -> Steps[list[StreamShard]]:
    """Return the shards of a stream, parents first."""
    shards: dict[str, StreamShard] = {}
    request: Document = {"StreamArn": arn}
    while True:
        (body,) = yield (Call("DescribeStream", request, source=SOURCE),)
        found: Document = msgspec.json.decode(body)["StreamDescription"]
        for each in found.get("Shards") or ():
            shards[each["ShardId"]] = StreamShard(each["ShardId"], each.get("ParentShardId"))
        last = found.get("LastEvaluatedShardId")
        if last is None:
            break
        request["ExclusiveStartShardId"] = last
    ordered: dict[str, StreamShard] = {}
    for shard in shards.values():
        _add_after_parent(shard, shards, ordered)
    return list(ordered.values())


def _add_after_parent(shard: StreamShard, shards: dict[str, StreamShard], ordered: dict[str, StreamShard]) -> None:
    line = [shard]
    while (parent := shards.get(line[-1].parent or "")) is not None and parent not in line:
        line.append(parent)
    for each in reversed(line):
        ordered.setdefault(each.id, each)


@dataclass
class ShardReader:
    """Reads the records of one shard, after a checkpoint."""

    arn: str
    shard: StreamShard
    checkpoint: str | None
    start: StreamStart
    accept_loss: bool = False
    _iterator: str | None = field(init=False, default=None)

    def page(self, limit: int) -> Steps[tuple[list[StreamRecord], bool]]:
        """Return the next records, and whether the shard is closed and has no more records."""
        if self._iterator is None:
            self._iterator = yield from self._new_iterator()
        try:
            (body,) = yield (Call("GetRecords", {"ShardIterator": self._iterator, "Limit": limit}, source=SOURCE),)
        except RequestRefused as problem:
            if problem.code == "TrimmedDataAccessException":
                self._check_loss()
            elif problem.code != "ExpiredIteratorException":
                raise
            self._iterator = None
            return [], False
        found: Document = msgspec.json.decode(body)
        self._iterator = found.get("NextShardIterator")
        return [record_from(each) for each in found.get("Records") or ()], self._iterator is None

    def restart(self, checkpoint: str | None) -> None:
        """Read again after a checkpoint."""
        self.checkpoint, self._iterator = checkpoint, None

    def _new_iterator(self) -> Steps[str]:
        request: Document = {"StreamArn": self.arn, "ShardId": self.shard.id}
        if self.checkpoint is not None:
            after = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.checkpoint}
            try:
                return (yield from _iterator(request | after))
            except RequestRefused as problem:
                if problem.code != "TrimmedDataAccessException":
                    raise
                self._check_loss()
        return (yield from _iterator(request | {"ShardIteratorType": _ITERATOR_TYPES[self.start]}))

    def _check_loss(self) -> None:
        """Raise StreamRefused if records after the checkpoint are lost, unless the caller accepts the loss."""
        if not self.accept_loss:
            raise StreamRefused(
                f"shard {self.shard.id}: the records after {self.checkpoint} are older than 24 hours, so the stream no "
                "longer contains them.\n  Find out which changes were missed. To continue with the oldest record, pass "
                "--accept-loss."
            )
        self.checkpoint, self.start = None, "oldest"


def _iterator(request: Document) -> Steps[str]:
    (body,) = yield (Call("GetShardIterator", request, source=SOURCE),)
    return str(msgspec.json.decode(body)["ShardIterator"])
