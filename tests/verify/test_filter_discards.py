"""Filters: a tenth may be thrown away, and more is said with its share."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query
from singletable.verify.check import check


@entity(key=("CUST#{customer}", "ORDER#{id}"))
@dataclass
class Order:
    customer: str
    id: str
    status: str


class Orders(Table, entities=[Order]):
    @pattern(expected_items=90, expected_examined=100)
    def a_tenth(self, customer: str) -> Page[Order]:
        return query(Order, filter=lambda order: order.status != "DRAFT")

    @pattern(expected_items=89, expected_examined=100)
    def a_little_more(self, customer: str) -> Page[Order]:
        return query(Order, filter=lambda order: order.status != "DRAFT")

    @pattern(expected_items=0, expected_examined=100)
    def all_of_it(self, customer: str) -> Page[Order]:
        return query(Order, filter=lambda order: order.status == "LOST")

    @pattern(expected_items=0, expected_examined=0)
    def nothing_of_nothing(self, customer: str) -> Page[Order]:
        return query(Order, filter=lambda order: order.status == "LOST")

    @pattern(expected_items=5)
    def kept_alone(self, customer: str) -> Page[Order]:
        return query(Order, filter=lambda order: order.status == "OPEN")

    @pattern(expected_items=5, expected_examined=100)
    def without_a_filter(self, customer: str) -> Page[Order]:
        return query(Order)


def test_a_tenth_may_be_thrown_away() -> None:
    found = {f.subject: f.message for f in check(Orders.design).findings if f.code == "ST108"}
    unknown = "filters what it has read, and nobody says how much of it is kept"
    assert found == {
        "a_little_more": "a_little_more: reads 100 items to keep 89: 11% in vain",
        "all_of_it": "all_of_it: reads 100 items to keep 0: 100% in vain",
        "nothing_of_nothing": f"nothing_of_nothing: {unknown}",
        "kept_alone": f"kept_alone: {unknown}",
    }
