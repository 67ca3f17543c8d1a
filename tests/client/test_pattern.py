"""Patterns as methods of a table: bound to it, explained, and not run without a store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from singletable.client.pattern import Pattern, pattern
from singletable.client.table import Table
from singletable.errors import DesignError, NotConnected
from singletable.model.declaration import PatternOptions
from singletable.model.entity import entity
from singletable.model.intents import get, query
from singletable.model.page import Page


@entity(key=("CUST#{id}", "METADATA"))
@dataclass
class Customer:
    id: str
    name: str


class Shop(Table, entities=[Customer]):
    @pattern(frequency="high", budget_ms=10, expected_items=1)
    def customer(self, id: str) -> Customer | None:
        """Get customer by ID."""
        return get(Customer)

    @pattern()
    def by_name(self, name: str) -> Page[Customer]:
        """Customers of a name, which no index has."""
        return query(Customer)


class Other(Table, entities=[Customer], name="other", keys=("pk", "sk")):
    customer = vars(Shop)["customer"]


def test_a_pattern_is_documented_by_its_title() -> None:
    assert isinstance(vars(Shop)["customer"], Pattern)
    assert vars(Shop)["customer"].__doc__ == "Get customer by ID"


def test_the_options_are_kept() -> None:
    assert Shop.customer.declaration.options == PatternOptions(frequency="high", budget_ms=10, expected_items=1)


def test_a_pattern_cannot_be_run_without_a_store() -> None:
    with pytest.raises(NotConnected, match=r"Shop\.customer has no store to read from; open one, such as Shop\.open"):
        Shop().customer("c1")


def test_a_pattern_explains_its_exact_request() -> None:
    (request,) = Shop.customer.explain("c1").requests
    assert request.operation == "GetItem"
    assert request.parameters == {
        "TableName": "Shop",
        "Key": {"PK": {"S": "CUST#c1"}, "SK": {"S": "METADATA"}},
    }
    assert Shop.customer.explain(id="c1").requests == (request,)


def test_a_pattern_is_bound_to_the_table_it_is_asked_of() -> None:
    (request,) = Other.customer.explain("c1").requests
    assert request.parameters == {"TableName": "other", "Key": {"pk": {"S": "CUST#c1"}, "sk": {"S": "METADATA"}}}
    assert Shop.customer.explain("c1").requests != Other.customer.explain("c1").requests


def test_a_refused_pattern_says_so_when_it_is_explained() -> None:
    with pytest.raises(DesignError, match="pattern by_name is refused: "):
        Shop.by_name.explain("Ada")


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), (("c1", "c2"), {}), ((), {"idd": "c1"}), (("c1",), {"id": "c1"})]
)
def test_arguments_that_do_not_fit_the_signature_are_refused(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Shop.customer.explain(*args, **kwargs)
