"""Streams as their readers see them: names, one shard each, and records made out of the log of changes."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import UTC, datetime
from typing import Any, NamedTuple

from singletable.engine.following import StreamDocument
from singletable.engine.storage import stream_rows
from singletable.engine.storage.change_log import Change, ChangeLog
from singletable.engine.storage.stream_rows import StreamRow
from singletable.engine.table import decode_item
from singletable.errors import RequestRefused
from singletable.values.item_size import item_size
from singletable.wire.decoders import decoder_of

RETENTION_SECONDS = 24 * 60 * 60
_SEQUENCE_DIGITS = 21
# Records of a stream begin with a number of this size, so that all of them have as many digits, and sort as texts.
_SEQUENCE_BASE: int = 10 ** (_SEQUENCE_DIGITS - 1)

_decode_document = decoder_of(StreamDocument).decode


class Stream(NamedTuple):
    """A stream with the names that its readers know."""

    row: StreamRow
    document: StreamDocument
    arn: str

    @property
    def log(self) -> ChangeLog:
        """Where its changes are."""
        return ChangeLog(self.row.number)

    @property
    def shard(self) -> str:
        """The name of its only shard."""
        return f"shardId-{int(self.document.created_at * 1000):020}-{self.row.number & 0xFFFFFFFF:08x}"

    def last(self, connection: sqlite3.Connection) -> int:
        """The number of its latest change."""
        return self.log.last(connection) if self.row.last is None else self.row.last

    def horizon(self, connection: sqlite3.Connection, now: float) -> int:
        """The number of its oldest change that is not older than a day."""
        return max(self.row.first, self.log.first_since(connection, now - RETENTION_SECONDS))


def stream_label(now: float) -> str:
    """The label of a stream that begins now."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]


def stream_of(row: StreamRow, table_arn: str) -> Stream:
    """A stream out of the store."""
    return Stream(row, _decode_document(row.document), f"{table_arn}/stream/{row.label}")


def find_stream(connection: sqlite3.Connection, arn: str, table_arn_prefix: str) -> Stream:
    """The stream of that name; refuses what is none."""
    table, separator, label = arn.removeprefix(table_arn_prefix).partition("/stream/")
    row = stream_rows.row(connection, table, label) if separator and arn.startswith(table_arn_prefix) else None
    if row is None:
        raise RequestRefused("ResourceNotFoundException", f"Requested resource not found: Stream: {arn} not found")
    return stream_of(row, table_arn_prefix + table)


def sequence_text(sequence: int) -> str:
    """The number of a change as readers see it."""
    return str(_SEQUENCE_BASE + sequence)


def sequence_of(text: str) -> int | None:
    """The number of a change out of what a reader says; None when it is no such text."""
    if len(text) != _SEQUENCE_DIGITS or not (text.isascii() and text.isdigit()):
        return None
    return int(text) - _SEQUENCE_BASE


def record_of(stream: Stream, change: Change, region: str) -> dict[str, Any]:
    """A change as a record of the stream, with as much of the item as the stream shows."""
    before, after = (None if body is None else decode_item(body) for body in (change.before, change.after))
    known = after if after is not None else before
    assert known is not None
    keys = {attribute.name: known[attribute.name] for attribute in stream.document.key_attributes}
    told: dict[str, Any] = {"ApproximateCreationDateTime": float(int(change.at)), "Keys": keys}
    size = item_size(keys)
    view = stream.document.view
    if after is not None and view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
        told["NewImage"] = after
        size += item_size(after)
    if before is not None and view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        told["OldImage"] = before
        size += item_size(before)
    sequence = sequence_text(change.sequence)
    told |= {"SequenceNumber": sequence, "SizeBytes": size, "StreamViewType": view}
    record: dict[str, Any] = {
        "eventID": hashlib.blake2b(f"{stream.arn}/{sequence}".encode(), digest_size=16).hexdigest(),
        "eventName": "INSERT" if before is None else "REMOVE" if after is None else "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": told,
    }
    if change.by_service:
        record["userIdentity"] = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    return record
