"""References name a field and an entity of the table, and declare how many items refer to one item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from singletable import DesignError, Page, Table, entity, pattern, query, ref
from singletable.model.table_schema import TABLE


@entity(key=("CUSTOMER#{id}", "CUSTOMER"))
@dataclass
class Customer:
    id: str


@entity(key=("CUSTOMER#{customer_id}", "ORDER#{id}"), references={"customer_id": ref(Customer, mean=20.4, max=5_000)})
@dataclass
class Order:
    id: str
    customer_id: str


class Shop(Table, entities=[Customer, Order]):
    @pattern()
    def orders(self, customer_id: str) -> Page[Order]:
        return query(Order)


def test_the_mean_of_a_reference_is_the_expected_number_of_items_of_its_partition() -> None:
    design = Shop.design
    assert design.entity_of(Order).expected_in(design.indexes[TABLE]) == 20
    assert design.entity_of(Customer).expected_in(design.indexes[TABLE]) is None


def test_a_reference_of_an_unknown_field_is_an_error() -> None:
    with pytest.raises(DesignError, match="references names 'owner', which is not a field"):

        @entity(references={"owner": ref(Customer)})
        @dataclass
        class Note:
            id: str


def test_a_reference_to_a_class_outside_the_table_is_an_error() -> None:
    with pytest.raises(DesignError, match="customer_id refers to Customer, which is not an entity of the table"):
        type("Alone", (Table,), {}, entities=[Order])


def test_a_reference_without_ref_is_an_error() -> None:
    given: Any = {"customer_id": Customer}
    with pytest.raises(DesignError, match=r"use ref\(Customer, mean=20, max=5_000\)"):

        @entity(references=given)
        @dataclass
        class Note:
            id: str
            customer_id: str


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mean": 0}, "mean must be a number greater than 0, got 0"),
        ({"max": "many"}, "max must be a number greater than 0, got 'many'"),
        ({"mean": 30, "max": 20}, "mean must be at most max, got mean=30 and max=20"),
    ],
)
def test_invalid_numbers_of_references_are_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ref(Customer, **options)
