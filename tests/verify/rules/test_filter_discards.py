"""Filters: a tenth may be thrown away, and more is said with its share."""

from dataclasses import dataclass

from singletable import Page, Table, entity, pattern, query
from singletable.verify.design_check import check


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


def test_the_filter_discards_rule_allows_a_filter_to_discard_a_tenth() -> None:
    found = {f.subject: f.message for f in check(Orders.design).findings if f.code == "ST108"}
    unknown = "has a filter, but does not declare how many items the filter keeps"
    assert found == {
        "a_little_more": "a_little_more: reads 100 items to return 89: the filter discards 11%",
        "all_of_it": "all_of_it: reads 100 items to return 0: the filter discards 100%",
        "nothing_of_nothing": f"nothing_of_nothing: {unknown}",
        "kept_alone": f"kept_alone: {unknown}",
    }
