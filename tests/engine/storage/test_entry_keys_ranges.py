"""Entry ranges contain exactly the entries that fulfil a key condition."""

from __future__ import annotations

from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.storage.entry_keys import (
    EVERYTHING,
    Comparison,
    EntryRange,
    Operator,
    index_key,
    index_range,
    segment_range,
    table_key,
    table_range,
)

# Few different bytes, including the special ones, so that values often share a prefix.
parts = st.lists(st.sampled_from([0, 1, 0x61, 0xFE, 0xFF]), max_size=4).map(bytes)
operators: st.SearchStrategy[Operator] = st.sampled_from(["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"])
comparisons = st.builds(Comparison, operators, parts, parts)


def is_true(comparison: Comparison | None, value: bytes) -> bool:
    """Evaluate the condition directly."""
    if comparison is None:
        return True
    operator, operand, upper = comparison
    return {
        "=": value == operand,
        "<": value < operand,
        "<=": value <= operand,
        ">": value > operand,
        ">=": value >= operand,
        "BETWEEN": operand <= value <= upper,
        "begins_with": value.startswith(operand),
    }[operator]


@given(st.none() | comparisons, parts, parts, parts)
def test_a_table_range_contains_the_entry_keys_that_fulfil_the_condition(
    comparison: Comparison | None, partition: bytes, other_partition: bytes, sort: bytes
) -> None:
    keys = table_range(partition, comparison)
    assert keys.holds(table_key(partition, sort)) == is_true(comparison, sort)
    assert keys.holds(table_key(other_partition, sort)) == (other_partition == partition and is_true(comparison, sort))


@given(st.data())
def test_an_index_range_contains_the_entry_keys_that_fulfil_the_condition(data: st.DataObject) -> None:
    partitions = data.draw(st.lists(parts, min_size=1, max_size=3))
    sorts = data.draw(st.lists(parts, max_size=3))
    table_entry = table_key(data.draw(parts), data.draw(parts))
    equal_count = data.draw(st.integers(0, len(sorts)))
    equal = data.draw(st.sampled_from([sorts[:equal_count], data.draw(st.lists(parts, max_size=equal_count))]))
    comparison = data.draw(st.none() | comparisons) if len(equal) < len(sorts) else None
    expected = sorts[: len(equal)] == equal and (comparison is None or is_true(comparison, sorts[len(equal)]))
    keys = index_range(partitions, equal, comparison)
    assert keys.holds(index_key(partitions, sorts, table_entry)) == expected
    other = [*partitions[:-1], partitions[-1] + b"a"]
    assert not keys.holds(index_key(other, sorts, table_entry))


@given(st.integers(1, 1_000_000), st.lists(parts, min_size=1))
def test_every_entry_key_is_in_exactly_one_segment(total: int, partitions: list[bytes]) -> None:
    for partition in partitions:
        key = table_key(partition, b"sort")
        likely = crc32(partition) * total >> 32
        near = range(max(0, likely - 1), min(total, likely + 2))
        assert [segment_range(segment, total).holds(key) for segment in near].count(True) == 1


@given(st.integers(1, 50))
def test_segments_of_entry_keys_are_contiguous(total: int) -> None:
    segments = [segment_range(segment, total) for segment in range(total)]
    assert segments[0].low == bytes(4)
    assert segments[-1].high == EVERYTHING.high
    assert all(one.high == next_one.low for one, next_one in pairwise(segments))


@pytest.mark.parametrize("partition", [b"", b"a", b"\xff" * 2048])
def test_the_range_of_everything_contains_every_entry_key(partition: bytes) -> None:
    assert EVERYTHING.holds(table_key(partition, None))
    assert EVERYTHING.holds(index_key([partition] * 4, [b"\xff" * 1024] * 4, table_key(partition, None)))


def test_no_hash_of_an_entry_key_is_above_the_range_of_everything() -> None:
    assert EVERYTHING.holds(b"\xff\xff\xff\xff" + table_key(b"p" * 2048, None)[4:])


@given(st.builds(EntryRange, parts, parts), parts, parts)
def test_a_range_of_entry_keys_continues_after_the_last_key_read(keys: EntryRange, at: bytes, key: bytes) -> None:
    assert keys.after(at).holds(key) == (keys.holds(key) and key > at)
    assert keys.before(at).holds(key) == (keys.holds(key) and key < at)
