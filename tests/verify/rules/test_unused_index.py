"""Unused indexes: an index is used by the patterns that read it or only fail to, and by copies that are found by it."""

from dataclasses import dataclass

from singletable import Page, Table, copy, entity, get, pattern, put, query
from singletable.verify.design_check import check


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


def test_the_unused_index_rule_ignores_a_model_without_patterns() -> None:
    assert unused(Nothing) == []


def test_the_unused_index_rule_does_not_count_a_write_as_use() -> None:
    assert unused(WritesOnly) == [
        ("WritesOnly", "no pattern reads GSI1"),
        ("WritesOnly", "no pattern reads GSI2"),
    ]


def test_the_unused_index_rule_reports_an_index_for_the_table_and_keys_for_the_entity() -> None:
    assert unused(ReadsOne) == [
        ("Invoice", "Invoice: no pattern reads its keys in GSI1, but every write pays for them"),
        ("ReadsOne", "no pattern reads GSI2"),
    ]


def test_the_unused_index_rule_ignores_the_index_of_an_unsupported_read() -> None:
    assert unused(Refused) == []


def test_the_unused_index_rule_counts_finding_copies_as_use_only_by_the_copying_entity() -> None:
    assert unused(FindsCopies) == [
        ("Invoice", "Invoice: no pattern reads its keys in GSI1, but every write pays for them"),
    ]
