"""Designed tables: the planner serves every pattern with the chosen keys, and generated items confirm the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import (
    Between,
    DesignError,
    Page,
    Table,
    collection,
    entity,
    field,
    get,
    pattern,
    put,
    query,
    ref,
    update,
)
from singletable.client.table import Table as AnyTable
from singletable.conformance.witness import witness
from singletable.design.designed_table import DesignedTable, design_table
from singletable.design.model_workload import DesignOptions
from singletable.design.redesign import without_keys
from singletable.errors import KeyRefused
from singletable.model.design import Design
from singletable.model.intents import ItemWriteIntent
from singletable.model.pattern_declaration import PatternDeclaration
from singletable.planner.explanation import explain
from singletable.planner.plan import Plan
from singletable.planner.trims import trim_tests
from singletable.verify.design_check import check
from tests import generate
from tests.oracle import PlainTable
from tests.planner.test_witness import _expected, _kept


@entity()
@dataclass
class Customer:
    id: str
    email: str
    created_at: datetime


@entity()
@dataclass
class Order:
    id: str
    customer_id: str
    status: str
    created_at: datetime
    note: str | None = None


@entity(identity=("order_id", "sku"))
@dataclass
class OrderItem:
    order_id: str
    sku: str
    quantity: int


@dataclass
class WholeOrder:
    order: Order
    items: list[OrderItem]


class Shop(Table, entities=[Customer, Order, OrderItem]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)

    @pattern()
    def customer_by_email(self, email: str) -> Customer | None:
        return get(Customer)

    @pattern()
    def orders(self, customer_id: str, created_at: Between[datetime], *, limit: int = 20) -> Page[Order]:
        return query(Order)

    @pattern()
    def orders_in_status(self, customer_id: str, status: str, *, limit: int = 20) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern()
    def whole_order(self, order_id: str) -> WholeOrder | None:
        return collection(WholeOrder)

    @pattern()
    def items_of_product(self, sku: str, *, limit: int = 20) -> Page[OrderItem]:
        return query(OrderItem)

    @pattern()
    def place(self, order: Order) -> Order:
        return put(Order)

    @pattern()
    def ship(self, id: str) -> Order:
        return update(Order, field(Order, lambda o: o.status).set("SHIPPED"))


def designed(table: type[AnyTable]) -> DesignedTable:
    return design_table(table.design, DesignOptions())


def test_the_designed_table_of_the_shop_has_two_indexes_and_serves_every_pattern() -> None:
    table = designed(Shop)
    assert table.solution.indexes == 2
    assert not table.not_served
    assert all(isinstance(outcome, Plan) and outcome.verdict.is_served for outcome in table.outcomes)
    assert table.keys["OrderItem"]["key"] == ("ORDER#{order_id}", "ORDER_ITEM#{sku}")
    assert table.keys["Order"]["key"] == ("ORDER#{id}", "ORDER")


def test_check_finds_no_error_in_a_designed_table() -> None:
    findings = [each for each in check(designed(Shop).after).findings if each.severity == "error"]
    assert findings == []


def examples() -> list[Any]:
    """Return every example, with the smallest number of indexes that its patterns need."""
    from examples.commerce.model import Commerce
    from examples.customers.model import Customers, Orders, Teams
    from examples.papers.model import Papers
    from examples.shop.model import Shop as ExampleShop

    fewest = ((Commerce, 2), (Customers, 0), (Orders, 0), (Teams, 0), (Papers, 1), (ExampleShop, 1))
    return [pytest.param(*each, id=each[0].__name__) for each in fewest]


@pytest.mark.parametrize(("table", "fewest"), examples())
def test_designed_tables_of_the_examples_need_at_most_their_declared_indexes(
    table: type[AnyTable], fewest: int
) -> None:
    found = design_table(without_keys(table.design), DesignOptions())
    assert found.solution.indexes == fewest
    assert not found.not_served
    assert all(isinstance(outcome, Plan) for outcome in found.outcomes)


def reads() -> Iterator[Any]:
    tables = {"Shop": Shop.design} | {
        param.values[0].__name__: without_keys(param.values[0].design) for param in examples()
    }
    for name, design in tables.items():
        after = design_table(design, DesignOptions()).after
        for each in after.patterns:
            if not isinstance(each.intent, ItemWriteIntent):
                yield pytest.param(after, each, id=f"{name}.{each.name}")


@pytest.mark.slow
@pytest.mark.parametrize(("design", "declared"), list(reads()))
@settings(max_examples=20)
@given(data=st.data())
def test_chosen_keys_of_a_designed_table_return_what_a_filter_over_all_items_returns(
    design: Design, declared: PatternDeclaration, data: st.DataObject
) -> None:
    table = PlainTable(design)
    items = st.one_of([generate.items(each) for each in design.entities])
    for value in data.draw(st.lists(items, max_size=20)):
        try:
            table.put(value)
        except KeyRefused:  # DynamoDB rejects an empty key
            continue
    arguments: Mapping[str, Any] = {
        name: data.draw(generate.argument(each), label=name) for name, each in declared.parameters.items()
    }
    outcome = next(each for each in (design_outcome(design, declared),) if isinstance(each, Plan))
    explanation = explain(design, outcome, declared.signature.bind(None, **arguments))
    tests = trim_tests(outcome, arguments)
    found = table.run(explanation.requests, lambda item: _kept(item, outcome, arguments, tests))
    assert sorted(map(repr, found)) == sorted(map(repr, _expected(table, design, declared, arguments, outcome)))


def design_outcome(design: Design, declared: PatternDeclaration) -> object:
    from singletable.planner.planner import plan

    return plan(design, declared)


def test_the_designed_table_rejects_an_entity_that_nothing_identifies_with_its_line() -> None:
    @entity()
    @dataclass
    class Note:
        text: str

    class Notes(Table, entities=[Note]):
        pass

    with pytest.raises(DesignError, match="Note: no declaration says which fields identify an item"):
        designed(Notes)


def test_a_table_without_a_sort_key_is_an_error() -> None:
    class Customers(Table, entities=[Customer], keys=("id_key",)):
        pass

    with pytest.raises(DesignError, match="chosen keys need a table with a partition key and a sort key"):
        designed(Customers)


@entity(key=("INVOICE#{id}", "METADATA"), gsi1=("CUSTOMER#{customer_id}", "INVOICE#{id}"))
@dataclass
class Invoice:
    id: str
    customer_id: str


@entity()
@dataclass
class Payment:
    id: str
    customer_id: str


class Billing(Table, entities=[Invoice, Payment]):
    @pattern()
    def invoices(self, customer_id: str) -> Page[Invoice]:
        return query(Invoice)

    @pattern()
    def payment(self, id: str) -> Payment | None:
        return get(Payment)

    @pattern()
    def payments(self, customer_id: str) -> Page[Payment]:
        return query(Payment)


def test_the_designed_table_keeps_declared_keys_and_uses_their_indexes_first() -> None:
    table = designed(Billing)
    assert set(table.keys) == {"Payment"}
    assert set(table.keys["Payment"]) == {"key", "gsi1"}
    assert table.after.entity_of(Invoice).declaration.keys == Billing.design.entity_of(Invoice).declaration.keys
    assert all(isinstance(outcome, Plan) and not outcome.other_entities for outcome in table.outcomes)


@entity()
@dataclass
class Event:
    id: str
    day: str
    price: float
    at: datetime


class Events(Table, entities=[Event]):
    @pattern()
    def event(self, id: str) -> Event | None:
        return get(Event)

    @pattern()
    def between(self, day: str, at: Between[datetime], price: Between[float]) -> Page[Event]:
        return query(Event)


def test_the_designed_table_names_patterns_that_the_search_leaves_out_with_a_reason() -> None:
    (missing,) = designed(Events).not_served
    assert missing.pattern == "between"
    assert missing.reason == "it has ranges on at and price, but a sort key serves only one of them"
    assert missing.remedy == "Filter by price with filter=."


@entity()
@dataclass
class Ticket:
    id: str
    board: str


class Board(Table, entities=[Ticket]):
    @pattern()
    def ticket(self, id: str) -> Ticket | None:
        return get(Ticket)

    @pattern()
    def tickets(self, board: str) -> Page[Ticket]:
        return query(Ticket, consistent=True)

    @pattern()
    def move_ticket(self, id: str, board: str) -> Ticket:
        return update(Ticket, field(Ticket, lambda t: t.board).set(board))


def test_the_designed_table_cannot_serve_a_strong_read_and_an_update_by_id_together_and_says_what_to_change() -> None:
    (missing,) = designed(Board).not_served
    assert missing.pattern == "tickets"
    assert missing.remedy == "Remove consistent=True."


def test_the_designed_table_with_too_few_indexes_leaves_patterns_unserved() -> None:
    names = {each.pattern for each in design_table(Shop.design, DesignOptions(indexes_max=0)).not_served}
    assert names
    assert names < {each.name for each in Shop.design.patterns}


def test_the_designed_table_does_not_depend_on_the_order_of_patterns() -> None:
    backwards = replace(Shop.design, patterns=Shop.design.patterns[::-1])
    assert design_table(backwards, DesignOptions()).keys == designed(Shop).keys


@entity(key=("PROD#{id}", "A_PRODUCT"))
@dataclass
class Product:
    id: str


@entity(references={"of": ref(Product)})
@dataclass
class Review:
    id: str
    of: str
    written_at: datetime


@dataclass
class ProductWithReviews:
    product: Product
    reviews: list[Review]


class Catalogue(Table, entities=[Product, Review]):
    @pattern()
    def product_with_reviews(self, id: str, *, limit: int = 20) -> ProductWithReviews | None:
        return collection(ProductWithReviews)

    @pattern()
    def review(self, id: str) -> Review | None:
        return get(Review)


def test_the_designed_table_puts_an_entity_without_a_key_into_the_partition_of_another_entity() -> None:
    table = designed(Catalogue)
    assert table.keys == {"Review": {"key": ("PROD#{of}", "REVIEW#{id}"), "gsi1": ("REVIEW#{id}", "REVIEW")}}
    assert not table.not_served
    report = witness(table.after)
    assert report.passes, "\n".join(map(str, report.differences))


@entity(key=("PROD#{id}", "Z_PRODUCT"))
@dataclass
class LastProduct:
    id: str


@entity(key=("PROD#{id}", "S_STOCK"))
@dataclass
class Stock:
    id: str


@entity(key=("PROD#{id}", "N_NEWEST"))
@dataclass
class Newest:
    id: str


@entity()
@dataclass
class Note:
    id: str
    last_product_id: str


@dataclass
class LastProductWithNotes:
    product: LastProduct
    notes: list[Note]


class Stocked(Table, entities=[LastProduct, Stock, Newest, Note]):
    @pattern()
    def product_with_notes(self, id: str, *, limit: int = 20) -> LastProductWithNotes | None:
        return collection(LastProductWithNotes)

    @pattern()
    def note(self, id: str) -> Note | None:
        return get(Note)


def test_the_designed_table_gives_the_reason_of_the_planner_for_a_collection_that_declared_keys_prevent() -> None:
    (missing,) = designed(Stocked).not_served
    assert missing.pattern == "product_with_notes"
    assert "Stock" in missing.reason
