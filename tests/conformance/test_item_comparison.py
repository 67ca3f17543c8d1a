"""Items that the client writes have no problems. Each kind of change to an item causes exactly its problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from singletable import SingletableError, Table, entity, sparse
from singletable.client.items.decoder import Item
from singletable.conformance.item_comparison import FAST_COMPARISON, ItemComparer
from singletable.conformance.items_report import ItemsCheck
from singletable.conformance.scan_items import ItemScan, StoredItem
from singletable.planner.stored_items import item_of, values_of
from singletable.testing import items_of, objects_of
from singletable.verify.item_rules import (
    HIDDEN_BY_NONE,
    IMPLAUSIBLE_TTL,
    MALFORMED_TIME,
    NUMBER_AS_TEXT,
    PLACEHOLDER_VALUE,
    SEVERAL_TYPES,
)
from tests.client.social import Social
from tests.client.test_derived_data_at_random import Chance
from tests.client.write.random_models import random_table
from tests.planner.test_witness import tables
from tests.testing.models import Models, Readings

EXAMPLES = settings(
    max_examples=max(4, settings().max_examples // 25),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

IGNORED = (HIDDEN_BY_NONE, MALFORMED_TIME, NUMBER_AS_TEXT, PLACEHOLDER_VALUE, IMPLAUSIBLE_TTL, SEVERAL_TYPES)


def stored_in(table: Table) -> Iterator[StoredItem]:
    """Return all items of a table, with the JSON that its server sends."""
    opened = table._opened()
    for page in ItemScan(opened.session, opened.reader.name).pages():
        yield from page


def findings_of(table: Table) -> list[str]:
    """The findings about the items of a table.

    ST106 also finds items that an optional field hides; random texts can look like numbers or placeholders.
    """
    check = ItemsCheck(type(table).design)
    check.add_all(stored_in(table))
    findings = check.report(is_whole=True).findings
    return [str(each.finding) for each in findings if each.finding.rule not in IGNORED]


@pytest.mark.parametrize("table", [*tables(), Models, Readings, Social], ids=lambda table: table.__name__)
@EXAMPLES
@given(data=st.data())
def test_the_item_comparison_finds_nothing_in_items_of_the_client(table: type[Table], data: st.DataObject) -> None:
    with table.open("memory:") as opened:
        for value in data.draw(items_of(table, max_size=8)):
            try:
                opened.put(value)
            except SingletableError:  # for example, a rule of the class about derived data
                continue
        assert findings_of(opened) == []


@given(seed=st.integers(0, 2**32))
def test_the_item_comparison_finds_nothing_in_items_of_random_classes(seed: int) -> None:
    random = Random(seed)
    made = random_table(random)
    with made.table.open("memory:") as opened:
        for name in "abc":
            try:
                opened.put(made.model.valid(random, id=name))
            except (SingletableError, TypeError, ValueError, AttributeError):  # a class may reject its own values
                continue
        assert findings_of(opened) == []


@given(seed=st.integers(0, 2**32))
def test_the_item_comparison_finds_nothing_after_updates_and_transactions(seed: int) -> None:
    chance = Chance(seed)
    with Social.open("memory:") as social:
        for number in range(30):
            try:
                if chance.is_together():
                    with social.transaction(token=f"t{number}") as transaction:
                        for kind, arguments in chance.several():
                            getattr(transaction, kind)(*arguments)
                else:
                    kind, arguments = chance.write()
                    getattr(social, kind)(*arguments)
            except SingletableError:
                continue
        assert findings_of(social) == []


@entity(
    key=("CUST#{customer_id}", "ORDER#{number:04d}"),
    gsi1=("STATUS#{status}", "{number:04d}#{customer_id}"),
    gsi2=sparse("ASSIGNEE#{assignee}", "{customer_id}"),
    unique=[("customer_id", "note")],
    accept={"ST107": "a test"},
)
class Order(BaseModel):
    customer_id: str
    number: int
    status: str
    total: Decimal
    note: str
    assignee: str | None = None


@entity(key=("CUST#{customer_id}", "REMARK#{id}"), gsi2=("REMARK#{topic}", "{id}"))
@dataclass
class Remark:
    customer_id: str
    id: str
    topic: str | None


class Shop(Table, entities=[Order, Remark]):
    pass


COMPARER = ItemComparer(Shop.design)


def problems_of(item: Item) -> list[tuple[str, str]]:
    return [(problem.rule.code, problem.reason) for problem in COMPARER.compare(item).problems]


def without(*names: str) -> Callable[[Item], Item]:
    return lambda item: {name: value for name, value in item.items() if name not in names}


def changed(name: str, value: dict[str, Any]) -> Callable[[Item], Item]:
    return lambda item: {**item, name: value}


def unpadded(name: str) -> Callable[[Item], Item]:
    return lambda item: {**item, name: {"S": re.sub("0+(?=[0-9])", "", item[name]["S"], count=1)}}


ORDER_CHANGES = {
    "unknown type": (
        changed("entity_type", {"S": "Ghost"}),
        ("ST201", "the model has no entity with entity_type 'Ghost'"),
    ),
    "no type and a strange key": (
        lambda item: changed("PK", {"S": "GHOST#7"})(without("entity_type")(item)),
        ("ST201", 'no entity has a key like PK "GHOST#...", SK "ORDER#..."'),
    ),
    "missing attribute": (without("total"), ("ST202", "attribute 'total' is missing")),
    "wrong type": (changed("total", {"S": "x"}), ("ST202", "total must be Decimal")),
    "other partition key": (
        changed("PK", {"S": "CUST#%24"}),
        ("ST203", "PK of the table differs from the values of the fields"),
    ),
    "sort key of another field": (
        changed("SK", {"S": "ORDER#9999"}),
        ("ST203", "SK of the table differs from the values of the fields"),
    ),
    "missing key": (without("SK"), ("ST203", "SK of the table differs from the values of the fields")),
    "number does not fit": (changed("number", {"N": "12345"}), ("ST203", "the model cannot write the item")),
    "other index key": (
        changed("GSI1PK", {"S": "STATUS#%24"}),
        ("ST204", "GSI1PK of GSI1 differs from the values of the fields"),
    ),
    "missing index key": (
        without("GSI1PK", "GSI1SK"),
        ("ST205", "GSI1 does not contain the item, because GSI1PK, GSI1SK are missing"),
    ),
    "half an index key": (
        without("GSI1SK"),
        ("ST205", "GSI1 does not contain the item, because GSI1SK is missing"),
    ),
    "index key of another type": (
        changed("GSI1PK", {"N": "5"}),
        (
            "ST205",
            "GSI1 does not contain the item, because GSI1PK, GSI1SK has a different type than the key of the index",
        ),
    ),
    "stale entry of a sparse index": (
        lambda item: {**without("assignee")(item), "GSI2PK": {"S": "ASSIGNEE#x"}, "GSI2SK": {"S": "y"}},
        ("ST206", "GSI2 contains the item, but a field of its keys has no value"),
    ),
    "sort key without padding": (unpadded("SK"), ("ST207", "a number in SK of the table has no padding")),
    "index key without padding": (unpadded("GSI1SK"), ("ST207", "a number in GSI1SK of GSI1 has no padding")),
}


@pytest.mark.parametrize("name", ORDER_CHANGES)
@settings(max_examples=20)
@given(order=objects_of(Shop, Order, number=st.integers(0, 9)))
def test_the_item_comparison_finds_exactly_the_problem_of_every_change(name: str, order: Order) -> None:
    change, expected = ORDER_CHANGES[name]
    # Some changes would have no effect if these fields already had the new values.
    order = order.model_copy(update={"customer_id": "c", "status": "OPEN"})
    item = item_of(Shop.design, Shop.design.entities[0], values_of(Shop.design.entities[0], order))
    assert problems_of(item) == []
    assert problems_of(change(item)) == [expected]


def test_the_item_comparison_reports_keys_of_an_index_that_lacks_the_entity() -> None:
    design = Shop.design
    item = item_of(design, design.entities[1], {"customer_id": "c", "id": "7", "topic": "x"})
    stray = {**item, "GSI1PK": {"S": "STATUS#OPEN"}, "GSI1SK": {"S": "0"}}
    assert problems_of(item) == []
    assert problems_of(stray) == [("ST206", "GSI1 contains the item, but the entity is not in it")]


def test_optional_field_hides_an_item_from_an_index_that_is_not_sparse() -> None:
    design = Shop.design
    item = item_of(design, design.entities[1], {"customer_id": "c", "id": "7", "topic": None})
    assert problems_of(item) == [("ST208", "GSI2 does not contain items without topic")]


def test_the_item_comparison_allows_attributes_outside_the_model_except_a_part_of_an_index_key() -> None:
    order = Order(customer_id="c", number=7, status="OPEN", total=Decimal(5), note="n")
    item = item_of(Shop.design, Shop.design.entities[0], values_of(Shop.design.entities[0], order))
    assert problems_of({**item, "other": {"S": "x"}}) == []
    reason = "GSI2 does not contain the item, because it has GSI2PK without GSI2SK"
    assert problems_of({**item, "GSI2PK": {"S": "half an entry"}}) == [("ST225", reason)]


def test_the_item_comparison_recognises_internal_items() -> None:
    with Shop.open("memory:") as shop:
        with shop.transaction(token="once") as transaction:
            transaction.put(Order(customer_id="c", number=7, status="OPEN", total=Decimal(5), note="n"))
        compared = [COMPARER.compare(*each) for each in stored_in(shop)]
    assert sorted(each.is_internal for each in compared) == [False, True, True]
    assert not any(each.problems for each in compared)


@EXAMPLES
@given(data=st.data())
def test_the_fast_path_of_the_item_comparison_gives_the_same_result(data: st.DataObject) -> None:
    with Shop.open("memory:") as shop:
        shop.put_many(data.draw(items_of(Shop, max_size=8)))
        for item, json in stored_in(shop):
            slow, fast = COMPARER.compare(item), COMPARER.compare(item, json)
            assert (slow.entity, slow.value, slow.written) == (fast.entity, fast.value, fast.written)
            assert dict(slow.values) == dict(fast.values)
            assert slow.problems == fast.problems


def test_stored_items_take_the_fast_path() -> None:
    with Shop.open("memory:") as shop:
        shop.put(Order(customer_id="c", number=7, status="OPEN", total=Decimal(5), note="n"))
        (order,) = (each for each in stored_in(shop) if "total" in each.item)
    before = (FAST_COMPARISON.hits, FAST_COMPARISON.misses)
    assert COMPARER.compare(*order).problems == ()
    assert (FAST_COMPARISON.hits, FAST_COMPARISON.misses) == (before[0] + 1, before[1])
