"""The commerce table: attributes of every item, contents of the indexes, and unsupported patterns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from pydantic import BaseModel

from examples.commerce.model import Commerce, Order, User, UserWithRecentOrders
from examples.commerce.rows import ROWS
from examples.commerce.status_in_key import OrderByStatus
from examples.script import fill
from singletable import Page, Table, collection, entity, pattern, query
from singletable.planner.plan import UnsupportedPattern
from singletable.testing import measure, uses
from tests.client.places import call


@pytest.fixture
def commerce() -> Iterator[Commerce]:
    with Commerce.open("memory:") as table:
        fill(table, ROWS)
        yield table


def test_every_item_of_the_commerce_example_has_a_type_and_a_version(commerce: Commerce) -> None:
    items = call(commerce, "Scan")["Items"]
    assert len(items) == len(ROWS)
    assert {item["entity_type"]["S"] for item in items} == {"User", "Order", "OrderDetails", "OrderItem", "Review"}
    assert {item["schema_v"]["N"] for item in items} == {"1"}


def test_only_orders_and_reviews_of_the_commerce_example_are_in_gsi1_and_only_orders_in_gsi2(
    commerce: Commerce,
) -> None:
    def kinds(index: str) -> set[str]:
        return {entry["entity_type"]["S"] for entry in call(commerce, "Scan", IndexName=index)["Items"]}

    assert kinds("GSI1") == {"Order", "Review"}
    assert kinds("GSI2") == {"Order"}


def test_a_user_with_the_last_five_orders_in_the_commerce_example_costs_at_most_one_read_unit(
    commerce: Commerce,
) -> None:
    with uses(commerce, requests=1, read_units=0.5):
        page = commerce.user_with_recent_orders("42")
    assert page is not None
    assert [order.id for order in page.orders] == ["E4", "D5", "C2", "B7", "A1"]


def test_dynamodb_rejects_the_query_that_the_commerce_document_gives_for_that_page(commerce: Commerce) -> None:
    """The query filters on SK, a key attribute, which DynamoDB does not allow."""
    with pytest.raises(Exception, match="Filter Expression can only contain non-primary key attributes"):
        call(
            commerce,
            "Query",
            KeyConditionExpression="PK = :pk",
            FilterExpression="SK = :profile OR begins_with(SK, :order)",
            ExpressionAttributeValues={
                ":pk": {"S": "USER#42"},
                ":profile": {"S": "PROFILE"},
                ":order": {"S": "ORDER#"},
            },
            ScanIndexForward=False,
        )


@entity(key=("USER#{user_id}", "PAYMENT#{paid_at:seconds}"))
class Payment(BaseModel):
    """An entity that sorts between the orders and the profile."""

    user_id: str
    paid_at: datetime


class CommerceWithPayments(Table, entities=[User, Order, Payment]):
    """The same page, for which the last six items are no longer a profile and five orders."""

    @pattern()
    def user_with_recent_orders(self, user_id: str) -> UserWithRecentOrders | None:
        """Get a user and the last five orders."""
        return collection(UserWithRecentOrders, newest_first=True, limit=5)


def test_an_entity_between_orders_and_profile_in_the_commerce_example_makes_the_page_unsupported() -> None:
    outcome = CommerceWithPayments.user_with_recent_orders.plan
    assert isinstance(outcome, UnsupportedPattern)
    assert "Payment" in outcome.reason


class StatusInTheKey(Table, entities=[OrderByStatus]):
    """A pattern on orders whose sort key has the status before the time."""

    @pattern()
    def recent_orders(self, user_id: str, *, limit: int = 10, cursor: str | None = None) -> Page[OrderByStatus]:
        """Get a user's most recent orders."""
        return query(OrderByStatus, newest_first=True)


def test_the_commerce_example_with_the_status_in_the_sort_key_cannot_list_recent_orders_in_one_request() -> None:
    assert isinstance(StatusInTheKey.recent_orders.plan, UnsupportedPattern)


def test_a_status_change_in_the_commerce_example_is_one_update(commerce: Commerce) -> None:
    (order,) = [row for row in ROWS if isinstance(row, Order) and row.id == "B7"]
    with measure(commerce) as used:
        commerce.set_status("42", order.placed_at, "B7", "SHIPPED")
    assert used.operations == ["UpdateItem"]
    assert used.write_units == 4  # the item, its GSI1 entry, and its GSI2 entry deleted and written
