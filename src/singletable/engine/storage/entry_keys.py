"""Entry keys and key ranges: bytes that order the entries of a table or an index, so that a read is one byte range.

    table   crc32 of the partition key (4) | its length (2) | partition key | sort key
    index   crc32 of the partition key (4) | its length (2) | partition key | sort keys, each terminated | table key

The hash comes first, so a Scan has the same order as in DynamoDB: partitions in no particular order, each sorted by
sort key. Each segment of a parallel Scan is one range of hashes. Because of the length, one partition key is never a
prefix of another. In an index, the bytes after a sort key must not affect its order. So a sort key ends with `00 00`,
and a zero byte inside it is written as `00 FF`; a prefix of a sort key still sorts before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, Literal, NamedTuple
from zlib import crc32

from singletable.values.fast_path import NotOnFastPath
from singletable.values.limits import SORT_KEY_BYTES_MAX

HEAD_BYTES = 6
SHORT_TEXT_MAX = SORT_KEY_BYTES_MAX

_HEAD = Struct(">IH").pack  # crc32, length
_LENGTH = Struct(">H").pack
_ZERO = b"\x00"
_ESCAPED_ZERO = b"\x00\xff"
_END = b"\x00\x00"
_PAST_END = b"\x00\x01"


def short_text(values: Mapping[str, Any], name: str) -> bytes:
    """Return the key bytes of a short ASCII string, which is always valid. Raise NotOnFastPath for any other value."""
    value = values.get(name)
    text = value.get("S") if value is not None and len(value) == 1 else None
    if type(text) is not str or not text.isascii() or not 0 < len(text) <= SHORT_TEXT_MAX:
        raise NotOnFastPath
    return text.encode()


def table_key(partition: bytes, sort: bytes | None) -> bytes:
    """Return the key of an item in its table. `sort` is None if the table has no sort key."""
    head = _HEAD(crc32(partition), len(partition)) + partition
    return head if sort is None else head + sort


def index_key(partitions: Sequence[bytes], sorts: Sequence[bytes], table_entry: bytes) -> bytes:
    """Return the key of an index entry: the key attributes of the index, then the table key, which makes it unique."""
    return index_head(partitions, sorts) + table_entry


def table_head(partition: bytes) -> bytes:
    """Return the prefix of all keys in one partition of a table. No other key begins with it."""
    return _HEAD(crc32(partition), len(partition)) + partition


def index_head(partitions: Sequence[bytes], sorts: Sequence[bytes] = ()) -> bytes:
    """Return the prefix of index keys with these partition attributes and these leading sort attributes."""
    if len(partitions) == 1:
        head = table_head(partitions[0])
    else:
        # Partition attributes are only tested for equality, so a length before each attribute separates them.
        head = table_head(b"".join([_LENGTH(len(part)) + part for part in partitions]))
    return head + b"".join([ended(sort) for sort in sorts])


def escaped(sort: bytes) -> bytes:
    """Return a sort attribute, escaped but without its terminator, as the prefix of a `begins_with` range."""
    return sort.replace(_ZERO, _ESCAPED_ZERO)


def ended(sort: bytes) -> bytes:
    """Return a sort attribute with its terminator, as an index key contains it."""
    return sort.replace(_ZERO, _ESCAPED_ZERO) + _END


def past_ended(sort: bytes) -> bytes:
    """Return the upper bound of all keys that begin with this terminated sort attribute."""
    return sort.replace(_ZERO, _ESCAPED_ZERO) + _PAST_END


def split_table_key(key: bytes) -> tuple[bytes, bytes]:
    """Return the partition key and the sort key (empty without a sort key). Raise ValueError for a malformed key."""
    end = HEAD_BYTES + int.from_bytes(key[4:HEAD_BYTES], "big")
    partition = key[HEAD_BYTES:end]
    if len(key) < end or int.from_bytes(key[:4], "big") != crc32(partition):
        raise ValueError(f"the hash or the length of a key does not match its partition key: {key.hex()}")
    return partition, key[end:]


def split_index_key(key: bytes, partition_count: int, sort_count: int) -> tuple[list[bytes], list[bytes], bytes]:
    """Return the arguments with which `index_key` was called. Raise ValueError for a malformed key."""
    partition, rest = split_table_key(key)
    sorts = []
    for _ in range(sort_count):
        end = _end_of_sort(rest)
        sorts.append(rest[:end].replace(_ESCAPED_ZERO, _ZERO))
        rest = rest[end + len(_END) :]
    split_table_key(rest)
    return _split_partition(partition, partition_count), sorts, rest


def _end_of_sort(rest: bytes) -> int:
    position = rest.find(_ZERO)
    while rest[position : position + 2] == _ESCAPED_ZERO:
        position = rest.find(_ZERO, position + 2)
    if position < 0 or rest[position : position + 2] != _END:
        raise ValueError(f"a sort attribute has no terminator: {rest.hex()}")
    return position


def _split_partition(partition: bytes, count: int) -> list[bytes]:
    if count == 1:
        return [partition]
    parts = []
    while partition:
        end = 2 + int.from_bytes(partition[:2], "big")
        parts.append(partition[2:end])
        partition = partition[end:]
    if len(parts) != count:
        raise ValueError(f"expected {count} partition attributes, found {len(parts)}")
    return parts


Operator = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

_HASHES = 2**32
_PAST_EVERY_KEY = b"\xff" * 5  # four bytes of hash, then a length, which never reaches 0xff00


class Comparison(NamedTuple):
    """The comparison of a sort attribute in a key condition. `upper` is the second operand of BETWEEN."""

    operator: Operator
    value: bytes
    upper: bytes = b""


class EntryRange(NamedTuple):
    """All keys from `low` (included) to `high` (excluded)."""

    low: bytes
    high: bytes

    def holds(self, key: bytes) -> bool:
        """Return whether the key is in the range."""
        return self.low <= key < self.high

    def after(self, key: bytes) -> EntryRange:
        """Return the part of the range after this key, for an ascending read that has reached it."""
        return EntryRange(max(self.low, key + b"\x00"), self.high)

    def before(self, key: bytes) -> EntryRange:
        """Return the part of the range before this key, for a descending read that has reached it."""
        return EntryRange(self.low, min(self.high, key))


EVERYTHING = EntryRange(b"", _PAST_EVERY_KEY)


def table_range(partition: bytes, comparison: Comparison | None = None) -> EntryRange:
    """Return the range of a table's partition, narrowed by a comparison of the sort key."""
    head = table_head(partition)
    if comparison is None:
        return _beginning_with(head)
    operator, value, upper = comparison
    if operator == "begins_with":
        return _beginning_with(head + value)
    # A table key ends with the sort key. So the next higher key is the same key with a zero byte appended.
    return _compared(head, operator, value, (upper if operator == "BETWEEN" else value) + b"\x00")


def index_range(
    partitions: Sequence[bytes], equal_sorts: Sequence[bytes] = (), comparison: Comparison | None = None
) -> EntryRange:
    """Return the range of an index partition, narrowed by equal leading sort attributes and then one comparison."""
    head = index_head(partitions, equal_sorts)
    if comparison is None:
        return _beginning_with(head)
    operator, value, upper = comparison
    if operator == "begins_with":
        return _beginning_with(head + escaped(value))
    return _compared(head, operator, ended(value), past_ended(upper if operator == "BETWEEN" else value))


def segment_range(segment: int, total_segments: int) -> EntryRange:
    """Return one segment of a parallel Scan. It is an equal share of the hashes, so no partition is in two segments."""
    low = _first_hash(segment, total_segments)
    if segment + 1 == total_segments:
        return EntryRange(low, _PAST_EVERY_KEY)
    return EntryRange(low, _first_hash(segment + 1, total_segments))


def _first_hash(segment: int, total_segments: int) -> bytes:
    return (-(-segment * _HASHES // total_segments)).to_bytes(4, "big")


def _compared(head: bytes, operator: Operator, first: bytes, past: bytes) -> EntryRange:
    """Return the keys with the prefix `head` that a comparison selects.

    `first` is the operand. `past` is the upper bound of all keys that begin with it. For BETWEEN, it belongs to the
    upper operand.
    """
    match operator:
        case "<":
            return EntryRange(head, head + first)
        case "<=":
            return EntryRange(head, head + past)
        case ">":
            return EntryRange(head + past, _past(head))
        case ">=":
            return EntryRange(head + first, _past(head))
        case _:
            return EntryRange(head + first, head + past)


def _beginning_with(head: bytes) -> EntryRange:
    return EntryRange(head, _past(head))


def _past(head: bytes) -> bytes:
    """Return the upper bound of all keys that begin with `head`. Because it has a length, it is never all 0xff."""
    kept = head.rstrip(b"\xff")
    return kept[:-1] + bytes((kept[-1] + 1,))
