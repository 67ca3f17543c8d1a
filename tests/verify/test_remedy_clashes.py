"""Remedies that clash get different index aliases, or say so."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Page, Table, entity, pattern, query
from singletable.planner.remedy import SetKeyword
from singletable.verify.design_check import check
from singletable.verify.findings import Finding


@entity(key=("ORDER#{id}", "METADATA"))
@dataclass
class Order:
    id: str
    customer_id: str
    status: str
    created_at: datetime


@entity(key=("CUSTOMER#{id}", "METADATA"))
@dataclass
class Customer:
    id: str
    region: str


class Shop(Table, entities=[Order, Customer]):
    @pattern()
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def newest_orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order, newest_first=True)

    @pattern()
    def orders_in_status(self, status: str) -> Page[Order]:
        return query(Order)

    @pattern()
    def customers_in_region(self, region: str) -> Page[Customer]:
        return query(Customer)


def proposed(finding: Finding) -> str:
    (edit,) = finding.remedy.alternatives[0].edits
    assert isinstance(edit, SetKeyword)
    return edit.code


def test_remedy_clashes_give_proposals_of_one_entity_different_aliases() -> None:
    found = {finding.subject: proposed(finding) for finding in check(Shop.design).findings}
    assert found == {
        # One key serves both patterns of a customer.
        "orders_of_customer": 'gsi1=("ORDER#{customer_id}", "{created_at}#{id}")',
        "newest_orders_of_customer": 'gsi1=("ORDER#{customer_id}", "{created_at}#{id}")',
        "orders_in_status": 'gsi2=("ORDER#{status}", "{id}")',
        # Another entity with another prefix can share the first index.
        "customers_in_region": 'gsi1=("CUSTOMER#{region}", "{id}")',
    }


@entity(key=("CUST#{customer_id}", "{line}"))
@dataclass
class Line:
    customer_id: str
    line: int


@entity(key=("CUST#{customer_id}", "{line}"))
@dataclass
class Note:
    customer_id: str
    line: int


class Clashes(Table, entities=[Line, Note]):
    @pattern()
    def lines(self, customer_id: str) -> Page[Line]:
        return query(Line)


def test_remedy_clashes_are_reported_for_different_values_of_one_keyword() -> None:
    texts = {(f.code, f.subject): str(f.remedy) for f in check(Clashes.design).findings}
    assert texts["ST101", "Note"] == 'Set key=("CUST#{customer_id}", "NOTE#{line}") in @entity of Note.'
    assert texts["ST105", "Note"].endswith(
        'Set key=("CUST#{customer_id}", "{line:number}") in @entity of Note. '
        "This clashes with the remedy of ST101 for Note: apply one of them, then check again."
    )
