"""Reading a stream: its ARN, its shards, shard iterators, and records built from the change log."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from singletable.engine.signed_tokens import SignedTokens
from singletable.engine.storage import change_log_rows
from singletable.engine.storage.change_log_rows import ChangeLog, LoggedChange, StreamRow
from singletable.engine.streams.change_recorder import StreamDocument
from singletable.engine.tables.stored_table import decode_item
from singletable.errors import RequestRefused, invalid
from singletable.values.item_size import item_size
from singletable.wire.api_types import decoder_of

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


RETENTION_SECONDS = 24 * 60 * 60
_SEQUENCE_DIGITS = 21
# This offset gives all sequence numbers the same number of digits, so that they sort correctly as strings.
_SEQUENCE_BASE: int = 10 ** (_SEQUENCE_DIGITS - 1)

_STREAM_ARN = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[^:/]+/stream/[^/]+")

_decode_document = decoder_of(StreamDocument).decode
_decode_position = decoder_of(tuple[int, float, int]).decode


class Stream(NamedTuple):
    """A stream with its ARN."""

    row: StreamRow
    document: StreamDocument
    arn: str

    @property
    def log(self) -> ChangeLog:
        """Return the change log of the table to which the stream belongs."""
        return ChangeLog(self.row.number)

    def shard_id(self, number: int) -> str:
        """Return the ID of a shard. The first shard has the number 0."""
        return f"shardId-{int(self.document.created_at * 1000) + number:020}-{self.row.number & 0xFFFFFFFF:08x}"

    def last(self, connection: sqlite3.Connection) -> int:
        """Return the sequence number of the latest change in the stream."""
        return self.log.last(connection) if self.row.last is None else self.row.last

    def horizon(self, connection: sqlite3.Connection, now: float) -> int:
        """Return the sequence number of the oldest change within the retention period of 24 hours."""
        return max(self.row.first, self.log.first_since(connection, now - RETENTION_SECONDS))

    def shards(self, connection: sqlite3.Connection, shard_records: int | None, now: float) -> list[ShardRange]:
        """Return the shards in order, each with its parent.

        A stream has one shard, unless the engine closes a shard after `shard_records` records. As in DynamoDB, a
        shard whose records are all older than the retention period is no longer listed.
        """
        first, last = self.row.first, self.last(connection)
        if shard_records is None:
            return [ShardRange(self.shard_id(0), None, first, self.row.last)]
        horizon = self.horizon(connection, now)
        count = max(0, last - first + 1) // shard_records + 1
        if self.row.last is not None and count > 1 and (last - first + 1) % shard_records == 0:
            count -= 1  # the stream ended together with its last shard
        oldest = min(max(0, horizon - first) // shard_records, count - 1)
        shards = []
        for number in range(oldest, count):
            start = first + number * shard_records
            end = start + shard_records - 1 if number < count - 1 else self.row.last
            parent = self.shard_id(number - 1) if number else None
            shards.append(ShardRange(self.shard_id(number), parent, start, end))
        return shards


class ShardRange(NamedTuple):
    """A shard: a range of the changes of a stream. `last` is None while the shard is open."""

    id: str
    parent: str | None
    first: int
    last: int | None


def stream_label(now: float) -> str:
    """Return the label for a stream that is enabled now."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]


def stream_of(row: StreamRow, table_arn: str) -> Stream:
    """Return the stream that a stored row describes."""
    return Stream(row, _decode_document(row.document), f"{table_arn}/stream/{row.label}")


def find_stream(connection: sqlite3.Connection, arn: str, table_arn_prefix: str) -> Stream:
    """Return the stream with this ARN. Raise an error if there is none."""
    check_stream_arn(arn)
    table, separator, label = arn.removeprefix(table_arn_prefix).partition("/stream/")
    row = (
        change_log_rows.find_stream(connection, table, label)
        if separator and arn.startswith(table_arn_prefix)
        else None
    )
    if row is None:
        raise RequestRefused("ResourceNotFoundException", f"Requested resource not found: Stream: {arn} not found")
    return stream_of(row, table_arn_prefix + table)


def check_stream_arn(arn: str) -> None:
    """Reject a text that is not the ARN of a stream. DynamoDB checks this before it looks for the stream.

    The AWS SDK for JavaScript tests this message with the service; the tests of Alternator check the error type.
    """
    if not _STREAM_ARN.fullmatch(arn):
        raise invalid(f"Invalid StreamArn: {arn}")


def sequence_text(sequence: int) -> str:
    """Return the SequenceNumber string for the sequence number of a change."""
    return str(_SEQUENCE_BASE + sequence)


def sequence_of(text: str) -> int | None:
    """Return the number that a SequenceNumber string represents, or None if the string is invalid."""
    if len(text) != _SEQUENCE_DIGITS or not (text.isascii() and text.isdigit()):
        return None
    return int(text) - _SEQUENCE_BASE


def record_of(stream: Stream, change: LoggedChange, region: str) -> dict[str, Any]:
    """Return the stream record for a change, with the item images that the view type includes."""
    before, after = (None if body is None else decode_item(body) for body in (change.before, change.after))
    known = after if after is not None else before
    assert known is not None
    keys = {attribute.name: known[attribute.name] for attribute in stream.document.key_attributes}
    details: dict[str, Any] = {"ApproximateCreationDateTime": float(int(change.at)), "Keys": keys}
    size = item_size(keys)
    view = stream.document.view
    if after is not None and view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
        details["NewImage"] = after
        size += item_size(after)
    if before is not None and view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        details["OldImage"] = before
        size += item_size(before)
    sequence = sequence_text(change.sequence)
    details |= {"SequenceNumber": sequence, "SizeBytes": size, "StreamViewType": view}
    record: dict[str, Any] = {
        "eventID": hashlib.blake2b(f"{stream.arn}/{sequence}".encode(), digest_size=16).hexdigest(),
        "eventName": "INSERT" if before is None else "REMOVE" if after is None else "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": details,
    }
    if change.by_service:
        record["userIdentity"] = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    return record


ITERATOR_SECONDS = 15 * 60


class ShardIterator(NamedTuple):
    """A position in a shard: the sequence number of the next change to read, or 0 for the oldest change."""

    stream_arn: str
    position: int
    created_at: float
    shard_first: int
    """The sequence number of the first change of the shard."""


def encode_iterator(tokens: SignedTokens, iterator: ShardIterator) -> str:
    """Encode a shard iterator as a signed string."""
    payload = msgspec.json.encode((iterator.position, iterator.created_at, iterator.shard_first))
    return f"{iterator.stream_arn}|1|{tokens.sign(_kind(iterator.stream_arn), payload)}"


def decode_iterator(engine: Engine, text: str) -> ShardIterator:
    """Decode a shard iterator from a signed string. Reject an invalid or expired iterator."""
    stream_arn, _, rest = text.partition("|1|")
    payload = engine.signed_tokens.verify(_kind(stream_arn), rest)
    if payload is None:
        raise invalid("Invalid ShardIterator")
    try:
        position, created_at, shard_first = _decode_position(payload)
    except msgspec.ValidationError:  # an earlier release issued the iterator
        created_at, position, shard_first = 0.0, 0, 0
    if engine.now() - created_at > ITERATOR_SECONDS:
        raise RequestRefused(
            "ExpiredIteratorException", "The shard iterator has expired: it is more than 15 minutes old."
        )
    return ShardIterator(stream_arn, position, created_at, shard_first)


def trimmed_data_error() -> RequestRefused:
    """Return the error for a position that is older than the retention period of 24 hours."""
    return RequestRefused(
        "TrimmedDataAccessException",
        "The requested sequence number is beyond the oldest record of the shard: records are kept for 24 hours.",
    )


def _kind(stream_arn: str) -> str:
    return f"shard iterator of {stream_arn}"
