"""Ranges of entry keys: what a Query, a Scan or a segment of it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from singletable.engine.storage.entry_key import ended, escaped, index_head, past_ended, table_head

Operator = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

_HASHES = 2**32
_PAST_EVERY_KEY = b"\xff" * 5  # four bytes of hash, then a length, which never reaches 0xff00


class Comparison(NamedTuple):
    """What a key condition says of a sort attribute; `upper` is the second operand of BETWEEN."""

    operator: Operator
    value: bytes
    upper: bytes = b""


class KeyRange(NamedTuple):
    """All keys from `low` up to but without `high`."""

    low: bytes
    high: bytes

    def holds(self, key: bytes) -> bool:
        """Whether the key is in the range."""
        return self.low <= key < self.high

    def after(self, key: bytes) -> KeyRange:
        """What is left of the range when it has been read upwards to this key."""
        return KeyRange(max(self.low, key + b"\x00"), self.high)

    def before(self, key: bytes) -> KeyRange:
        """What is left of the range when it has been read downwards to this key."""
        return KeyRange(self.low, min(self.high, key))


EVERYTHING = KeyRange(b"", _PAST_EVERY_KEY)


def table_range(partition: bytes, comparison: Comparison | None = None) -> KeyRange:
    """A partition of a table, or what the comparison leaves of it."""
    head = table_head(partition)
    if comparison is None:
        return _beginning_with(head)
    operator, value, upper = comparison
    if operator == "begins_with":
        return _beginning_with(head + value)
    # The sort key ends the key of a table, so the least key above is the same with a zero byte behind it.
    return _compared(head, operator, value, (upper if operator == "BETWEEN" else value) + b"\x00")


def index_range(
    partitions: Sequence[bytes], equal_sorts: Sequence[bytes] = (), comparison: Comparison | None = None
) -> KeyRange:
    """A partition of an index, or what is left of it: from the left, sort attributes by equality, then a comparison."""
    head = index_head(partitions, equal_sorts)
    if comparison is None:
        return _beginning_with(head)
    operator, value, upper = comparison
    if operator == "begins_with":
        return _beginning_with(head + escaped(value))
    return _compared(head, operator, ended(value), past_ended(upper if operator == "BETWEEN" else value))


def segment_range(segment: int, total_segments: int) -> KeyRange:
    """One segment of a parallel Scan: an equal share of the hashes, so that no partition is in two segments."""
    low = _first_hash(segment, total_segments)
    if segment + 1 == total_segments:
        return KeyRange(low, _PAST_EVERY_KEY)
    return KeyRange(low, _first_hash(segment + 1, total_segments))


def _first_hash(segment: int, total_segments: int) -> bytes:
    return (-(-segment * _HASHES // total_segments)).to_bytes(4, "big")


def _compared(head: bytes, operator: Operator, first: bytes, past: bytes) -> KeyRange:
    """Keys under `head`, by the least bytes with the (lower) operand, and the least above all with the (upper) one."""
    match operator:
        case "<":
            return KeyRange(head, head + first)
        case "<=":
            return KeyRange(head, head + past)
        case ">":
            return KeyRange(head + past, _past(head))
        case ">=":
            return KeyRange(head + first, _past(head))
        case _:
            return KeyRange(head + first, head + past)


def _beginning_with(head: bytes) -> KeyRange:
    return KeyRange(head, _past(head))


def _past(head: bytes) -> bytes:
    """The least bytes above all that begin with `head`, which holds a length and so is never all 0xff."""
    kept = head.rstrip(b"\xff")
    return kept[:-1] + bytes((kept[-1] + 1,))
