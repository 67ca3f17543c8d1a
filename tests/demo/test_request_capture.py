"""A capturing transport records each request with its response, units and access pattern."""

from __future__ import annotations

import asyncio

import pytest

from examples.shop.model import Shop
from examples.shop.rows import ROWS
from singletable import AlreadyExists
from singletable.client.tracing import RequestEvent
from singletable.demo.request_capture import CapturedRequest, CapturingTransport, Cost, cost_of


def watch_nothing(_: RequestEvent) -> None:
    pass


def capturing(shop: Shop) -> CapturingTransport:
    session = shop._opened().session
    session.transport = transport = CapturingTransport(session.transport)
    return transport


def test_request_capture_records_a_read_with_parameters_items_and_units() -> None:
    with Shop.open("memory:", hook=watch_nothing) as shop:
        for row in ROWS:
            shop.put(row)
        transport = capturing(shop)
        shop.whole_order("o101")
        asyncio.run(shop.whole_order.aio("o101"))
        first, second = transport.take_requests()
        assert transport.take_requests() == ()
    assert (first.operation, first.pattern, first.error) == ("Query", "whole_order", None)
    assert first.parameters["ExpressionAttributeValues"] == {":v0": {"S": "ORDER#o101"}}
    assert [item["SK"]["S"] for item in first.items()] == ["ITEM#AVON-TORTOISE", "ITEM#GRANBY-CLEAR", "METADATA"]
    assert first.cost == Cost(1, read_units=0.5)
    assert second == first


def test_request_capture_records_a_rejected_write() -> None:
    with Shop.open("memory:") as shop:
        shop.put(ROWS[0])
        transport = capturing(shop)
        with pytest.raises(AlreadyExists):
            shop.create(ROWS[0])
        (request,) = transport.take_requests()
    assert (request.operation, request.error) == ("PutItem", "ConditionalCheckFailedException")
    assert request.cost == Cost(1)


def test_request_capture_finds_items_in_every_kind_of_response() -> None:
    batch = CapturedRequest("BatchGetItem", {}, {"Responses": {"a": [{"x": {"S": "1"}}], "b": [{"x": {"S": "2"}}]}})
    transaction = CapturedRequest("TransactGetItems", {}, {"Responses": [{"Item": {"x": {"S": "1"}}}, {}]})
    assert [item["x"]["S"] for item in batch.items()] == ["1", "2"]
    assert [item["x"]["S"] for item in transaction.items()] == ["1"]
    assert list(CapturedRequest("GetItem", {}, {}).items()) == []


def test_request_capture_adds_up_costs_by_kind() -> None:
    consumed = {"CapacityUnits": 1.5}
    requests = [
        CapturedRequest("BatchGetItem", {}, {"ConsumedCapacity": [consumed, consumed]}),
        CapturedRequest("PutItem", {}, {"ConsumedCapacity": consumed}),
    ]
    assert cost_of(requests) == Cost(2, 3.0, 1.5)
    assert cost_of(requests).units == 4.5
