"""What a pattern declares of an answer is said of all of it, however many lists it has."""

from __future__ import annotations

import pytest

from singletable.planner.estimate import estimate
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.items_read import count_items_read
from singletable.planner.plan import Plan
from tests.planner.accounts import Accounts

SIZES = ItemSizes(Accounts.design)


@pytest.mark.parametrize(
    ("name", "counts"),
    [("account", [1, 15, 5]), ("visited", [1, 7, 6, 7]), ("nearly_empty", [1, 0, 0])],
)
def test_items_read_divides_declared_items_in_proportion_to_the_lists(name: str, counts: list[int]) -> None:
    plan = getattr(Accounts, name).plan
    assert isinstance(plan, Plan)
    guessed: dict[str, None] = {}
    assert [each.items for each in count_items_read(SIZES, plan, guessed, 1.0) if each.is_returned] == counts
    assert guessed == {}
    assert estimate(Accounts.design, plan).items == sum(counts)
