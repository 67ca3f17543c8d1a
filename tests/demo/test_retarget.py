"""Requests to one table become requests to the tables of the entities that they are about."""

from __future__ import annotations

from typing import Any

from examples.commerce.model import Commerce
from examples.papers.model import Papers
from examples.shop.model import Shop
from singletable.demo.captured import Captured, Document
from singletable.demo.retarget import Retargeted, retargeted
from singletable.model.entity import Entity
from singletable.planner.plan import Plan

CUSTOMER = {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}}
ORDER = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "METADATA"}}
LINE = {"PK": {"S": "ORDER#o1"}, "SK": {"S": "ITEM#s"}}


def owner_of(key: Document) -> Entity:
    by_name = {entity.label: entity for entity in Shop.design.entities}
    if key["PK"]["S"].startswith("CUST#"):
        return by_name["Customer"]
    return by_name["Order" if key["SK"]["S"] == "METADATA" else "OrderItem"]


def sent(operation: str, parameters: dict[str, Any], plan: Plan | None = None) -> list[Retargeted]:
    return list(retargeted(Shop.design, Captured(operation, parameters), plan, owner_of))


def query(**more: Any) -> dict[str, Any]:
    return {
        "TableName": "Shop",
        "KeyConditionExpression": "#n0 = :v0",
        "ExpressionAttributeNames": {"#n0": "PK"},
        "ExpressionAttributeValues": {":v0": {"S": "ORDER#o1"}},
        **more,
    }


def test_a_batch_stays_one_request_over_several_tables() -> None:
    (get,) = sent("BatchGetItem", {"RequestItems": {"Shop": {"Keys": [CUSTOMER, ORDER, LINE], "ConsistentRead": True}}})
    assert get.parameters["RequestItems"] == {
        name: {"Keys": [key], "ConsistentRead": True}
        for name, key in (("Customer", CUSTOMER), ("Order", ORDER), ("OrderItem", LINE))
    }
    puts = [{"PutRequest": {"Item": CUSTOMER}}, {"DeleteRequest": {"Key": ORDER}}]
    (write,) = sent("BatchWriteItem", {"RequestItems": {"Shop": puts}})
    assert write.parameters["RequestItems"] == {"Customer": [puts[0]], "Order": [puts[1]]}


def test_a_transaction_stays_one_request_over_several_tables() -> None:
    actions = [{"Put": {"TableName": "Shop", "Item": ORDER}}, {"Delete": {"TableName": "Shop", "Key": LINE}}]
    (write,) = sent("TransactWriteItems", {"TransactItems": actions})
    assert [inner["TableName"] for action in write.parameters["TransactItems"] for inner in action.values()] == [
        "Order",
        "OrderItem",
    ]


def test_a_scan_is_one_of_every_table_that_is_read_to_its_end() -> None:
    scans = sent("Scan", {"TableName": "Shop"})
    assert [scan.parameters["TableName"] for scan in scans] == ["Customer", "Order", "OrderItem", "Product"]
    assert all(scan.reads_on for scan in scans)
    assert sent("Scan", {"TableName": "Shop", "ExclusiveStartKey": ORDER}) == []


def test_a_query_without_a_pattern_goes_to_who_can_be_in_its_range() -> None:
    get, lines = sent("Query", query())
    assert (get.operation, get.parameters["TableName"]) == ("GetItem", "Order")
    assert (lines.operation, lines.parameters["TableName"], lines.reads_on) == ("Query", "OrderItem", True)


def test_a_sort_key_that_the_partition_key_says_again_is_a_whole_key() -> None:
    plan = Papers.paper_with_authors.plan
    assert isinstance(plan, Plan)
    key = {"S": "PAPER#wp-1"}
    request = Captured("Query", {**query(), "ExpressionAttributeValues": {":v0": key}})
    found = {each.parameters["TableName"]: each for each in retargeted(Papers.design, request, plan, owner_of)}
    assert {name: each.operation for name, each in found.items()} == {"Paper": "GetItem", "Membership": "Query"}
    assert found["Paper"].parameters["Key"] == {"PK": key, "SK": key}


def test_a_filter_or_a_count_keeps_a_query_a_query() -> None:
    assert [each.operation for each in sent("Query", query(Select="COUNT"))] == ["Query", "Query"]


def test_what_a_get_projects_it_names() -> None:
    names = {"#n0": "PK", "#n1": "status", "#n2": "unused"}
    get, _ = sent("Query", query(ProjectionExpression="#n1, #n0", ExpressionAttributeNames=names))
    assert get.parameters["ExpressionAttributeNames"] == {"#n0": "PK", "#n1": "status"}


def test_the_limit_of_a_list_does_not_count_the_one_item_read_with_it() -> None:
    plan = Commerce.user_with_recent_orders.plan
    assert isinstance(plan, Plan)
    user = {":v0": {"S": "USER#42"}}
    request = Captured("Query", {**query(), "ExpressionAttributeValues": user, "Limit": 6})
    by_operation = {each.operation: each for each in retargeted(Commerce.design, request, plan, owner_of)}
    assert by_operation["Query"].parameters["Limit"] == 5
    assert "Limit" not in by_operation["GetItem"].parameters


def test_the_pages_behind_the_first_of_a_collection_were_read_with_it() -> None:
    plan = Shop.whole_order.plan
    assert isinstance(plan, Plan)
    assert sent("Query", query(ExclusiveStartKey=ORDER), plan) == []
