"""Entry keys: the bytes that put the entries of a table or an index in order, so that every read is one range of bytes.

    table   crc32 of the partition key (4) | its length (2) | partition key | sort key
    index   crc32 of the partition key (4) | its length (2) | partition key | sort keys, each ended | key in the table

Hashing first gives the order of a Scan that DynamoDB's users know (partitions in no order of their own, each in that of
its sort keys), and makes each segment of a parallel Scan one range. The length makes no partition key the beginning
of another. What follows a sort key in an index must not take part in its order, so it is ended there by `00 00`, and a
zero byte inside it is written `00 FF`: a shorter sort key still comes before every longer one.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from zlib import crc32

HEAD_BYTES = 6

_HEAD = Struct(">IH").pack  # crc32, length
_LENGTH = Struct(">H").pack
_ZERO = b"\x00"
_ESCAPED_ZERO = b"\x00\xff"
_END = b"\x00\x00"
_PAST_END = b"\x00\x01"


def table_key(partition: bytes, sort: bytes | None) -> bytes:
    """The key of an item in its table; `sort` is None where the table has no sort key."""
    head = _HEAD(crc32(partition), len(partition)) + partition
    return head if sort is None else head + sort


def index_key(partitions: Sequence[bytes], sorts: Sequence[bytes], table_entry: bytes) -> bytes:
    """The key of an item in an index: its attributes there, and its key in the table, which tells equals apart."""
    return index_head(partitions, sorts) + table_entry


def table_head(partition: bytes) -> bytes:
    """What every key of a partition of a table begins with, and no other key."""
    return _HEAD(crc32(partition), len(partition)) + partition


def index_head(partitions: Sequence[bytes], sorts: Sequence[bytes] = ()) -> bytes:
    """What the keys of an index begin with that have these partition attributes and, from the left, these sort ones."""
    if len(partitions) == 1:
        head = table_head(partitions[0])
    else:
        # Only the equality of partition attributes matters, so several are told apart by their lengths.
        head = table_head(b"".join([_LENGTH(len(part)) + part for part in partitions]))
    return head + b"".join([ended(sort) for sort in sorts])


def escaped(sort: bytes) -> bytes:
    """A sort attribute without its end, as it begins every one that begins with it."""
    return sort.replace(_ZERO, _ESCAPED_ZERO)


def ended(sort: bytes) -> bytes:
    """A sort attribute as it stands in the key of an index."""
    return sort.replace(_ZERO, _ESCAPED_ZERO) + _END


def past_ended(sort: bytes) -> bytes:
    """The least bytes above all that begin with this sort attribute and its end."""
    return sort.replace(_ZERO, _ESCAPED_ZERO) + _PAST_END


def split_table_key(key: bytes) -> tuple[bytes, bytes]:
    """Partition key and sort key (empty where the table has none); raises ValueError when the key is not one."""
    end = HEAD_BYTES + int.from_bytes(key[4:HEAD_BYTES], "big")
    partition = key[HEAD_BYTES:end]
    if len(key) < end or int.from_bytes(key[:4], "big") != crc32(partition):
        raise ValueError(f"the hash or the length of a key does not fit its partition: {key.hex()}")
    return partition, key[end:]


def split_index_key(key: bytes, partition_count: int, sort_count: int) -> tuple[list[bytes], list[bytes], bytes]:
    """What `index_key` was given; raises ValueError when the key is not one."""
    partition, rest = split_table_key(key)
    sorts = []
    for _ in range(sort_count):
        end = _end_of_sort(rest)
        sorts.append(rest[:end].replace(_ESCAPED_ZERO, _ZERO))
        rest = rest[end + len(_END) :]
    split_table_key(rest)
    return _parted(partition, partition_count), sorts, rest


def _end_of_sort(rest: bytes) -> int:
    position = rest.find(_ZERO)
    while rest[position : position + 2] == _ESCAPED_ZERO:
        position = rest.find(_ZERO, position + 2)
    if position < 0 or rest[position : position + 2] != _END:
        raise ValueError(f"a sort attribute has no end: {rest.hex()}")
    return position


def _parted(partition: bytes, count: int) -> list[bytes]:
    if count == 1:
        return [partition]
    parts = []
    while partition:
        end = 2 + int.from_bytes(partition[:2], "big")
        parts.append(partition[2:end])
        partition = partition[end:]
    if len(parts) != count:
        raise ValueError(f"{count} partition attributes were expected, and {len(parts)} are there")
    return parts
