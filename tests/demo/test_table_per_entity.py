"""With one table per entity, the same requests find the same items. Reading several entities takes more requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings

from examples import SYSTEMS
from examples.commerce.model import Commerce
from examples.papers.model import Papers
from examples.shop.model import Order, Shop
from singletable.client.tracing import RequestEvent
from singletable.demo.request_capture import CapturedRequest, CapturingTransport, Cost, Document, cost_of
from singletable.demo.systems import systems_named
from singletable.demo.table_per_entity import RetargetedRequest, TablePerEntity, entities_of_query, index_of, retargeted
from singletable.demo.tour import ScriptRun, run_tour, scan_items
from singletable.model.entity import Entity
from singletable.planner.plan import Plan
from singletable.testing import items_of


def watch_nothing(_: RequestEvent) -> None:
    pass


def found(requests: Iterable[CapturedRequest]) -> set[str]:
    return {repr(sorted(item.items())) for request in requests for item in request.items()}


def asked(system: str) -> dict[str, ScriptRun]:
    return {each.name: each for each in run_tour(*systems_named([system])).runs}


def test_table_per_entity_needs_one_request_per_entity_for_a_whole_order() -> None:
    whole_order = asked("shop")["whole_order"]
    assert whole_order.cost == Cost(1, read_units=0.5)
    assert whole_order.per_entity_cost == Cost(2, read_units=1.0)
    get, query = whole_order.per_entity_requests
    assert (get.operation, get.parameters["TableName"]) == ("GetItem", "Order")
    assert get.parameters["Key"] == {"PK": {"S": "ORDER#o101"}, "SK": {"S": "METADATA"}}
    assert (query.operation, query.parameters["TableName"]) == ("Query", "OrderItem")
    assert found(whole_order.per_entity_requests) == found(whole_order.requests)


def test_table_per_entity_costs_the_same_for_a_read_of_one_entity() -> None:
    for name, each in asked("shop").items():
        if name != "whole_order":
            assert each.per_entity_cost == each.cost, name


@pytest.mark.parametrize("system", SYSTEMS)
def test_table_per_entity_finds_the_same_items_for_every_script(system: str) -> None:
    for name, each in asked(system).items():
        reads = [request for request in each.requests if request.is_read]
        assert found(request for request in each.per_entity_requests if request.is_read) == found(reads), name
        assert each.per_entity_cost.requests >= each.cost.requests, name


@settings(max_examples=25, deadline=None)
@given(items_of(Shop))
def test_table_per_entity_finds_every_order_complete(rows: list[Any]) -> None:
    with Shop.open("memory:", hook=watch_nothing) as shop:
        for row in rows:
            shop.put(row)
        elsewhere = TablePerEntity(Shop, scan_items(shop))
        session = shop._opened().session
        session.transport = capturing = CapturingTransport(session.transport)
        for order in (row for row in rows if isinstance(row, Order)):
            shop.whole_order(order.id)
            requests = capturing.take_requests()
            replayed = elsewhere.replay(requests)
            assert found(replayed) == found(requests)
            assert cost_of(replayed).requests == 2
        elsewhere.close()


def test_a_table_per_entity_has_only_the_indexes_of_its_entity() -> None:
    elsewhere = TablePerEntity(Shop, ())
    described = {name: elsewhere._engine.call("DescribeTable", {"TableName": name})["Table"] for name in ENTITIES}
    elsewhere.close()
    indexes = {name: [i["IndexName"] for i in t.get("GlobalSecondaryIndexes", ())] for name, t in described.items()}
    assert indexes == {"Customer": ["GSI1"], "Order": ["GSI1"], "OrderItem": ["GSI1"], "Product": []}


ENTITIES = ("Customer", "Order", "OrderItem", "Product")


def test_table_per_entity_counts_a_rejected_request() -> None:
    elsewhere = TablePerEntity(Shop, ())
    key = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "METADATA"}}
    update = {"TableName": "Shop", "Key": key, "UpdateExpression": "SET a = b"}
    (answered,) = elsewhere.replay([CapturedRequest("UpdateItem", update)])
    elsewhere.close()
    assert (answered.error, answered.parameters["TableName"]) == ("ValidationException", "Order")


def key_query(condition: str, *values: str, index: str | None = None) -> dict[str, Any]:
    sent: dict[str, Any] = {
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {f":v{number}": {"S": value} for number, value in enumerate(values)},
    }
    return sent if index is None else {**sent, "IndexName": index}


@pytest.mark.parametrize(
    ("sent", "met"),
    [
        (key_query("PK = :v0", "ORDER#o1"), ["Order", "OrderItem"]),
        (key_query("PK = :v0 AND begins_with(SK, :v1)", "ORDER#o1", "ITEM#"), ["OrderItem"]),
        (key_query("PK = :v0 AND SK BETWEEN :v1 AND :v2", "ORDER#o1", "L", "N"), ["Order"]),
        (key_query("PK = :v0 AND SK > :v1", "ORDER#o1", "J"), ["Order"]),
        (key_query("PK = :v0 AND SK <= :v1", "ORDER#o1", "J"), ["OrderItem"]),
        (key_query("GSI1PK = :v0", "CUST#c1", index="GSI1"), ["Order"]),
        (key_query("GSI1PK = :v0", "CUSTOMER", index="GSI1"), ["Customer"]),
        (key_query("PK = :v0", "NOBODY#1"), []),
    ],
)
def test_table_per_entity_finds_only_entities_whose_keys_fit_the_query_range(
    sent: dict[str, Any], met: list[str]
) -> None:
    assert [entity.label for entity in entities_of_query(Shop.design, sent)] == met


def test_table_per_entity_reads_the_table_for_a_request_without_an_index() -> None:
    assert index_of(Shop.design, {}) is Shop.design.table
    assert index_of(Shop.design, {"IndexName": "GSI1"}) is Shop.design.indexes["gsi1"]


CUSTOMER = {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}}
ORDER = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "METADATA"}}
LINE = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "ITEM#s"}}


def owner_of(key: Document) -> Entity:
    by_name = {entity.label: entity for entity in Shop.design.entities}
    if key["PK"]["S"].startswith("CUST#"):
        return by_name["Customer"]
    return by_name["Order" if key["SK"]["S"] == "METADATA" else "OrderItem"]


def sent(operation: str, parameters: dict[str, Any], plan: Plan | None = None) -> list[RetargetedRequest]:
    return list(retargeted(Shop.design, CapturedRequest(operation, parameters), plan, owner_of))


def query(**more: Any) -> dict[str, Any]:
    return {
        "TableName": "Shop",
        "KeyConditionExpression": "#n0 = :v0",
        "ExpressionAttributeNames": {"#n0": "PK"},
        "ExpressionAttributeValues": {":v0": {"S": "ORDER#o1"}},
        **more,
    }


def test_table_per_entity_replays_a_batch_as_one_request_over_several_tables() -> None:
    (get,) = sent("BatchGetItem", {"RequestItems": {"Shop": {"Keys": [CUSTOMER, ORDER, LINE], "ConsistentRead": True}}})
    assert get.parameters["RequestItems"] == {
        name: {"Keys": [key], "ConsistentRead": True}
        for name, key in (("Customer", CUSTOMER), ("Order", ORDER), ("OrderItem", LINE))
    }
    puts = [{"PutRequest": {"Item": CUSTOMER}}, {"DeleteRequest": {"Key": ORDER}}]
    (write,) = sent("BatchWriteItem", {"RequestItems": {"Shop": puts}})
    assert write.parameters["RequestItems"] == {"Customer": [puts[0]], "Order": [puts[1]]}


def test_table_per_entity_replays_a_transaction_as_one_request_over_several_tables() -> None:
    actions = [{"Put": {"TableName": "Shop", "Item": ORDER}}, {"Delete": {"TableName": "Shop", "Key": LINE}}]
    (write,) = sent("TransactWriteItems", {"TransactItems": actions})
    assert [inner["TableName"] for action in write.parameters["TransactItems"] for inner in action.values()] == [
        "Order",
        "OrderItem",
    ]


def test_table_per_entity_replays_a_scan_as_a_complete_scan_of_every_table() -> None:
    scans = sent("Scan", {"TableName": "Shop"})
    assert [scan.parameters["TableName"] for scan in scans] == ["Customer", "Order", "OrderItem", "Product"]
    assert all(scan.reads_on for scan in scans)
    assert sent("Scan", {"TableName": "Shop", "ExclusiveStartKey": ORDER}) == []


def test_table_per_entity_sends_a_query_without_a_pattern_to_entities_in_its_range() -> None:
    get, lines = sent("Query", query())
    assert (get.operation, get.parameters["TableName"]) == ("GetItem", "Order")
    assert (lines.operation, lines.parameters["TableName"], lines.reads_on) == ("Query", "OrderItem", True)


def test_table_per_entity_replays_a_query_as_a_get_when_the_partition_key_gives_the_sort_key() -> None:
    plan = Papers.paper_with_authors.plan
    assert isinstance(plan, Plan)
    key = {"S": "PAPER#wp-1"}
    request = CapturedRequest("Query", {**query(), "ExpressionAttributeValues": {":v0": key}})
    found = {each.parameters["TableName"]: each for each in retargeted(Papers.design, request, plan, owner_of)}
    assert {name: each.operation for name, each in found.items()} == {"Paper": "GetItem", "Membership": "Query"}
    assert found["Paper"].parameters["Key"] == {"PK": key, "SK": key}


def test_table_per_entity_replays_a_query_with_a_filter_or_count_as_a_query() -> None:
    assert [each.operation for each in sent("Query", query(Select="COUNT"))] == ["Query", "Query"]


def test_table_per_entity_replays_a_get_with_its_projection_names() -> None:
    names = {"#n0": "PK", "#n1": "status", "#n2": "unused"}
    get, _ = sent("Query", query(ProjectionExpression="#n1, #n0", ExpressionAttributeNames=names))
    assert get.parameters["ExpressionAttributeNames"] == {"#n0": "PK", "#n1": "status"}


def test_table_per_entity_excludes_the_extra_item_from_the_limit() -> None:
    plan = Commerce.user_with_recent_orders.plan
    assert isinstance(plan, Plan)
    user = {":v0": {"S": "USER#42"}}
    request = CapturedRequest("Query", {**query(), "ExpressionAttributeValues": user, "Limit": 6})
    by_operation = {each.operation: each for each in retargeted(Commerce.design, request, plan, owner_of)}
    assert by_operation["Query"].parameters["Limit"] == 5
    assert "Limit" not in by_operation["GetItem"].parameters


def test_table_per_entity_needs_no_request_for_later_pages_of_a_collection() -> None:
    plan = Shop.whole_order.plan
    assert isinstance(plan, Plan)
    assert sent("Query", query(ExclusiveStartKey=ORDER), plan) == []
