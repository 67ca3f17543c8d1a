"""The customers' tables: a partition per customer, one index for two entities, and edges with two sides."""

from __future__ import annotations

from examples.customers.model import Customers, Orders, TeamOfUser, Teams
from examples.customers.rows import CUSTOMERS, ORDERS, TEAMS
from examples.script import fill
from singletable import field, key
from singletable.testing import uses
from tests.client.places import call


def test_a_customer_with_every_order_is_one_billed_read() -> None:
    with Customers.open("memory:") as table:
        fill(table, CUSTOMERS)
        with uses(table, requests=1, read_units=0.5):
            whole = table.customer_with_orders("42")
    assert whole is not None
    assert [order.id for order in whole.orders] == ["2026-001", "2026-002"]


def test_the_partition_of_a_customer_matches_the_document() -> None:
    with Customers.open("memory:") as table:
        fill(table, CUSTOMERS)
        items = call(table, "Scan")["Items"]
    drawer = sorted(item["SK"]["S"] for item in items if item["PK"]["S"] == "CUSTOMER#42")
    assert drawer == ["ORDER#2026-001", "ORDER#2026-002", "PROFILE"]


def test_orders_and_products_of_the_customers_example_share_an_index_in_separate_partitions() -> None:
    with Orders.open("memory:") as table:
        fill(table, ORDERS)
        entries = call(table, "Scan", IndexName="GSI1")["Items"]
    found = {(entry["entity_type"]["S"], entry["GSI1PK"]["S"]) for entry in entries}
    assert found == {
        ("Order", "STATUS#OPEN"),
        ("Order", "STATUS#SHIPPED"),
        ("Product", "CATEGORY#books"),
        ("Product", "CATEGORY#games"),
    }
    assert {("ORDER#001", "2026-01-04"), ("ORDER#002", "2026-01-05")} == {
        (entry["PK"]["S"], entry["GSI1SK"]["S"]) for entry in entries if entry["GSI1PK"]["S"] == "STATUS#OPEN"
    }


def test_an_edge_of_the_customers_example_is_written_twice_with_the_ids_swapped() -> None:
    with Teams.open("memory:") as table:
        table.put(TeamOfUser("1", "9"))
        items = call(table, "Scan")["Items"]
        assert {(item["PK"]["S"], item["SK"]["S"]) for item in items} == {("USER#1", "TEAM#9"), ("TEAM#9", "USER#1")}
        table.delete(key(TeamOfUser, user_id="1", team_id="9"))
        assert call(table, "Scan")["Items"] == []


def test_a_changed_edge_of_the_customers_example_is_visible_from_both_sides() -> None:
    with Teams.open("memory:") as table:
        fill(table, TEAMS)
        table.update(key(TeamOfUser, user_id="2", team_id="9"), field(TeamOfUser, lambda edge: edge.role).set("lead"))
        assert [(edge.user_id, edge.role) for edge in table.users_of_team("9")] == [("1", "lead"), ("2", "lead")]
        assert [(edge.team_id, edge.role) for edge in table.teams_of_user("2")] == [("9", "lead")]
