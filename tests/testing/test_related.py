"""What Hypothesis makes for a whole table could lie in it: unique, linked, and stored as it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any, Self

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from examples.commerce.model import Commerce, OrderDetails, OrderItem
from examples.papers.model import Membership, Paper, Papers, Topic
from singletable import Table, count, entity, exists
from singletable.client.items.kinds import Kinds
from singletable.planner.items import item_of, key_of, values_of
from singletable.sample_rows.links import linked_fields
from singletable.testing import items_of
from singletable.testing.related import _Related
from tests.client.social import Follower, Post, Social
from tests.planner.test_witness import tables
from tests.testing.models import Models, Readings


@pytest.mark.parametrize("table", [*tables(), Models, Readings], ids=lambda table: table.__name__)
@settings(
    max_examples=max(4, settings().max_examples // 25),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_no_two_have_one_key_and_all_are_stored(table: type[Table], data: st.DataObject) -> None:
    design, kinds = table.design, Kinds(table.design)
    values = data.draw(items_of(table, max_size=12))
    assert len(values) <= 12
    keys: Counter[str] = Counter()
    for value in values:
        entity = design.entity_of(type(value))
        fields = values_of(entity, value)
        keys[repr(key_of(entity, fields))] += 1
        assert kinds.read(item_of(design, entity, fields)) == value
    assert not [key for key, count in keys.items() if count > 1]


def lists(table: type[Table], wanted: Any) -> list[Any]:
    return find(items_of(table), wanted, settings=settings(max_examples=1000, phases=[Phase.generate], database=None))


def test_children_lie_beside_their_parents() -> None:
    def has_whole_order(values: list[Any]) -> bool:
        orders = {value.id for value in values if isinstance(value, OrderDetails)}
        lines = Counter(value.order_id for value in values if isinstance(value, OrderItem))
        return any(lines[order] > 1 for order in orders)

    values = lists(Commerce, has_whole_order)
    with Commerce.open("memory:") as shop:
        for value in values:
            shop.put(value)
        (order, *_) = [value.id for value in values if isinstance(value, OrderDetails)]
        whole = shop.order_with_items(order)
    assert whole is not None


@settings(max_examples=max(20, settings().max_examples // 5), suppress_health_check=[HealthCheck.too_slow])
@given(items_of(Papers))
def test_what_is_copied_equals_what_it_was_copied_from(values: list[Any]) -> None:
    papers = {value.id: value for value in values if isinstance(value, Paper)}
    for value in values:
        if isinstance(value, Membership | Topic) and value.paper_id in papers:
            paper = papers[value.paper_id]
            assert (value.title, value.published) == (paper.title, paper.published)


@pytest.mark.parametrize("table", [*tables(), Models, Readings, Social], ids=lambda table: table.__name__)
def test_linked_fields_have_values_whether_they_may_be_none_or_not(table: type[Table]) -> None:
    for pool in _Related(table.design).pools:
        assert None not in _drawn(pool)


@entity(key=("COUPON#{code}", "COUPON"))
class Coupon(BaseModel):
    code: str = Field(min_length=3, max_length=12, pattern=r"^[A-Z]+$")
    first: date
    last: date

    @model_validator(mode="after")
    def in_order(self) -> Self:
        if self.first > self.last:
            raise ValueError("it ends before it begins")
        return self


class Coupons(Table, entities=[Coupon]):
    """Coupons, whose class refuses half of all days."""


def test_of_a_class_that_refuses_some_values_others_are_drawn() -> None:
    assert len(_drawn(items_of(Coupons, max_size=6))) > 50


def _drawn(values: st.SearchStrategy[list[Any]]) -> list[Any]:
    """Some values, of which hardly any draw was in vain."""
    found: list[Any] = []
    begun: list[None] = []

    @settings(max_examples=50, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.builds(begun.append, st.none()).flatmap(lambda _: values))
    def draw(each: list[Any]) -> None:
        found.append(each)

    draw()
    assert len(found) > 0.7 * len(begun), "the others were thrown away"
    return [value for each in found for value in each]


@settings(max_examples=max(20, settings().max_examples // 5), suppress_health_check=[HealthCheck.too_slow])
@given(items_of(Commerce, min_size=3, max_size=5))
def test_sizes_are_kept(values: list[Any]) -> None:
    assert 3 <= len(values) <= 5


def test_fields_are_linked_by_what_keys_write_before_them_and_by_their_names() -> None:
    groups = [sorted(".".join(place) for place in group) for group in linked_fields(Commerce.design)]
    assert sorted(groups) == [
        ["Order.id", "OrderDetails.id", "OrderItem.order_id"],
        ["Order.user_id", "User.id"],
    ]
    assert linked_fields(Readings.design) == []


@settings(max_examples=max(5, settings().max_examples // 10), suppress_health_check=list(HealthCheck))
@given(items_of(Social, max_size=12))
def test_what_is_kept_by_writes_is_as_they_leave_it(values: list[Any]) -> None:
    with Social.open("memory:") as social:
        for value in values:
            social.put(value)
        found = [each for each in social.scan(reason="a test") if not isinstance(each, Follower)]
    assert sorted(map(_shown, found)) == sorted(map(_shown, values))


@entity(key=("BOARD#{id}", "BOARD"))
class Board(BaseModel):
    id: str
    tasks: int = 0
    open_tasks: int = 0


@entity(
    key=("BOARD#{board}", "TASK#{id}"),
    counted=[
        count(Board, by={"id": "board"}, field="tasks"),
        count(Board, by={"id": "board"}, field="open_tasks", where=lambda t: (t.is_open == True) & exists(t.owner)),  # noqa: E712
    ],
)
class Task(BaseModel):
    board: str
    id: str
    is_open: bool
    owner: str | None = None


class Boards(Table, entities=[Board, Task]):
    """Boards that count all tasks, and those that are open and have an owner."""


@given(items_of(Boards, max_size=12))
def test_counters_with_a_condition_are_as_writes_leave_them(values: list[Any]) -> None:
    with Boards.open("memory:") as boards:
        for value in values:
            boards.put(value)
        assert sorted(map(repr, boards.scan(reason="a test"))) == sorted(map(repr, values))


def test_some_tasks_are_counted_by_one_counter_alone() -> None:
    lists(Boards, lambda values: any(isinstance(each, Board) and each.tasks > each.open_tasks > 0 for each in values))


def _shown(value: Any) -> str:
    return repr(replace(value, version=0)) if isinstance(value, Post) else repr(value)
