"""In a table for each entity the same requests find the same items, and what reads several entities takes more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings

from examples import SYSTEMS
from examples.shop.model import Order, Shop
from singletable.client.watched import Watched
from singletable.demo.captured import Captured, Capturing, Cost, cost_of
from singletable.demo.systems import systems_named
from singletable.demo.table_per_entity import TablePerEntity
from singletable.demo.tour import Asked, stored_items, take
from singletable.testing import items_of


def watch_nothing(_: Watched) -> None:
    pass


def found(requests: Iterable[Captured]) -> set[str]:
    return {repr(sorted(item.items())) for request in requests for item in request.items()}


def asked(system: str) -> dict[str, Asked]:
    return {each.name: each for each in take(*systems_named([system])).asked}


def test_a_whole_order_is_one_request_or_one_for_each_entity() -> None:
    whole_order = asked("shop")["whole_order"]
    assert whole_order.cost == Cost(1, read_units=0.5)
    assert whole_order.cost_elsewhere == Cost(2, read_units=1.0)
    get, query = whole_order.elsewhere
    assert (get.operation, get.parameters["TableName"]) == ("GetItem", "Order")
    assert get.parameters["Key"] == {"PK": {"S": "ORDER#o101"}, "SK": {"S": "METADATA"}}
    assert (query.operation, query.parameters["TableName"]) == ("Query", "OrderItem")
    assert found(whole_order.elsewhere) == found(whole_order.requests)


def test_a_read_of_one_entity_costs_the_same() -> None:
    for name, each in asked("shop").items():
        if name != "whole_order":
            assert each.cost_elsewhere == each.cost, name


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_question_finds_the_same_items_in_both(system: str) -> None:
    for name, each in asked(system).items():
        reads = [request for request in each.requests if request.is_read]
        assert found(request for request in each.elsewhere if request.is_read) == found(reads), name
        assert each.cost_elsewhere.requests >= each.cost.requests, name


@settings(max_examples=25, deadline=None)
@given(items_of(Shop))
def test_any_order_is_found_whole_in_both(rows: list[Any]) -> None:
    with Shop.open("memory:", hook=watch_nothing) as shop:
        for row in rows:
            shop.put(row)
        elsewhere = TablePerEntity(Shop, stored_items(shop))
        session = shop._opened().session
        session.transport = capturing = Capturing(session.transport)
        for order in (row for row in rows if isinstance(row, Order)):
            shop.whole_order(order.id)
            requests = capturing.taken()
            replayed = elsewhere.replay(requests)
            assert found(replayed) == found(requests)
            assert cost_of(replayed).requests == 2
        elsewhere.close()


def test_an_entity_has_only_the_indexes_that_its_items_are_in() -> None:
    elsewhere = TablePerEntity(Shop, ())
    described = {name: elsewhere._engine.call("DescribeTable", {"TableName": name})["Table"] for name in ENTITIES}
    elsewhere.close()
    indexes = {name: [i["IndexName"] for i in t.get("GlobalSecondaryIndexes", ())] for name, t in described.items()}
    assert indexes == {"Customer": ["GSI1"], "Order": ["GSI1"], "OrderItem": ["GSI1"], "Product": []}


ENTITIES = ("Customer", "Order", "OrderItem", "Product")


def test_a_request_that_is_refused_there_is_counted() -> None:
    elsewhere = TablePerEntity(Shop, ())
    key = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "METADATA"}}
    update = {"TableName": "Shop", "Key": key, "UpdateExpression": "SET a = b"}
    (answered,) = elsewhere.replay([Captured("UpdateItem", update)])
    elsewhere.close()
    assert (answered.refusal, answered.parameters["TableName"]) == ("ValidationException", "Order")
