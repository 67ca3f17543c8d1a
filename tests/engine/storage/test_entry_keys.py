"""Entry keys sort like their attributes, and can be parsed back into them."""

from __future__ import annotations

from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.storage.entry_keys import index_key, split_index_key, split_table_key, table_key

# Few different bytes, including the special ones, so that values often share a prefix.
parts = st.lists(st.sampled_from([0, 1, 0x61, 0xFE, 0xFF]), max_size=6).map(bytes)
keys = st.tuples(parts, parts)


@given(keys, keys)
def test_entry_keys_of_a_table_sort_by_hash_then_partition_key_then_sort_key(
    one: tuple[bytes, bytes], other: tuple[bytes, bytes]
) -> None:
    def expected(key: tuple[bytes, bytes]) -> tuple[int, int, bytes, bytes]:
        return crc32(key[0]), len(key[0]), key[0], key[1]

    assert (table_key(*one) < table_key(*other)) == (expected(one) < expected(other))


@given(parts, parts)
def test_the_entry_key_of_a_table_parses_back(partition: bytes, sort: bytes) -> None:
    assert split_table_key(table_key(partition, sort)) == (partition, sort)
    assert split_table_key(table_key(partition, None)) == (partition, b"")


@st.composite
def two_entries(draw: st.DrawFn) -> list[tuple[list[bytes], list[bytes], bytes]]:
    """Return two entries of one index, with the same number of attributes, and often with equal ones."""
    partition_count, sort_count = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    partitions = draw(st.lists(parts, min_size=partition_count, max_size=partition_count))
    sorts = st.lists(parts, min_size=sort_count, max_size=sort_count)
    return [(partitions, draw(sorts), table_key(*draw(keys))) for _ in range(2)]


@given(two_entries())
def test_entry_keys_of_an_index_sort_by_sort_attributes_then_by_table_key(
    entries: list[tuple[list[bytes], list[bytes], bytes]],
) -> None:
    one, other = entries
    assert (index_key(*one) < index_key(*other)) == (one[1:] < other[1:])
    assert (index_key(*one) == index_key(*other)) == (one == other)


@given(two_entries())
def test_the_entry_key_of_an_index_parses_back(entries: list[tuple[list[bytes], list[bytes], bytes]]) -> None:
    for partitions, sorts, table_entry in entries:
        key = index_key(partitions, sorts, table_entry)
        assert split_index_key(key, len(partitions), len(sorts)) == (partitions, sorts, table_entry)


@given(st.lists(parts, min_size=2, max_size=4), st.lists(parts, min_size=2, max_size=4))
def test_entry_keys_with_different_partition_attributes_are_in_different_partitions(
    one: list[bytes], other: list[bytes]
) -> None:
    assert (index_key(one, [], b"") == index_key(other, [], b"")) == (one == other)


def test_entry_keys_can_contain_the_longest_keys_of_dynamodb() -> None:
    table_entry = table_key(b"p" * 2048, b"s" * 1024)
    key = index_key([b"p" * 2048] * 4, [b"\x00" * 1024] * 4, table_entry)
    assert split_index_key(key, 4, 4) == ([b"p" * 2048] * 4, [b"\x00" * 1024] * 4, table_entry)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(table_key(b"a", b"b")[:5], id="half a head"),
        pytest.param(table_key(b"abc", None)[:-1], id="half a partition"),
        pytest.param(b"\x00" + table_key(b"a", b"b")[1:], id="another hash"),
    ],
)
def test_a_malformed_entry_key_raises_value_error(key: bytes) -> None:
    with pytest.raises(ValueError, match="does not match its partition key"):
        split_table_key(key)


def test_an_entry_key_with_a_sort_attribute_without_terminator_raises_value_error() -> None:
    with pytest.raises(ValueError, match="has no terminator"):
        split_index_key(table_key(b"a", b"sort"), 1, 1)
    with pytest.raises(ValueError, match="expected 2 partition attributes"):
        split_index_key(index_key([b"\x00\x01a"], [], table_key(b"a", None)), 2, 0)
