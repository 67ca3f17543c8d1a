"""What a pattern declares of an answer is said of all of it, however many lists it has."""

from __future__ import annotations

import pytest

from singletable.planner.estimate import estimate
from singletable.planner.examined import examined
from singletable.planner.item_sizes import Sizes
from singletable.planner.plan import Plan
from tests.planner.accounts import Accounts

SIZES = Sizes(Accounts.design)


@pytest.mark.parametrize(
    ("name", "counts"),
    [("account", [1, 15, 5]), ("visited", [1, 7, 6, 7]), ("nearly_empty", [1, 0, 0])],
)
def test_declared_items_are_divided_as_the_lists_are_long(name: str, counts: list[int]) -> None:
    plan = getattr(Accounts, name).plan
    assert isinstance(plan, Plan)
    guessed: dict[str, None] = {}
    assert [each.items for each in examined(SIZES, plan, guessed, 1.0) if each.is_wanted] == counts
    assert guessed == {}
    assert estimate(Accounts.design, plan).items == sum(counts)
