"""Item collections of the table and its indexes: grouping, sorting and labels."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import ArgumentRefused, Table, entity, native
from singletable.document.item_collections import (
    CollectionRow,
    ItemCollection,
    collections_in,
    entity_label,
    key_of,
    labels_of,
    text_of,
)


@entity(key=("CUST#{id}", "PROFILE"), unique=("email",))
@dataclass
class Customer:
    id: str
    email: str


@entity(key=("CUST#{customer_id}", "ORDER#{id}"), gsi1=("STATUS#{status}", "{id}"))
@dataclass
class Order:
    customer_id: str
    id: str
    status: str


class Shop(Table, entities=[Customer, Order]):
    pass


@entity(key=(native("device"), native("at")))
@dataclass
class Reading:
    device: str
    at: int


class Readings(Table, entities=[Reading], type_attribute=None):
    pass


def customer(id: str) -> dict[str, Any]:
    return {
        "PK": {"S": f"CUST#{id}"},
        "SK": {"S": "PROFILE"},
        "entity_type": {"S": "Customer"},
        "id": {"S": id},
        "email": {"S": f"{id}@example.org"},
    }


def order(customer_id: str, id: str, status: str | None = None) -> dict[str, Any]:
    item = {"PK": {"S": f"CUST#{customer_id}"}, "SK": {"S": f"ORDER#{id}"}, "entity_type": {"S": "Order"}}
    if status:
        item |= {"GSI1PK": {"S": f"STATUS#{status}"}, "GSI1SK": {"S": id}, "status": {"S": status}}
    return item


MARKER = {"PK": {"S": "UNIQUE#Customer#email#a@b"}, "SK": {"S": "UNIQUE"}, "entity_type": {"S": "UNIQUE"}}


def test_item_collections_group_rows_by_partition_key_and_sort_them_by_sort_key() -> None:
    items = [customer("c1"), order("c2", "o9"), order("c1", "o2"), order("c1", "o1")]
    found = collections_in(Shop.design, items)
    assert [(partition.key, [row.sort_key for row in partition.rows]) for partition in found] == [
        ("CUST#c1", ["ORDER#o1", "ORDER#o2", "PROFILE"]),
        ("CUST#c2", ["ORDER#o9"]),
    ]


def test_item_collections_of_an_index_contain_only_items_with_all_its_keys() -> None:
    items = [customer("c1"), order("c1", "o1", "OPEN"), order("c1", "o2")]
    assert collections_in(Shop.design, items, "GSI1") == (
        ItemCollection("STATUS#OPEN", (CollectionRow("o1", "Order", (("status", "OPEN"),)),)),
    )


def test_item_collections_hide_key_fields_unless_requested() -> None:
    (only,) = collections_in(Shop.design, [customer("c1")])
    assert only.rows[0].attributes == (("email", "c1@example.org"),)
    (only,) = collections_in(Shop.design, [customer("c1")], attributes=["id", "PK", "nothing"])
    assert only.rows[0].attributes == (("id", "c1"), ("PK", "CUST#c1"))


def test_item_collections_mark_rows_that_are_read() -> None:
    items = [order("c1", "o1"), order("c1", "o2")]
    (only,) = collections_in(Shop.design, items, read={key_of(Shop.design, items[1])})
    assert [row.is_read for row in only.rows] == [False, True]


def test_item_collections_label_an_item_by_entity_marker_or_type_attribute() -> None:
    unknown = {"PK": {"S": "X"}, "SK": {"S": "Y"}, "entity_type": {"S": "Elsewhere"}}
    untyped = {name: value for name, value in order("c1", "o1").items() if name != "entity_type"}
    labels = [entity_label(Shop.design, item) for item in (customer("c1"), untyped, MARKER, unknown)]
    assert labels == ["Customer", "Order", "unique", "Elsewhere"]
    assert entity_label(Shop.design, {"PK": {"S": "X"}, "SK": {"S": "Y"}}) == "?"
    assert labels_of(Shop.design) == ("Customer", "Order")


def test_item_collections_of_an_unknown_index_are_an_error_that_lists_the_indexes() -> None:
    with pytest.raises(ArgumentRefused, match="Shop has no index GSI9; its indexes are GSI1"):
        collections_in(Shop.design, [], "GSI9")


@given(st.lists(st.decimals(-(10**9), 10**9, places=3), unique=True))
def test_item_collections_sort_numbers_by_value(numbers: list[Decimal]) -> None:
    items = [{"device": {"S": "d"}, "at": {"N": str(number)}} for number in numbers]
    rows = [row for partition in collections_in(Readings.design, items) for row in partition.rows]
    assert [Decimal(row.sort_key or "") for row in rows] == sorted(numbers)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"S": "Ada"}, "Ada"),
        ({"N": "3"}, "3"),
        ({"BOOL": True}, "true"),
        ({"NULL": True}, "null"),
        ({"L": [{"N": "1"}, {"S": "x"}]}, "[1, x]"),
        ({"M": {"a": {"N": "1"}}}, "{a: 1}"),
        ({"SS": ["a", "b"]}, "{a, b}"),
    ],
)
def test_item_collections_show_values_as_plain_text(value: dict[str, Any], text: str) -> None:
    assert text_of(value) == text
