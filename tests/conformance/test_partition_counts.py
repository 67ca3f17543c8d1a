"""Counts per partition are exact, for any size of the buffer."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from singletable.conformance.partition_counts import PartitionCounts, PartitionUsage

ADDED = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", "c#\x00d", "é"]), st.integers(1, 5)))


@given(added=ADDED, buffered_max=st.integers(1, 4), limit=st.integers(0, 12))
def test_partition_counts_equal_a_plain_counter(
    added: list[tuple[int, str, int]], buffered_max: int, limit: int
) -> None:
    counts, plain = PartitionCounts(buffered_max), Counter[tuple[int, str]]()
    for group, partition, amount in added:
        if amount > 2:
            counts.add(group, partition, amount)
        else:
            counts.count(group, [partition] * amount)
        plain[group, partition] += amount
    usage = counts.usage({0: limit})
    counts.close()
    assert usage.keys() == {group for group, _ in plain}
    for group, found in usage.items():
        amounts = {partition: amount for (other, partition), amount in plain.items() if other == group}
        assert (found.partitions, found.total) == (len(amounts), sum(amounts.values()))
        assert found.largest == max(amounts.values()) == amounts[found.largest_partition]
        assert found.over_limit == (sum(amount > limit for amount in amounts.values()) if group == 0 else 0)


def test_partition_counts_contain_the_largest_share() -> None:
    assert PartitionUsage(2, 10, 4, "a").largest_share == 0.4
