"""The keys with the largest amounts, compared with exact counts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.tables.stored_table import Item
from singletable.engine.traffic.contributor_insights import TopKeys

# As in practice, a few keys are frequent and many occur once.
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
def test_an_amount_in_contributor_insights_is_at_most_its_excess_too_large(
    added: list[tuple[int, int]], size: int
) -> None:
    top, every = counted(added, size)
    found = top.largest(1_000)
    assert len(found) == min(size, len(every))
    for each in found:
        true = every[int(each.key["pk"]["N"])]
        assert each.amount - each.excess <= true <= each.amount


@given(ADDED, st.integers(1, 30))
def test_contributor_insights_include_every_key_above_its_share(added: list[tuple[int, int]], size: int) -> None:
    top, every = counted(added, size)
    found = {int(each.key["pk"]["N"]) for each in top.largest(1_000)}
    assert {key for key, amount in every.items() if amount > every.total() / size} <= found


@given(ADDED)
def test_contributor_insights_with_enough_room_have_exact_and_sorted_amounts(added: list[tuple[int, int]]) -> None:
    top, every = counted(added, 1_000)
    found = top.largest(5)
    assert [each.amount for each in found] == [amount for _, amount in every.most_common(5)]
    assert all(each.excess == 0 and every[int(each.key["pk"]["N"])] == each.amount for each in found)


def test_contributor_insights_compute_a_label_only_for_a_new_key() -> None:
    top, made = TopKeys(2), list[int]()

    def label(key: int) -> Item:
        made.append(key)
        return named(key)

    for key in (1, 1, 2, 1, 3):
        top.add(str(key).encode(), 1, lambda key=key: label(key))  # type: ignore[misc]
    assert made == [1, 2, 3]
