"""The examples reproduce the rows, keys and results of the documents."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from examples.commerce.model import Commerce, Order
from examples.guide.model import Guide, Node
from examples.papers.model import Membership, Paper, Papers
from examples.shop.model import Shop
from examples.shop.rows import ROWS
from singletable import Children, Radius, Subtree, Table
from singletable.client.pattern import BoundPattern
from singletable.planner.estimate import estimate
from singletable.planner.plan import Plan
from tests.oracle import PlainTable


def filled(model: type[Table], rows: Iterable[Any]) -> PlainTable:
    """Open a table with these rows."""
    store = PlainTable(model.design)
    for row in rows:
        store.put(row)
    return store


def execute(store: PlainTable, pattern: BoundPattern[..., Any], *arguments: Any) -> list[Any]:
    """Return the items that the requests of a pattern select."""
    plan = pattern.plan
    assert isinstance(plan, Plan)
    return store.run(pattern.explain(*arguments).requests, lambda item: item.entity in plan.entities)


def test_the_shop_example_has_the_thirteen_rows_of_its_document() -> None:
    assert len(filled(Shop, ROWS).items) == 13
    assert {type(row).__name__ for row in ROWS} == {"Customer", "Order", "OrderItem", "Product"}


def test_orders_of_c1_are_newest_first_as_in_the_document() -> None:
    orders = execute(filled(Shop, ROWS), Shop.orders_of_customer, "c1")
    lines = [f"{o.id} {o.status} £{o.total} {o.created_at:%Y-%m-%dT%H:%M:%SZ}" for o in orders]
    assert lines == ["o101 SHIPPED £310 2026-04-10T14:00:00Z", "o100 DELIVERED £145 2026-03-01T10:00:00Z"]


def test_one_query_returns_the_whole_order_as_in_the_document() -> None:
    items = execute(filled(Shop, ROWS), Shop.whole_order, "o101")
    header = next(item for item in items if hasattr(item, "status"))
    lines = [f"{i.quantity} x {i.sku} @ £{i.price}" for i in items if hasattr(i, "sku")]
    assert f"Order {header.id} for {header.customer_id} ({header.status}, £{header.total})" == (
        "Order o101 for c1 (SHIPPED, £310)"
    )
    assert lines == ["1 x AVON-TORTOISE @ £145", "1 x GRANBY-CLEAR @ £165"]


def test_the_other_patterns_of_the_shop_example_return_the_rows_of_the_document() -> None:
    store = filled(Shop, ROWS)
    assert [customer.name for customer in execute(store, Shop.customer, "c2")] == ["Grace"]
    assert [product.name for product in execute(store, Shop.product, "HOLT-BLACK")] == ["Holt, black"]
    assert [item.order_id for item in execute(store, Shop.orders_with_sku, "AVON-TORTOISE")] == ["o100", "o101"]
    assert [customer.id for customer in execute(store, Shop.customers_by_signup)] == ["c1", "c2", "c3"]


def test_a_user_and_the_last_five_orders_of_the_commerce_example_need_no_filter() -> None:
    """The document filters on SK, which DynamoDB rejects; the last six items in reverse order are the same result."""
    (request,) = Commerce.user_with_recent_orders.explain("42").requests
    assert "FilterExpression" not in request.parameters
    assert (request.parameters["Limit"], request.parameters["ScanIndexForward"]) == (6, False)


def test_the_keys_of_an_order_match_the_document() -> None:
    entity = Commerce.design.entity_of(Order)
    moment = datetime(2026, 5, 10, 14, 23, 1, tzinfo=UTC)
    values = {"user_id": "42", "id": "A1", "placed_at": moment, "status": "PENDING"}
    keys = {name: value for p in entity.placements.values() for name, value in (p.encode(values) or {}).items()}
    assert keys == {
        "PK": "USER#42",
        "SK": "ORDER#2026-05-10T14:23:01Z#A1",
        "GSI1PK": "ORDER_BY_DATE",
        "GSI1SK": "2026-05-10T14:23:01Z#A1",
        "GSI2PK": "USER#42#PENDING",
        "GSI2SK": "2026-05-10T14:23:01Z#A1",
    }


def test_a_status_change_of_the_commerce_example_moves_the_order_in_gsi2_only() -> None:
    moment = datetime(2026, 5, 10, 14, 23, 1, tzinfo=UTC)
    (request,) = Commerce.set_status.explain("42", moment, "A1", "SHIPPED").requests
    assert request.operation == "UpdateItem"
    assert sorted(request.parameters["ExpressionAttributeNames"].values()) == [
        *("GSI2PK", "PK", "placed_at", "schema_v", "status"),
    ]
    assert {"S": "USER#42#SHIPPED"} in request.parameters["ExpressionAttributeValues"].values()


def test_the_listing_of_an_author_in_the_papers_example_reads_copied_fields() -> None:
    plan = Papers.papers_by_author.plan
    assert isinstance(plan, Plan)
    assert [entity.cls for entity in plan.entities] == [Membership]
    (copied,) = plan.entities[0].declaration.copies
    assert copied.source is Paper
    assert set(copied.fields) == {"title", "status", "published", "expires_at"} <= set(plan.entities[0].fields)


PATHS = [
    ("root",),
    ("root", "eng"),
    ("root", "eng", "cloud"),
    ("root", "eng", "cloud", "aws"),
    ("root", "engineering"),
    ("root", "sales"),
]
NODES = [Node(org="acme", path=path, depth=len(path), name=path[-1]) for path in PATHS]


def test_the_subtree_of_eng_in_the_guide_example_excludes_engineering() -> None:
    found = execute(filled(Guide, NODES), Guide.subtree, "acme", Subtree(("root", "eng")))
    assert [node.path for node in found] == PATHS[1:4]


def test_the_children_of_a_node_in_the_guide_example_are_read_without_its_grandchildren() -> None:
    found = execute(filled(Guide, NODES), Guide.children, "acme", Children(("root", "eng")))
    assert [node.path for node in found] == [("root", "eng", "cloud")]
    assert [n.path for n in execute(filled(Guide, NODES), Guide.children, "acme", Children(()))] == [("root",)]


def test_the_worksheet_of_the_guide_example_shows_the_cost_of_both_ways_to_read_children() -> None:
    by_subtree, by_index = Guide.node_with_children.plan, Guide.children.plan
    assert isinstance(by_subtree, Plan)
    assert isinstance(by_index, Plan)
    assert estimate(Guide.design, by_subtree).units == 2.0
    assert estimate(Guide.design, by_index).units == 0.5


def test_a_radius_query_of_the_guide_example_queries_the_cells_that_it_touches() -> None:
    """Nine cells are enough only up to the shorter side of a cell, which is 0.61 km at precision 6."""
    near = Guide.shops_near.explain(Radius(35.6586, 139.7454, 600)).requests
    wider = Guide.shops_near.explain(Radius(35.6586, 139.7454, 1000)).requests
    assert len(near) <= 9 < len(wider) <= 24
