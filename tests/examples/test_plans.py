"""The plan of each access pattern has the operation, index and key condition of its document."""

from __future__ import annotations

import importlib

import pytest

from singletable import Table
from singletable.planner.plan import Plan
from singletable.verify.design_check import check

ONE = "one request"

# table, pattern, operation, index, key condition, newest first (read in reverse), limit, verdict
SERVED: list[tuple[str, str, str, str, str, bool, str, str]] = [
    # 000: the customer, order and team tables
    ("customers.model:Customers", "customer", "GetItem", "table",
     'PK = "CUSTOMER#{id}" AND SK = "PROFILE"', False, "", ONE),
    ("customers.model:Customers", "customer_with_orders", "Query", "table",
     'PK = "CUSTOMER#{customer_id}"', False, "", ONE),
    ("customers.model:Customers", "orders_of_customer", "Query", "table",
     'PK = "CUSTOMER#{customer_id}" AND begins_with(SK, "ORDER#")', True, "{limit}", ONE),
    ("customers.model:Orders", "open_orders", "Query", "GSI1", 'GSI1PK = "STATUS#OPEN"', False, "", ONE),
    ("customers.model:Orders", "products_in_category", "Query", "GSI1",
     'GSI1PK = "CATEGORY#{category}"', False, "", ONE),
    ("customers.model:Teams", "teams_of_user", "Query", "table",
     'PK = "USER#{user_id}" AND begins_with(SK, "TEAM#")', False, "", ONE),
    ("customers.model:Teams", "users_of_team", "Query", "table",
     'PK = "TEAM#{team_id}" AND begins_with(SK, "USER#")', False, "", ONE),
    # 001: six patterns, and the page of a user, which the code of the document gets wrong
    ("commerce.model:Commerce", "profile", "GetItem", "table",
     'PK = "USER#{id}" AND SK = "PROFILE"', False, "", ONE),
    ("commerce.model:Commerce", "recent_orders", "Query", "table",
     'PK = "USER#{user_id}" AND begins_with(SK, "ORDER#")', True, "{limit}", ONE),
    ("commerce.model:Commerce", "order_with_items", "Query", "table", 'PK = "ORDER#{order_id}"', False, "", ONE),
    ("commerce.model:Commerce", "orders_placed", "Query", "GSI1",
     'GSI1PK = "ORDER_BY_DATE" AND GSI1SK BETWEEN "{placed_at.low:seconds}" AND "{placed_at.high:seconds}$"',
     False, "{limit}", ONE),
    ("commerce.model:Commerce", "orders_in_status", "Query", "GSI2",
     'GSI2PK = "USER#{user_id}#{status}"', True, "{limit}", ONE),
    ("commerce.model:Commerce", "reviews_of_product", "Query", "GSI1",
     'GSI1PK = "PRODUCT#{product_id}#REVIEWS"', True, "{limit}", ONE),
    ("commerce.model:Commerce", "user_with_recent_orders", "Query", "table", 'PK = "USER#{user_id}"', True, "6", ONE),
    # 002: A1 to A5
    ("papers.model:Papers", "paper", "GetItem", "table", 'PK = "PAPER#{id}" AND SK = "PAPER#{id}"', False, "", ONE),
    ("papers.model:Papers", "papers_in_series", "Query", "GSI1",
     'GSI1PK = "COLLECTION#{series}" AND begins_with(GSI1SK, "DATE#")', True, "{limit}", ONE),
    ("papers.model:Papers", "papers_by_author", "Query", "GSI1",
     'GSI1PK = "AUTHOR#{handle}" AND begins_with(GSI1SK, "DATE#")', True, "{limit}", ONE),
    ("papers.model:Papers", "papers_with_topic", "Query", "GSI2",
     'GSI2PK = "TOPIC#{topic}" AND begins_with(GSI2SK, "DATE#")', True, "{limit}", ONE),
    ("papers.model:Papers", "author", "GetItem", "table",
     'PK = "AUTHOR#{handle}" AND SK = "AUTHOR#{handle}"', False, "", ONE),
    # 003: six patterns
    ("shop.model:Shop", "customer", "GetItem", "table", 'PK = "CUST#{id}" AND SK = "METADATA"', False, "", ONE),
    ("shop.model:Shop", "orders_of_customer", "Query", "GSI1",
     'GSI1PK = "CUST#{customer_id}" AND begins_with(GSI1SK, "ORDER#")', True, "{limit}", ONE),
    ("shop.model:Shop", "whole_order", "Query", "table", 'PK = "ORDER#{order_id}"', False, "", ONE),
    ("shop.model:Shop", "product", "GetItem", "table", 'PK = "PRODUCT#{sku}" AND SK = "METADATA"', False, "", ONE),
    ("shop.model:Shop", "orders_with_sku", "Query", "GSI1",
     'GSI1PK = "PRODUCT#{sku}" AND begins_with(GSI1SK, "ORDER#")', False, "", ONE),
    ("shop.model:Shop", "customers_by_signup", "Query", "GSI1", 'GSI1PK = "CUSTOMER"', False, "", ONE),
    # 004: P1 to P10
    ("guide.model:Guide", "profile", "GetItem", "table", 'PK = "USER#{id}" AND SK = "PROFILE"', False, "", ONE),
    ("guide.model:Guide", "addresses", "Query", "table",
     'PK = "USER#{user_id}" AND begins_with(SK, "ADDR#")', False, "", ONE),
    ("guide.model:Guide", "latest_orders", "Query", "table",
     'PK = "USER#{user_id}" AND begins_with(SK, "ORDER#")', True, "{limit}", ONE),
    ("guide.model:Guide", "recent_orders", "Query", "table",
     'PK = "USER#{user_id}" AND SK BETWEEN "ORDER#{placed_on.low}" AND "ORDER$"', True, "{limit}", ONE),
    ("guide.model:Guide", "open_orders", "Query", "GSI1", 'GSI1PK = "STATUS#OPEN"', False, "{limit}", ONE),
    ("guide.model:Guide", "whole_user", "Query", "table", 'PK = "USER#{user_id}"', False, "", ONE),
    ("guide.model:Guide", "groups_of_user", "Query", "table",
     'PK = "USER#{user_id}" AND begins_with(SK, "GROUP#")', False, "", ONE),
    ("guide.model:Guide", "users_in_group", "Query", "GSI1",
     'GSI1PK = "GROUP#{group_id}" AND begins_with(GSI1SK, "USER#")', False, "", ONE),
    ("guide.model:Guide", "members_by_join_date", "Query", "GSI2",
     'GSI2PK = "GROUP#{group_id}" AND begins_with(GSI2SK, "JOINED#")', False, "", ONE),
    ("guide.model:Guide", "latest_events", "Query", "table",
     'PK = "DEVICE#{device_id}" AND SK BETWEEN "EVT#{at.low:seconds}" AND "EVT$"', True, "{limit}", ONE),
    ("guide.model:Guide", "events_of_kind", "Query", "GSI1",
     'GSI1PK = "EVTTYPE#{kind}" AND GSI1SK BETWEEN "{at.low:seconds}" AND "{at.high:seconds}$"', False, "{limit}", ONE),
    ("guide.model:Guide", "report", "PutItem", "table",
     'PK = "DEVICE#{device_id}" AND SK = "EVT#{at:seconds}#{id}"', False, "", ONE),
    ("guide.model:Guide", "node_with_children", "Query", "table",
     'PK = "ORG#{org}" AND SK BETWEEN "PATH#{path.root}" AND "PATH#{path.root}$"', False, "", ONE),
    ("guide.model:Guide", "children", "Query", "GSI1",
     'GSI1PK = "ORG#{org}#depth={level}" AND begins_with(GSI1SK, "PATH#{path.parent}#")', False, "", ONE),
    ("guide.model:Guide", "subtree", "Query", "table",
     'PK = "ORG#{org}" AND SK BETWEEN "PATH#{path.root}" AND "PATH#{path.root}$"', False, "", ONE),
    ("guide.model:Guide", "shops_near", "Query", "GSI1",
     'GSI1PK = "GEO#{cell*}"', False, "", "declared fan-out of at most 24"),
    ("guide.model:Guide", "breadcrumbs", "BatchGetItem", "table",
     'PK = "ORG#{org}" AND SK = "PATH#{path*}"', False, "", "declared fan-out of at most 12"),
    ("guide.model:Guide", "shops_on_map", "Query", "GSI1",
     'GSI1PK = "GEO#{cell*}"', False, "", "declared fan-out of at most 24"),
    ("guide.model:Guide", "nearest_shops", "Query", "GSI1",
     'GSI1PK = "GEO#{cell*}"', False, "", "declared fan-out of at most 40"),
    ("guide.groups:Groups", "groups_of_user", "Query", "table",
     'PK = "USER#{user_id}" AND begins_with(SK, "GROUP#")', False, "", ONE),
    ("guide.groups:Groups", "users_in_group", "Query", "GSI1",
     'SK = "GROUP#{group_id}" AND begins_with(PK, "USER#")', False, "", ONE),
    ("guide.model:Guide", "stations_near", "Query", "GSI1",
     'GSI1PK = "GEO2#{cell*}"', False, "", "declared fan-out of at most 64"),
    ("guide.model:Telemetry", "events_of_kind", "Query", "GSI1",
     'GSI1PK = "EVTTYPE#{kind}#{shard*}" AND GSI1SK BETWEEN "{at.low:seconds}" AND "{at.high:seconds}$"',
     False, "{limit}",
     "declared fan-out of 10"),
    ("guide.series:DailyTelemetry", "events_of_device", "Query", "table",
     'PK = "DEVICE#{device_id}#{day*}" AND SK BETWEEN "EVT#{at.low:seconds}" AND "EVT#{at.high:seconds}$"',
     True, "{limit}",
     "declared fan-out of at most 8"),
    ("guide.series:DailyTelemetry", "events_of_kind", "Query", "GSI1",
     'GSI1PK = "EVTTYPE#{kind}#{day*}#{shard*}" AND GSI1SK BETWEEN "{at.low:seconds}" AND "{at.high:seconds}$"',
     False, "{limit}",
     "declared fan-out of at most 32"),
    ("guide.accounts:Accounts", "account", "GetItem", "table",
     'PK = "ACCOUNT#{id}" AND SK = "BALANCE"', False, "", ONE),
    ("guide.accounts:Accounts", "accounts_of", "Query", "GSI1",
     'GSI1PK = "OWNER#{owner}" AND begins_with(GSI1SK, "ACCOUNT#")', False, "", ONE),
    ("guide.accounts:Accounts", "latest_holds", "Query", "LSI1",
     'PK = "ACCOUNT#{account_id}" AND begins_with(LSI1SK, "HOLD#")', True, "", ONE),
    ("guide.accounts:Accounts", "bill", "GetItem", "table", 'PK = "BILL#{id}" AND SK = "BILL"', False, "", ONE),
    # the shards that 003 only mentions, and the index for a seventh pattern
    ("shop.seventh:ShopByStatus", "orders_in_status", "Query", "GSI2",
     'GSI2PK = "STATUS#{status}" AND GSI2SK BETWEEN "{created_at.low:seconds}" AND "9999-12-31T23:59:59Z$"',
     True, "", ONE),
    ("shop.sharded:ShopByHash", "customers", "Query", "GSI1",
     'GSI1PK = "CUSTOMER#{shard*}"', False, "", "declared fan-out of 8"),
    ("shop.sharded:ShopByLetter", "customers", "Query", "GSI1",
     'GSI1PK = "CUSTOMER#{letter*}"', False, "", "declared fan-out of 37"),
    ("shop.sharded:ShopByMonth", "customers_since", "Query", "GSI1",
     'GSI1PK = "CUSTOMER#{month*}" AND GSI1SK BETWEEN "{created_at.low:seconds}" AND "{created_at.high:seconds}$"',
     True, "",
     "declared fan-out of at most 13"),
    ("shop.sharded:ShopByRegion", "customers", "Query", "GSI1",
     'GSI1PK = "CUSTOMER#{region*}"', False, "", "declared fan-out of 3"),
]  # fmt: skip


def table(place: str) -> type[Table]:
    """Return a table of the examples by module and name."""
    module, _, name = place.partition(":")
    found: type[Table] = getattr(importlib.import_module(f"examples.{module}"), name)
    return found


@pytest.mark.parametrize(
    ("place", "name", "operation", "index", "condition", "backwards", "limit", "verdict"),
    SERVED,
    ids=[f"{row[0].partition(':')[2]}.{row[1]}" for row in SERVED],
)
def test_every_pattern_of_an_example_is_served_as_documented(
    place: str, name: str, operation: str, index: str, condition: str, backwards: bool, limit: str, verdict: str
) -> None:
    plan = getattr(table(place), name).plan
    assert isinstance(plan, Plan)
    assert (plan.operation, plan.index.label, plan.key_condition()) == (operation, index, condition)
    assert plan.forward is not backwards
    assert (plan.limit.show() if plan.limit else "") == limit
    assert plan.verdict_text() == verdict
    assert plan.other_entities == (), "the range contains no other entities"


@pytest.mark.parametrize("place", sorted({row[0] for row in SERVED}))
def test_every_example_passes_its_check(place: str) -> None:
    report = check(table(place).design)
    assert report.passes
    assert not [finding for finding in report.findings if finding.severity == "error"]
