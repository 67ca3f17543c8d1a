"""Unbounded collections: a limit, a number of items on the pattern or one on the entity bounds a list."""

from dataclasses import dataclass

from singletable import Table, collection, entity, pattern
from singletable.verify.design_check import check


@entity(key=("ORDER#{id}", "A"), expected_bytes=1024)
@dataclass
class Order:
    id: str


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"), expected_bytes=1024)
@dataclass
class Item:
    order_id: str
    sku: str


@entity(key=("ORDER#{order_id}", "NOTE#{number:03d}"), expected_bytes=1024, expected_per_partition=1000)
@dataclass
class Note:
    order_id: str
    number: int


@dataclass
class WithItems:
    order: Order
    items: list[Item]


@dataclass
class WithNotes:
    order: Order
    notes: list[Note]


@dataclass
class Header:
    order: Order


class Orders(Table, entities=[Order, Item, Note]):
    @pattern()
    def open_ended(self, order_id: str) -> WithItems | None:
        return collection(WithItems)

    @pattern(expected_items=10)
    def bounded_by_the_pattern(self, order_id: str) -> WithItems | None:
        return collection(WithItems)

    @pattern()
    def bounded_by_the_entity(self, order_id: str) -> WithNotes | None:
        return collection(WithNotes)

    @pattern(expected_items=1025)
    def a_page_and_a_little(self, order_id: str) -> WithItems | None:
        return collection(WithItems)

    @pattern()
    def without_a_list(self, id: str) -> Header | None:
        return collection(Header)


def test_unbounded_collection_is_not_found_for_a_list_with_declared_numbers() -> None:
    found = {f.subject: f.message for f in check(Orders.design).findings if f.code == "ST110"}
    assert set(found) == {"open_ended", "a_page_and_a_little"}
    assert found["open_ended"].endswith(
        "reads every Item in the partition, but no limit or expected number of items is declared"
    )
    assert found["a_page_and_a_little"].endswith("the collection needs 2 pages of 1 MB, one request each")
