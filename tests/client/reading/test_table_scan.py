"""Table scans: with a reason, in segments, of one or all entities, and never without a call of scan."""

from __future__ import annotations

import ast
import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import singletable.client
from singletable import (
    ArgumentRefused,
    DesignError,
    NotConnected,
    Page,
    Table,
    UnknownItemWarning,
    entity,
    native,
    pattern,
    query,
)
from singletable.client.request_session import CONCURRENT_MAX
from singletable.client.request_steps import Call
from singletable.planner.plan import Plan
from singletable.planner.planner import plan_all
from tests.client.between import Document, between
from tests.client.places import EMBEDDED, Place
from tests.client.shop import IN_TWO_HOURS, Customer, Order, OrderItem, Session, Shop, order
from tests.planner.test_witness import tables


def fill(shop: Shop, count: int = 40) -> None:
    shop.put_many(order(number) for number in range(count))
    shop.put_many(OrderItem(f"o{number:04}", "s1") for number in range(count))
    shop.put(Customer(id="c1", name="Ada"))


def kinds(objects: Any) -> Counter[str]:
    return Counter(type(each).__name__ for each in objects)


@pytest.mark.parametrize("segments", [1, 2, 7])
def test_a_table_scan_gives_every_object_once(shop: Shop, segments: int) -> None:
    fill(shop)
    assert kinds(shop.scan(reason="a look around", segments=segments)) == {"Order": 40, "OrderItem": 40, "Customer": 1}
    orders = sorted(shop.scan(Order, reason="export", segments=segments), key=lambda each: each.id)
    assert orders == [order(number) for number in range(40)]

    async def awaited() -> None:
        assert kinds([each async for each in shop.scan(OrderItem, reason="x", segments=segments)]) == {"OrderItem": 40}

    asyncio.run(awaited())


def test_each_iteration_of_a_table_scan_scans_again(shop: Shop) -> None:
    found = shop.scan(Order, reason="twice")
    assert list(found) == []
    shop.put(order(1))
    assert list(found) == [order(1)]
    assert list(found) == [order(1)]


def test_a_table_scan_reads_every_page(shop: Shop) -> None:
    shop.put_many(order(number, note="x" * 100_000) for number in range(35))  # several pages of a megabyte
    seen = between(shop)
    assert len(list(shop.scan(Order, reason="large"))) == 35
    assert len(seen.operations) >= 4
    seen = between(shop)
    for _ in shop.scan(Order, reason="the first will do"):
        break
    assert len(seen.operations) == 1


@pytest.mark.parametrize("awaited", [False, True])
def test_a_table_scan_reads_thousands_of_pages_one_after_another(shop: Shop, place: Place, awaited: bool) -> None:
    pages = 2_000 if place.kind in EMBEDDED else 250
    shop.put_many(order(number) for number in range(pages))
    shop.put(Customer(id="c1", name="Ada"))

    def one_at_a_time(operation: str, request: Document) -> Document:
        return {**request, "Limit": 1}

    seen = between(shop, one_at_a_time)

    async def gathered() -> list[Customer]:
        return [each async for each in shop.scan(Customer, reason="rare")]

    found = asyncio.run(gathered()) if awaited else list(shop.scan(Customer, reason="rare"))
    assert [each.name for each in found] == ["Ada"]
    assert len(seen.operations) > pages


def test_a_table_scan_reads_more_segments_than_connections_in_turn(shop: Shop) -> None:
    fill(shop)
    steps = shop.scan(reason="wide", segments=100)._read(shop.scan(reason="wide", segments=100)._segment_requests())
    calls = next(steps)
    assert isinstance(calls, list)
    assert len(calls) == CONCURRENT_MAX
    assert all(isinstance(call, Call) for call in calls)
    steps.close()
    assert kinds(shop.scan(reason="wide", segments=100)) == {"Order": 40, "OrderItem": 40, "Customer": 1}


def test_a_table_scan_excludes_other_entities_by_a_filter(shop: Shop) -> None:
    fill(shop)
    answers: list[int] = []

    def count(operation: str, answer: Document) -> None:
        answers.append(answer["Count"])

    between(shop, answer=count)
    assert len(list(shop.scan(Customer, reason="few"))) == 1
    assert answers == [1]


@pytest.mark.parametrize("reason", ["", "   ", None, 7])
def test_a_table_scan_without_a_reason_is_rejected(shop: Shop, reason: Any) -> None:
    with pytest.raises(ArgumentRefused, match="pass the reason for it"):
        shop.scan(Order, reason=reason)
    with pytest.raises(TypeError, match="reason"):
        shop.scan(Order)  # type: ignore[call-overload]  # that is what is tested


@pytest.mark.parametrize("segments", [0, -1, 1_000_001, True, 1.5])
def test_a_table_scan_rejects_an_invalid_number_of_segments(shop: Shop, segments: Any) -> None:
    with pytest.raises(ArgumentRefused, match="segments must be"):
        shop.scan(reason="x", segments=segments)


def test_a_table_scan_rejects_a_class_that_is_not_in_the_table(shop: Shop) -> None:
    with pytest.raises(ArgumentRefused, match="int is not an entity of Shop"):
        shop.scan(int, reason="x")
    shop.close()
    with pytest.raises(NotConnected):
        shop.scan(reason="x")


def test_a_table_scan_is_counted_by_its_reason(shop: Shop, place: Place) -> None:
    fill(shop)
    shop.metrics.reset()
    list(shop.scan(Order, reason="nightly export"))
    list(shop.scan(reason="nightly export", consistent=True))
    usage = shop.metrics.by_pattern["scan: nightly export"]
    assert usage.requests == 2
    # 10 KB, read once eventually consistently and once strongly consistently
    assert not place.has("exact units") or usage.read_units == 1.5 * 3


def test_a_table_scan_hides_expired_items_by_default(place: Place) -> None:
    now = IN_TWO_HOURS
    old, new = Session("old", now - timedelta(hours=1)), Session("new", now + timedelta(hours=1))
    with place.clocked(Shop, now.timestamp) as shop:
        shop.put_many([old, new])
        assert list(shop.scan(Session, reason="x")) == [new]
        assert sorted(shop.scan(Session, reason="x", expired=True), key=lambda each: each.id) == [new, old]


def test_a_table_scan_skips_an_unknown_item_with_a_warning(shop: Shop) -> None:
    shop.put(order(1))

    def add_a_stranger(operation: str, answer: Document) -> Document:
        stranger = {"PK": {"S": "X"}, "SK": {"S": "Y"}, "entity_type": {"S": "Invoice"}}
        return {**answer, "Items": [stranger, *answer["Items"]]}

    between(shop, answer=add_a_stranger)
    for scan in (shop.scan(reason="audit"), shop.scan(Order, reason="audit")):
        with pytest.warns(UnknownItemWarning, match="scan: audit found an item that belongs to no entity of Shop"):
            assert list(scan) == [order(1)]


@entity(key=(native("id"),))
@dataclass
class Plain:
    id: str
    size: int = 0


class Existing(Table, entities=[Plain], keys=("id",), type_attribute=None):
    @pattern()
    def of_size(self, size: int) -> Page[Plain]:
        return query(Plain)


def test_a_table_scan_reads_a_table_without_types(place: Place) -> None:
    with place.open(Existing) as table:
        table.put_many(Plain(f"p{number}", number) for number in range(9))
        assert {each.size for each in table.scan(Plain, reason="x", segments=3)} == set(range(9))


def test_a_pattern_that_needs_a_table_scan_is_rejected_without_a_request(place: Place) -> None:
    with place.open(Existing) as table:
        seen = between(table)
        with pytest.raises(DesignError, match="is not supported"):
            table.of_size(3)
        assert seen.operations == []


def test_the_planner_never_plans_a_table_scan() -> None:
    plans = [outcome for table in tables() for outcome in plan_all(table.design) if isinstance(outcome, Plan)]
    operations = {plan.operation for plan in plans}
    assert operations <= {"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"}
    assert "Query" in operations


NAMING_SCAN = ["design_lease.py", "http/response_matching.py", "reading/table_scan.py", "response_checks.py"]
"""In addition to the scan itself: the operations that read a table, and the fields that a response can have."""


def test_table_scan_is_the_only_file_of_the_client_that_names_the_scan_operation() -> None:
    folder = Path(singletable.client.__file__).parent
    naming = {
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in ("Scan", "ExecuteStatement", "BatchExecuteStatement")
    }
    assert sorted(naming) == NAMING_SCAN
