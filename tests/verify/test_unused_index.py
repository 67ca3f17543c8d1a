"""Unused indexes: an index is used by the patterns that read it or only fail to, and by copies that are found by it."""

from dataclasses import dataclass

from singletable import Page, Table, copy, entity, get, pattern, put, query
from singletable.verify.check import check


@entity(key=("ORDER#{id}", "META"), gsi1=("CUST#{customer_id}", "{id}"), gsi2=("STATUS#{status}", "{id}"))
@dataclass
class Order:
    id: str
    customer_id: str
    status: str


@entity(key=("INVOICE#{id}", "META"), gsi1=("CUST#{customer_id}", "INVOICE#{id}"))
@dataclass
class Invoice:
    id: str
    customer_id: str


@entity(key=("CUST#{id}", "META"))
@dataclass
class Customer:
    id: str
    name: str


@entity(
    key=("LETTER#{id}", "META"),
    gsi1=("CUST#{customer_id}", "LETTER#{id}"),
    copies=[copy(Customer, by={"id": "customer_id"}, fields={"name": "customer_name"})],
)
@dataclass
class Letter:
    id: str
    customer_id: str
    customer_name: str


def unused(table: type[Table]) -> list[tuple[str, str]]:
    return [(f.subject, f.message) for f in check(table.design).findings if f.code == "ST112"]


class Nothing(Table, entities=[Order]):
    """A model that has no patterns yet."""


class WritesOnly(Table, entities=[Order]):
    @pattern()
    def store(self, order: Order) -> Order:
        return put(Order)


class ReadsOne(Table, entities=[Order, Invoice]):
    @pattern()
    def order(self, id: str) -> Order | None:
        return get(Order)

    @pattern()
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order)


class Refused(Table, entities=[Order]):
    @pattern()
    def orders_of_customer(self, customer_id: str) -> Page[Order]:
        return query(Order, consistent=True)


class FindsCopies(Table, entities=[Customer, Letter, Invoice]):
    @pattern()
    def customer(self, id: str) -> Customer | None:
        return get(Customer)


def test_a_model_without_patterns_has_no_unused_index_yet() -> None:
    assert unused(Nothing) == []


def test_a_write_does_not_use_an_index() -> None:
    assert unused(WritesOnly) == [
        ("WritesOnly", "GSI1 is read by no pattern"),
        ("WritesOnly", "GSI2 is read by no pattern"),
    ]


def test_an_index_without_a_reader_is_the_tables_and_keys_without_one_are_the_entitys() -> None:
    assert unused(ReadsOne) == [
        ("Invoice", "Invoice: its keys in GSI1 are read by no pattern, and every write of it pays for them"),
        ("ReadsOne", "GSI2 is read by no pattern"),
    ]


def test_the_index_of_a_refused_read_is_not_called_unused() -> None:
    assert unused(Refused) == []


def test_an_index_that_copies_are_found_by_is_used_by_the_entity_that_holds_them_alone() -> None:
    assert unused(FindsCopies) == [
        ("Invoice", "Invoice: its keys in GSI1 are read by no pattern, and every write of it pays for them"),
    ]
