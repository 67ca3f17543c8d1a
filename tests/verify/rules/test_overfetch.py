"""Overfetch: findings name the other entities in a range, and reads never return them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from singletable import Page, Since, Table, entity, get, pattern, query
from singletable.model.design import Design
from singletable.planner.changed_designs import with_other_keys
from singletable.planner.plan import Plan
from singletable.verify.design_check import check
from singletable.verify.rules import overfetch


@entity(key=("USER#{user_id}", "ORDER#{id}"), gsi1=("ORDER#{id}", "{placed_at:seconds}"), expected_per_partition=5)
@dataclass
class Order:
    user_id: str
    id: str
    placed_at: datetime


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"), gsi1=("ORDER#{order_id}", "{added_at:seconds}"))
@dataclass
class Item:
    order_id: str
    sku: str
    added_at: datetime


@entity(key=("USER#{user_id}", "ORDER#{order_id}#NOTE#{at:seconds}"), expected_per_partition=15)
@dataclass
class Note:
    user_id: str
    order_id: str
    at: datetime


class Orders(Table, entities=[Order, Item, Note]):
    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

    @pattern()
    def orders(self, user_id: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def notes(self, user_id: str, order_id: str) -> Page[Note]:
        return query(Note)

    @pattern()
    def notes_since(self, user_id: str, order_id: str, at: Since[datetime]) -> Page[Note]:
        return query(Note)


def test_the_overfetch_rule_lists_the_other_entities_in_a_range_and_their_number() -> None:
    found = {f.subject: f.message for f in check(Orders.design).findings if f.code == "ST103"}
    assert set(found) == {"order", "orders"}
    assert "can also contain Item; declare expected_per_partition= on Order and Item" in found["order"]
    assert found["orders"].endswith("can also contain Note; reads 20 items to return 5, 4.0 times as many")


def test_plan_reads_sets_no_limit_for_a_get_among_other_entities() -> None:
    plan = Orders.order.plan
    assert isinstance(plan, Plan)
    assert plan.other_entities
    assert plan.limit is None


def test_a_remedy_for_overfetch_compiles_the_whole_design_only_if_a_part_of_it_serves_the_pattern(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[object] = []

    def counting(*given: Any) -> Design | None:
        compiled.append(given)
        return with_other_keys(*given)

    monkeypatch.setattr(overfetch, "with_other_keys", counting)
    found = [each for each in check(Orders.design).findings if each.code == "ST103"]
    assert found
    assert len(compiled) <= len(found)
