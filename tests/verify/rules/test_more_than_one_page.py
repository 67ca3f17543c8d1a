"""More than one page: a limit, a number of items on the pattern or one on the entity bounds a read."""

from dataclasses import dataclass

from singletable import Page, Table, collection, entity, pattern, query
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

    @pattern(max_requests=3)
    def open_ended_with_a_budget(self, order_id: str) -> WithItems | None:
        return collection(WithItems)

    @pattern()
    def items(self, order_id: str, *, cursor: str | None = None) -> Page[Item]:
        return query(Item)


FOUND = {f.subject: f for f in check(Orders.design).findings if f.code in ("ST003", "ST110")}


def test_more_than_one_page_is_not_found_for_a_list_with_declared_numbers() -> None:
    unbounded = {"open_ended", "open_ended_with_a_budget", "items", "bounded_by_the_entity"}
    assert set(FOUND) == {*unbounded, "a_page_and_a_little"}
    assert "reads every Item" in FOUND["bounded_by_the_entity"].message  # items sort between the order and its notes
    assert FOUND["open_ended"].message.endswith(
        "is unbounded: it reads every Item in a partition of the table, and neither a limit nor the expected number of "
        "items is declared"
    )
    assert FOUND["a_page_and_a_little"].message.endswith("reads 1,025 items, 1.0 MB: 2 pages, one request each")


def test_more_than_one_page_is_an_error_for_a_pattern_with_a_request_budget() -> None:
    assert (FOUND["open_ended"].code, FOUND["open_ended"].severity) == ("ST110", "warning")
    budgeted = FOUND["open_ended_with_a_budget"]
    assert (budgeted.code, budgeted.severity) == ("ST003", "error")
    assert "declares max_requests=3, but is unbounded" in budgeted.message


def test_more_than_one_page_proposes_a_limit_that_fits_the_signature() -> None:
    assert FOUND["items"].remedy.lines == (
        "Declare expected_per_partition=N on Item, or add a limit:",
        "Set the keyword-only parameter limit: int = 100 of items. A call then returns at most 100 items. Up to ≈1,024 "
        "items are one page.",
    )
    assert FOUND["a_page_and_a_little"].remedy.lines == (
        "Set the keyword-only parameter limit: int = 100 of a_page_and_a_little. A call then returns at most 100 "
        "items. Up to 1,023 items are one page.",
        "Or set max_requests=2 in @pattern of a_page_and_a_little. A call may then send 2 requests.",
    )
    assert all(finding.remedy.automatic is None for finding in FOUND.values())
