"""Ranges of keys hold exactly the entries that a condition is true of."""

from __future__ import annotations

from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.storage.entry_key import index_key, table_key
from singletable.engine.storage.key_range import (
    EVERYTHING,
    Comparison,
    KeyRange,
    Operator,
    index_range,
    segment_range,
    table_range,
)

# Few different bytes, the special ones among them, so that values often share a beginning.
parts = st.lists(st.sampled_from([0, 1, 0x61, 0xFE, 0xFF]), max_size=4).map(bytes)
operators: st.SearchStrategy[Operator] = st.sampled_from(["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"])
comparisons = st.builds(Comparison, operators, parts, parts)


def is_true(comparison: Comparison | None, value: bytes) -> bool:
    """The condition, said plainly."""
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
def test_a_range_of_a_table_holds_what_the_condition_says(
    comparison: Comparison | None, partition: bytes, other_partition: bytes, sort: bytes
) -> None:
    keys = table_range(partition, comparison)
    assert keys.holds(table_key(partition, sort)) == is_true(comparison, sort)
    assert keys.holds(table_key(other_partition, sort)) == (other_partition == partition and is_true(comparison, sort))


@given(st.data())
def test_a_range_of_an_index_holds_what_the_condition_says(data: st.DataObject) -> None:
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
def test_every_key_is_in_exactly_one_segment(total: int, partitions: list[bytes]) -> None:
    for partition in partitions:
        key = table_key(partition, b"sort")
        likely = crc32(partition) * total >> 32
        near = range(max(0, likely - 1), min(total, likely + 2))
        assert [segment_range(segment, total).holds(key) for segment in near].count(True) == 1


@given(st.integers(1, 50))
def test_segments_follow_each_other_without_a_gap(total: int) -> None:
    segments = [segment_range(segment, total) for segment in range(total)]
    assert segments[0].low == bytes(4)
    assert segments[-1].high == EVERYTHING.high
    assert all(one.high == next_one.low for one, next_one in pairwise(segments))


@pytest.mark.parametrize("partition", [b"", b"a", b"\xff" * 2048])
def test_everything_holds_every_key(partition: bytes) -> None:
    assert EVERYTHING.holds(table_key(partition, None))
    assert EVERYTHING.holds(index_key([partition] * 4, [b"\xff" * 1024] * 4, table_key(partition, None)))


def test_no_hash_is_above_everything() -> None:
    assert EVERYTHING.holds(b"\xff\xff\xff\xff" + table_key(b"p" * 2048, None)[4:])


@given(st.builds(KeyRange, parts, parts), parts, parts)
def test_a_range_read_to_a_key_goes_on_behind_it(keys: KeyRange, at: bytes, key: bytes) -> None:
    assert keys.after(at).holds(key) == (keys.holds(key) and key > at)
    assert keys.before(at).holds(key) == (keys.holds(key) and key < at)
