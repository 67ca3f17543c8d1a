"""Differences of answers: rows by identity, order, fields, nested values, and masks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.shop.model import Customer, Order, OrderItem, Shop, WholeOrder
from singletable import Page
from singletable.consolidation.answer_differences import MASK, AnswerComparer, AnswerDifference, masked_fields

AT = datetime(2026, 5, 1, tzinfo=UTC)


def comparer(pattern: str = "orders_of_customer", **options: Any) -> AnswerComparer:
    declaration = Shop.design.pattern(pattern)
    assert declaration is not None
    return AnswerComparer(Shop.design, declaration, **options)


def order(number: int, **changes: Any) -> Order:
    values = {"customer_id": "c1", "status": "PENDING", "total": Decimal(number), "created_at": AT}
    return Order(id=f"o{number}", **{**values, **changes})


def kinds(found: list[AnswerDifference]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.key, each.field) for each in found]


def test_equal_answers_have_no_differences() -> None:
    page = Page([order(1), order(2)], cursor="a")
    assert comparer().differences(page, Page([order(1), order(2)], cursor="b")) == []
    assert comparer("customer").differences(None, None) == []
    assert comparer().differences([order(1)], (order(1),)) == []


def test_answer_differences_name_missing_extra_and_reordered_rows() -> None:
    found = comparer().differences(Page([order(1), order(2), order(3)]), Page([order(3), order(2), order(4)]))
    assert kinds(found) == [
        ("missing", "Order id='o1'", ""),
        ("extra", "Order id='o4'", ""),
        ("order", "Order id='o2'", ""),
    ]
    assert "status='PENDING'" in found[0].old
    assert (found[2].old, found[2].new) == (0, 1)


def test_answer_differences_report_a_repeated_row_as_extra() -> None:
    found = comparer().differences([order(1)], [order(1), order(1)])
    assert kinds(found) == [("extra", "Order id='o1'", "")]


def test_answer_differences_can_ignore_the_order() -> None:
    assert comparer(is_ordered=False).differences([order(1), order(2)], [order(2), order(1)]) == []


def test_fields_differ_by_value_unless_they_are_ignored() -> None:
    old, new = order(1), order(1, status="SHIPPED", total=Decimal("1.5"))
    found = comparer().differences([old], [new])
    assert found == [
        AnswerDifference("value", "Order id='o1'", "status", "PENDING", "SHIPPED"),
        AnswerDifference("value", "Order id='o1'", "total", Decimal(1), Decimal("1.5")),
    ]
    assert kinds(comparer(ignored=frozenset(("status",))).differences([old], [new])) == [
        ("value", "Order id='o1'", "total")
    ]


def test_answer_differences_of_one_object_and_none() -> None:
    customer = Customer(id="c1", name="Ada", email="a@example.com", created_at=AT)
    reads = comparer("customer")
    assert kinds(reads.differences(customer, None)) == [("missing", "Customer id='c1'", "")]
    assert kinds(reads.differences(None, customer)) == [("extra", "Customer id='c1'", "")]
    other = customer.model_copy(update={"id": "c2"})
    assert kinds(reads.differences(customer, other)) == [
        ("missing", "Customer id='c1'", ""),
        ("extra", "Customer id='c2'", ""),
    ]


def test_answer_differences_compare_collections_member_by_member() -> None:
    items = [OrderItem(order_id="o1", sku=f"s{number}", quantity=1, price=Decimal(7)) for number in range(3)]
    old = WholeOrder(order=order(1), items=items)
    changed = items[1].model_copy(update={"quantity": 2})
    new = WholeOrder(order=order(1, status="SHIPPED"), items=[items[0], changed])
    assert kinds(comparer("whole_order").differences(old, new)) == [
        ("value", "Order id='o1'", "status"),
        ("value", "OrderItem order_id='o1' sku='s1'", "quantity"),
        ("missing", "OrderItem order_id='o1' sku='s2'", "items"),
    ]


def test_answer_differences_identify_rows_of_dicts_by_key_fields_or_the_given_fields() -> None:
    old = [{"id": "o1", "total": 1}, {"id": "o2", "total": 2}]
    assert kinds(comparer().differences(old, [{"id": "o2", "total": 3}])) == [
        ("missing", "id='o1'", ""),
        ("value", "id='o2'", "total"),
    ]
    rows = [{"number": 1, "name": "a"}, {"number": 2, "name": "b"}]
    named = comparer(identity=("number",))
    assert kinds(named.differences(rows, rows[::-1])) == [("order", "number=1", "")]
    assert kinds(named.differences(rows, [rows[0], {"number": 2}])) == [("value", "number=2", "name")]


def test_answer_differences_treat_an_absent_field_as_none() -> None:
    assert comparer().differences([{"id": "o1"}], [{"id": "o1", "note": None}]) == []


def test_answers_without_rows() -> None:
    assert kinds(comparer().differences(["a", "b"], ["b", "a", "c"])) == [("extra", "", ""), ("order", "", "")]
    assert comparer().differences(1, Decimal(1)) == []
    assert comparer().differences("a", "b") == [AnswerDifference("value", "", "", "a", "b")]
    assert comparer().differences((order(1), [order(2)]), (order(1), [order(2)])) == []
    assert kinds(comparer().differences([[1], [2]], [[1], [3]])) == [("value", "", "[1][0]")]
    assert kinds(comparer().differences({"tags": ["a"]}, {"tags": ["a", "b"]})) == [("value", "", "tags")]


def test_answer_differences_compare_fields_although_a_class_defines_equality() -> None:
    @dataclass(eq=False)
    class Named:
        id: str
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and other.id == self.id

        __hash__ = None  # type: ignore[assignment]  # as Python sets it for a class with __eq__

    assert kinds(comparer().differences([Named("a", "x")], [Named("a", "y")])) == [("value", "id='a'", "name")]


@pytest.mark.parametrize("mask", [True, ["email", "id"]])
def test_answer_differences_contain_no_masked_values(mask: Any) -> None:
    customer = Customer(id="secret-id", name="Ada", email="secret@example.com", created_at=AT)
    reads = comparer("customer", masked=masked_fields(mask))
    (missing,) = reads.differences(customer, None)
    assert "secret@" not in missing.old
    assert MASK in missing.old
    assert ("secret-id" in missing.key) is (mask is True)
    (value,) = reads.differences(customer, customer.model_copy(update={"email": "secret2@example.com"}))
    assert reads.text(value.old, value.field) == reads.text(value.new, value.field) == MASK


def test_answer_differences_shorten_long_values() -> None:
    assert len(comparer().text("x" * 10_000)) < 300


numbers = st.lists(st.integers(0, 6), max_size=8)


@given(numbers, numbers, st.booleans())
def test_there_are_differences_exactly_if_the_answers_differ(old: list[int], new: list[int], ordered: bool) -> None:
    found = comparer(is_ordered=ordered).differences([order(n) for n in old], [order(n) for n in new])
    assert bool(found) is (old != new if ordered else sorted(old) != sorted(new))
    assert sum(each.kind == "missing" for each in found) == sum(max(0, old.count(n) - new.count(n)) for n in set(old))
    assert sum(each.kind == "extra" for each in found) == sum(max(0, new.count(n) - old.count(n)) for n in set(new))
