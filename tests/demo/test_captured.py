"""What goes through a transport is kept as it was sent, with its answer, its units and the pattern that asked."""

from __future__ import annotations

import asyncio

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from singletable import AlreadyExists
from singletable.client.watched import Watched
from singletable.demo.captured import Captured, Capturing, Cost, cost_of


def watch_nothing(_: Watched) -> None:
    pass


def capturing(shop: Shop) -> Capturing:
    session = shop._opened().session
    session.transport = transport = Capturing(session.transport)
    return transport


def test_a_read_is_kept_with_its_parameters_its_items_and_its_units() -> None:
    with Shop.open("memory:", hook=watch_nothing) as shop:
        for row in ROWS:
            shop.put(row)
        transport = capturing(shop)
        shop.whole_order("o101")
        asyncio.run(shop.whole_order.aio("o101"))
        first, second = transport.taken()
        assert transport.taken() == ()
    assert (first.operation, first.pattern, first.refusal) == ("Query", "whole_order", None)
    assert first.parameters["ExpressionAttributeValues"] == {":v0": {"S": "ORDER#o101"}}
    assert [item["SK"]["S"] for item in first.items()] == ["ITEM#AVON-TORTOISE", "ITEM#GRANBY-CLEAR", "METADATA"]
    assert first.cost == Cost(1, read_units=0.5)
    assert second == first


def test_a_refused_write_is_a_request_too() -> None:
    with Shop.open("memory:") as shop:
        shop.put(ROWS[0])
        transport = capturing(shop)
        with pytest.raises(AlreadyExists):
            shop.create(ROWS[0])
        (request,) = transport.taken()
    assert (request.operation, request.refusal) == ("PutItem", "ConditionalCheckFailedException")
    assert request.cost == Cost(1)


def test_items_are_found_in_every_kind_of_answer() -> None:
    batch = Captured("BatchGetItem", {}, {"Responses": {"a": [{"x": {"S": "1"}}], "b": [{"x": {"S": "2"}}]}})
    transaction = Captured("TransactGetItems", {}, {"Responses": [{"Item": {"x": {"S": "1"}}}, {}]})
    assert [item["x"]["S"] for item in batch.items()] == ["1", "2"]
    assert [item["x"]["S"] for item in transaction.items()] == ["1"]
    assert list(Captured("GetItem", {}, {}).items()) == []


def test_costs_add_up_by_kind() -> None:
    consumed = {"CapacityUnits": 1.5}
    requests = [
        Captured("BatchGetItem", {}, {"ConsumedCapacity": [consumed, consumed]}),
        Captured("PutItem", {}, {"ConsumedCapacity": consumed}),
    ]
    assert cost_of(requests) == Cost(2, 3.0, 1.5)
    assert cost_of(requests).units == 4.5
