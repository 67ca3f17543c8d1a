"""The items that a call reads: declared numbers, limits, and items that the client discards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pytest

from singletable import Between, Page, Since, Table, entity, get, pattern, query
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


@entity(key=("DEVICE#{device}", "EVENT#{at:seconds}#{id}"), expected_per_partition=500)
@dataclass
class TimedEvent:
    device: str
    id: str
    at: datetime


class TimedEvents(Table, entities=[TimedEvent]):
    @pattern()
    def between(self, device: str, at: Between[datetime], *, limit: int = 20) -> Page[TimedEvent]:
        """A period."""
        return query(TimedEvent)

    @pattern()
    def since(self, device: str, at: Since[datetime], *, limit: int = 20) -> Page[TimedEvent]:
        """Since a time."""
        return query(TimedEvent)

    @pattern(expected_examined=30)
    def declared(self, device: str, at: Since[datetime], *, limit: int = 100) -> Page[TimedEvent]:
        """The number of items that DynamoDB reads is declared."""
        return query(TimedEvent)

    @pattern()
    def whole(self, device: str, *, limit: int = 20) -> Page[TimedEvent]:
        """No range, so the client discards nothing."""
        return query(TimedEvent)

    @pattern()
    def one(self, device: str, at: datetime, id: str) -> TimedEvent | None:
        """One item."""
        return get(TimedEvent)


@pytest.mark.parametrize(
    ("name", "items", "wasted"),
    [("between", 22, 2), ("since", 21, 1), ("declared", 30, 0), ("whole", 20, 0), ("one", 1, 0)],
)
def test_a_range_of_truncated_times_also_reads_items_that_the_client_discards(
    name: str, items: int, wasted: int
) -> None:
    plan = getattr(TimedEvents, name).plan
    cost = estimate(TimedEvents.design, plan)
    assert (cost.items, cost.wasted_items) == (items, wasted)
    assert any("in the same second" in each for each in cost.guessed) is (wasted > 0)
