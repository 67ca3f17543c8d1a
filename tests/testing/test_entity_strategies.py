"""Generated objects of a table have distinct keys, refer to each other, and can be stored."""

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
from singletable import ArgumentRefused, Table, count, entity, exists, key
from singletable.client.items.item_types import ItemTypes
from singletable.planner.stored_items import item_of, key_of, values_of
from singletable.sample_rows.linked_fields import linked_fields
from singletable.testing import items_of, objects_of
from singletable.testing.entity_strategies import _LinkedEntities
from tests.client.social import Follower, Post, Social
from tests.planner.test_witness import tables
from tests.testing.models import Every, Limited, Models, Node, Reading, Readings


@pytest.mark.parametrize("table", [*tables(), Models, Readings], ids=lambda table: table.__name__)
@settings(
    max_examples=max(4, settings().max_examples // 25),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_entity_strategies_generate_distinct_keys_and_objects_that_can_be_stored(
    table: type[Table], data: st.DataObject
) -> None:
    design, kinds = table.design, ItemTypes(table.design)
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


def test_entity_strategies_generate_children_that_refer_to_existing_parents() -> None:
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
def test_entity_strategies_generate_copied_fields_that_equal_their_source(values: list[Any]) -> None:
    papers = {value.id: value for value in values if isinstance(value, Paper)}
    for value in values:
        if isinstance(value, Membership | Topic) and value.paper_id in papers:
            paper = papers[value.paper_id]
            assert (value.title, value.published) == (paper.title, paper.published)


@pytest.mark.parametrize("table", [*tables(), Models, Readings, Social], ids=lambda table: table.__name__)
def test_entity_strategies_generate_values_of_linked_fields_even_if_optional(table: type[Table]) -> None:
    for pool in _LinkedEntities(table.design).pools:
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
    """Coupons, whose class rejects half of all days."""


def test_entity_strategies_redraw_values_rejected_by_the_class() -> None:
    assert len(_drawn(items_of(Coupons, max_size=6))) > 50


def _drawn(values: st.SearchStrategy[list[Any]]) -> list[Any]:
    """Values of which few draws are discarded."""
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
def test_entity_strategies_respect_the_limits_of_list_sizes(values: list[Any]) -> None:
    assert 3 <= len(values) <= 5


def test_linked_fields_have_the_same_key_prefix_and_name() -> None:
    groups = [sorted(".".join(place) for place in group) for group in linked_fields(Commerce.design)]
    assert sorted(groups) == [
        ["Order.id", "OrderDetails.id", "OrderItem.order_id"],
        ["Order.user_id", "User.id"],
    ]
    assert linked_fields(Readings.design) == []


@settings(max_examples=max(5, settings().max_examples // 10), suppress_health_check=list(HealthCheck))
@given(items_of(Social, max_size=12))
def test_entity_strategies_generate_the_derived_data_that_writes_produce(values: list[Any]) -> None:
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
def test_entity_strategies_generate_the_conditional_counters_that_writes_produce(values: list[Any]) -> None:
    with Boards.open("memory:") as boards:
        for value in values:
            boards.put(value)
        assert sorted(map(repr, boards.scan(reason="a test"))) == sorted(map(repr, values))


def test_entity_strategies_generate_tasks_that_only_one_counter_counts() -> None:
    lists(Boards, lambda values: any(isinstance(each, Board) and each.tasks > each.open_tasks > 0 for each in values))


def _shown(value: Any) -> str:
    return repr(replace(value, version=0)) if isinstance(value, Post) else repr(value)


TABLES: list[type[Table]] = [*tables(), Models, Readings]
ENTITIES = [
    pytest.param(table, entity.cls, id=f"{table.__name__}.{entity.label}")
    for table in TABLES
    for entity in table.design.entities
    # Copies need a source, and a mirror is written with what it mirrors; items_of makes both.
    if not entity.declaration.copies and entity.declaration.mirror_of is None
]


@pytest.mark.parametrize(("table", "cls"), ENTITIES)
@settings(max_examples=max(8, settings().max_examples // 12), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_entity_strategies_generate_objects_that_are_read_back_unchanged(
    table: type[Table], cls: type, data: st.DataObject
) -> None:
    made = data.draw(objects_of(table, cls))
    entity = table.design.entity_of(cls)
    with table.open("memory:") as opened:
        put = opened.put(made)
        again = opened.get(key(cls, **{name: getattr(made, name) for name in entity.base.fields}))
    assert again == put
    if entity.declaration.version is None:
        assert again == made


def test_field_strategies_generate_varied_values() -> None:
    seen: list[Every] = []

    @settings(
        max_examples=100,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
        derandomize=True,
    )
    @given(objects_of(Models, Every))
    def collect(made: Every) -> None:
        seen.append(made)

    collect()
    assert any(made.maybe is None for made in seen)
    assert any(made.maybe is not None and made.sized is not None for made in seen)
    assert any(made.size.note is None for made in seen)
    assert any(made.part.parts for made in seen)
    assert {type(made.either) for made in seen} == {int, str}
    assert any(made.number > 9 for made in seen)
    assert any(character in made.id for made in seen for character in "#%$ ")
    assert any(abs(made.free) > 10**20 for made in seen)
    assert any(0 < abs(made.free) < 1 for made in seen)


@settings(max_examples=max(20, settings().max_examples // 5), suppress_health_check=[HealthCheck.too_slow])
@given(objects_of(Models, Every))
def test_field_strategies_generate_only_values_that_are_stored(made: Every) -> None:
    assert made.tags
    assert made.numbers
    assert made.later is not None, "it would come back as its default"
    assert made.maybe != "", "the key would be empty"


@given(objects_of(Models, Limited))
def test_field_limits_respect_the_constraints_of_a_field(made: Limited) -> None:
    assert 0 < made.positive <= 10
    assert made.even in range(-6, 7, 2)
    assert made.ends > 4_000_000_000
    assert made.upper == made.upper.upper() != ""


@given(objects_of(Models, Limited, positive=st.just(7), upper=st.just("x")))
def test_entity_strategies_accept_a_custom_strategy_for_a_field(made: Limited) -> None:
    assert (made.positive, made.upper) == (7, "X")


def test_entity_strategies_reject_unknown_entities_and_fields() -> None:
    with pytest.raises(ArgumentRefused, match="Reading is not an entity of Models"):
        objects_of(Models, Reading)
    with pytest.raises(ArgumentRefused, match="Node has no field colour; its fields are path"):
        objects_of(Models, Node, colour=st.none())
