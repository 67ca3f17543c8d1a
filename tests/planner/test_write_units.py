"""What a write costs with the items that it keeps right."""

from __future__ import annotations

from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from tests.heat.models import Magazine, SpreadMagazine


def test_copies_in_shards_are_all_counted() -> None:
    (whole, _), (spread,) = plan_all(Magazine.design), plan_all(SpreadMagazine.design)
    assert isinstance(whole, Plan)
    assert isinstance(spread, Plan)
    assert estimate(Magazine.design, whole).items == 901
    assert estimate(SpreadMagazine.design, spread).items == 901  # a hundred in each of nine shards


def test_copies_in_shards_are_found_by_a_query_of_each() -> None:
    (spread,) = plan_all(SpreadMagazine.design)
    assert isinstance(spread, Plan)
    of_items, of_keys = 2 * 900 * 0.5, 2 * 9 * 1.5
    assert estimate(SpreadMagazine.design, spread).reads == of_items + of_keys + 2  # itself, before and after
