"""Which entities a Query can meet follows from its values and the templates of their keys."""

from __future__ import annotations

from typing import Any

import pytest

from examples.shop.model import Shop
from singletable.demo.ranges import entities_met, index_of


def query(condition: str, *values: str, index: str | None = None) -> dict[str, Any]:
    sent: dict[str, Any] = {
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {f":v{number}": {"S": value} for number, value in enumerate(values)},
    }
    return sent if index is None else {**sent, "IndexName": index}


@pytest.mark.parametrize(
    ("sent", "met"),
    [
        (query("PK = :v0", "ORDER#o1"), ["Order", "OrderItem"]),
        (query("PK = :v0 AND begins_with(SK, :v1)", "ORDER#o1", "ITEM#"), ["OrderItem"]),
        (query("PK = :v0 AND SK BETWEEN :v1 AND :v2", "ORDER#o1", "L", "N"), ["Order"]),
        (query("PK = :v0 AND SK > :v1", "ORDER#o1", "J"), ["Order"]),
        (query("PK = :v0 AND SK <= :v1", "ORDER#o1", "J"), ["OrderItem"]),
        (query("GSI1PK = :v0", "CUST#c1", index="GSI1"), ["Order"]),
        (query("GSI1PK = :v0", "CUSTOMER", index="GSI1"), ["Customer"]),
        (query("PK = :v0", "NOBODY#1"), []),
    ],
)
def test_only_entities_whose_keys_fit_the_values_are_met(sent: dict[str, Any], met: list[str]) -> None:
    assert [entity.label for entity in entities_met(Shop.design, sent)] == met


def test_a_request_without_an_index_reads_the_table() -> None:
    assert index_of(Shop.design, {}) is Shop.design.table
    assert index_of(Shop.design, {"IndexName": "GSI1"}) is Shop.design.indexes["gsi1"]
