"""The keys with the largest sums, beside a count of every key."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.table import Item
from singletable.engine.traffic.top_keys import TopKeys

# A few keys come often and many come once, as in life.
KEYS = st.one_of(st.integers(0, 3), st.integers(0, 200))
ADDED = st.lists(st.tuples(KEYS, st.integers(1, 9)), max_size=400)


def named(key: int) -> Item:
    return {"pk": {"N": str(key)}}


def counted(added: list[tuple[int, int]], size: int) -> tuple[TopKeys, Counter[int]]:
    top, every = TopKeys(size), Counter[int]()
    for key, amount in added:
        top.add(str(key).encode(), amount, lambda key=key: named(key))  # type: ignore[misc]
        every[key] += amount
    return top, every


@given(ADDED, st.integers(1, 30))
def test_a_sum_is_never_too_small_and_too_large_by_its_excess_at_most(added: list[tuple[int, int]], size: int) -> None:
    top, every = counted(added, size)
    found = top.largest(1_000)
    assert len(found) == min(size, len(every))
    for each in found:
        true = every[int(each.key["pk"]["N"])]
        assert each.amount - each.excess <= true <= each.amount


@given(ADDED, st.integers(1, 30))
def test_whatever_has_more_than_its_part_is_found(added: list[tuple[int, int]], size: int) -> None:
    top, every = counted(added, size)
    found = {int(each.key["pk"]["N"]) for each in top.largest(1_000)}
    assert {key for key, amount in every.items() if amount > every.total() / size} <= found


@given(ADDED)
def test_with_room_for_all_the_sums_are_exact_and_in_order(added: list[tuple[int, int]]) -> None:
    top, every = counted(added, 1_000)
    found = top.largest(5)
    assert [each.amount for each in found] == [amount for _, amount in every.most_common(5)]
    assert all(each.excess == 0 and every[int(each.key["pk"]["N"])] == each.amount for each in found)


def test_a_label_is_made_only_for_a_key_that_is_new() -> None:
    top, made = TopKeys(2), list[int]()

    def label(key: int) -> Item:
        made.append(key)
        return named(key)

    for key in (1, 1, 2, 1, 3):
        top.add(str(key).encode(), 1, lambda key=key: label(key))  # type: ignore[misc]
    assert made == [1, 2, 3]
