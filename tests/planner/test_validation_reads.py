"""Updates that read the item to validate it: the reason, the requests, and the units that the engine consumes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, model_validator

from singletable import Page, Table, entity, field, pattern, query, update
from singletable.cost.measured_items import measure_items
from singletable.expressions.tree import Change, Constant, Path
from singletable.planner.estimate import estimate, estimate_write
from singletable.planner.item_sizes import ItemSizes
from singletable.planner.plan import Plan, Verdict
from singletable.planner.stored_items import item_of, values_of
from singletable.planner.validation_reads import field_at, read_reason, waived_rules
from singletable.planner.write_units import write_of_object
from singletable.verify.design_check import check

# Reasons --------------------------------------------------------------------------------------------------------------


class Address(BaseModel):
    city: Annotated[str, Field(max_length=5)]
    tags: Annotated[dict[str, str], Field(max_length=2)] = {}
    codes: Annotated[list[str], Field(min_length=1)] = ["a"]


class Shipped(BaseModel):
    placed_on: date
    delivered_on: date

    @model_validator(mode="after")
    def dates_in_order(self) -> Shipped:
        assert self.placed_on <= self.delivered_on
        return self


@dataclass
class Parcel:
    shipped: Shipped
    address: Address
    lines: list[int]
    pair: tuple[int, str]


class Shelf(BaseModel):
    count: Annotated[int, Field(ge=0)] = 3
    step: Annotated[int, Field(multiple_of=3)] = 0
    names: Annotated[set[str], Field(max_length=3)] = set()
    pairs: Annotated[set[str], Field(min_length=2)] = set()
    words: set[str] = {"a"}
    either: set[str] | None = None
    tags: Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=3)] = []


@attrs.define
class Computing:
    base: int = 0
    total: int = attrs.field(default=attrs.Factory(lambda: 5))
    lines: list[int] = attrs.field(factory=list)
    made: int = attrs.field(default=attrs.Factory(lambda self: self.base, takes_self=True))
    several: list[int] = attrs.field(default=attrs.Factory(lambda self: [self.base], takes_self=True))


Action = Literal["SET", "ADD", "APPEND", "REMOVE", "DELETE"]
ORDERED = "Shipped has a model_validator (dates_in_order)"
MADE = "the default of Computing.made depends on other fields"


def change(action: Action, *steps: str | int) -> Change:
    return Change(action, Path(steps), None if action == "REMOVE" else Constant(1))


@pytest.mark.parametrize(
    ("cls", "changed", "whole", "fields"),
    [
        (Shipped, change("SET", "placed_on"), ORDERED, None),
        (Parcel, change("SET", "shipped", "placed_on"), ORDERED, None),
        (Parcel, change("SET", "shipped"), None, None),
        (Parcel, change("SET", "address", "city"), None, None),
        (Parcel, change("SET", "address", "tags", "x"), "the length of address.tags is limited", None),
        (Parcel, change("REMOVE", "address", "tags", "x"), None, None),
        (Parcel, change("REMOVE", "address", "codes", 0), "the length of address.codes is limited", None),
        (Parcel, change("SET", "address", "codes", 0), None, None),
        (Parcel, change("REMOVE", "lines", 0), None, None),
        (Parcel, change("APPEND", "lines"), None, None),
        (Parcel, change("SET", "pair", 1), "Parcel.pair has rules that need its whole value", None),
        (Shelf, change("ADD", "count"), None, None),
        (
            Shelf,
            change("ADD", "step"),
            "the rules of step apply to its new value, which depends on the stored value",
            None,
        ),
        (Shelf, change("APPEND", "tags"), None, None),
        (
            Shelf,
            change("ADD", "names"),
            "the rules of names apply to its new value, which depends on the stored value",
            None,
        ),
        (Shelf, change("DELETE", "names"), None, None),
        (
            Shelf,
            change("ADD", "pairs"),
            "the rules of pairs apply to its new value, which depends on the stored value",
            None,
        ),
        (Shelf, change("DELETE", "words"), *["a missing words is not an empty set"] * 2),
        (Shelf, change("ADD", "either"), *["a missing either is not an empty set"] * 2),
        (Computing, change("ADD", "total"), MADE, None),
        (Computing, change("ADD", "made"), MADE, "the default of made is computed by its class"),
        (Computing, change("APPEND", "several"), MADE, "the default of several is computed by its class"),
        (Computing, change("APPEND", "lines"), MADE, None),
    ],
    ids=lambda value: f"{value.action} {value.path}" if isinstance(value, Change) else "",
)
def test_validation_reads_name_their_reason(cls: type, changed: Change, whole: str | None, fields: str | None) -> None:
    assert read_reason(cls, changed, validates_whole=True) == whole
    assert read_reason(cls, changed, validates_whole=False) == fields
    assert waived_rules(cls, [changed, changed]) == ((whole,) if whole not in (None, fields) else ())


@dataclass
class Nested:
    parcels: list[Parcel | None]
    by_name: dict[str, Parcel]
    pair: tuple[int, Parcel]
    grid: list[dict[str, Shelf]]
    anything: Any = None


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (("parcels",), "parcels"),
        (("parcels", 0), None),
        (("parcels", 0, "lines"), "lines"),
        (("by_name", "x", "shipped", "placed_on"), "placed_on"),
        (("by_name", "x"), None),
        (("pair", 1, "address", "city"), "city"),
        (("pair", 7), None),
        (("grid", 0, "a", "count"), "count"),
        (("anything", "x", 0), None),
        (("missing", "x"), None),
    ],
    ids=str,
)
def test_validation_reads_find_the_field_at_the_end_of_a_path(steps: tuple[str | int, ...], name: str | None) -> None:
    field = field_at(Nested, steps)
    assert (None if field is None else field.name) == name


# Plans ----------------------------------------------------------------------------------------------------------------


@entity(key=("USER#{user_id}", "ORDER#{id}"), gsi1=("USER#{user_id}", "{status}#{total:08.2f}#{id}"))
class Order(BaseModel):
    user_id: str
    id: str
    placed_on: date
    delivered_on: date | None = None
    status: str = "OPEN"
    total: Decimal = Decimal(0)
    text: str = ""

    @model_validator(mode="after")
    def dates_in_order(self) -> Order:
        if self.delivered_on is not None and self.delivered_on < self.placed_on:
            raise ValueError("delivered before it was placed")
        return self


@entity(key=("MEMBER#{id}", "MEMBER"), unique=("mail",))
@dataclass
class Member:
    id: str
    mail: str
    name: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        if self.mail == self.name:
            raise ValueError("a name is not an address")


class Shop(Table, entities=[Order, Member]):
    @pattern()
    def orders_in_status(self, user_id: str, status: str) -> Page[Order]:
        """A user's orders in one status, by their total."""
        return query(Order, order_by=lambda order: order.total)

    @pattern(fanout=2)
    def set_delivery(self, user_id: str, id: str, delivered_on: date) -> Order:
        """Set the date of delivery of an order."""
        return update(Order, field(Order, lambda order: order.delivered_on).set(delivered_on))

    @pattern()
    def set_delivery_alone(self, user_id: str, id: str, delivered_on: date) -> Order:
        """Set the date of delivery of an order, whatever the other date is."""
        change = field(Order, lambda order: order.delivered_on).set(delivered_on)
        return update(Order, change, validate="fields")

    @pattern(fanout=2)
    def set_status(self, user_id: str, id: str, status: str) -> Order:
        """Move an order to another status."""
        return update(Order, field(Order, lambda order: order.status).set(status))

    @pattern(fanout=2)
    def set_status_alone(self, user_id: str, id: str, status: str) -> Order:
        """Move an order to another status, without a look at its dates."""
        return update(Order, field(Order, lambda order: order.status).set(status), validate="fields")

    @pattern(fanout=2)
    def set_name(self, id: str, name: str) -> Member:
        """Change a member's name."""
        return update(Member, field(Member, lambda member: member.name).set(name))

    @pattern(fanout=3)
    def set_mail(self, id: str, mail: str) -> Member:
        """Change a member's address."""
        return update(Member, field(Member, lambda member: member.mail).set(mail))


def plan_of(name: str) -> Plan:
    plan = getattr(Shop, name).plan
    assert isinstance(plan, Plan)
    return plan


def test_validation_reads_are_requests_of_the_plan() -> None:
    assert plan_of("set_delivery").validation_read == "Order has a model_validator (dates_in_order)"
    assert plan_of("set_delivery").requests == 2
    assert plan_of("set_delivery").verdict is Verdict.DECLARED_FANOUT
    assert plan_of("set_delivery").verdict_text() == "declared fan-out of 2"
    assert (plan_of("set_delivery_alone").validation_read, plan_of("set_delivery_alone").requests) == (None, 1)


def test_validation_reads_are_shared_when_an_item_is_read_for_two_reasons() -> None:
    for name, requests in [("set_status", 2), ("set_status_alone", 2), ("set_mail", 3), ("set_name", 2)]:
        assert (plan_of(name).reads_item_first, plan_of(name).requests) == (True, requests)


def test_the_explanation_shows_why_validation_reads_the_item() -> None:
    explained = Shop.set_delivery.explain("u", "o", date(2027, 1, 1))
    assert (
        "the item is read first and written only if it is unchanged: Order has a model_validator (dates_in_order)"
        in explained.proof
    )
    assert [request.operation for request in explained.requests] == ["GetItem", "UpdateItem"]
    assert explained.proof[-1] == f"writes 1 item, {explained.estimate.bytes} bytes, {explained.estimate}" + (
        " (guessed: the size of Order)"
    )
    assert str(explained.estimate) == "≈2 WRU + ≈1 RRU"
    alone = Shop.set_delivery_alone.explain("u", "o", date(2027, 1, 1))
    assert not any("read first" in line for line in alone.proof)
    assert [request.operation for request in alone.requests] == ["UpdateItem"]


def test_the_validation_waived_rule_accepts_declared_reads_and_waived_rules() -> None:
    report = check(Shop.design)
    assert report.passes
    waived = [(each.subject, each.accepted, str(each.remedy)) for each in report.findings if each.code == "ST118"]
    assert waived == [
        (
            "set_delivery_alone",
            'validate="fields"',
            "Remove validate= from update(...) of set_delivery_alone; set fanout=2 in @pattern of set_delivery_alone. "
            "The item is then read and validated before the write.",
        ),
        (
            "set_status_alone",
            'validate="fields"',
            "Remove validate= from update(...) of set_status_alone. The whole item is then validated.",
        ),
    ]


class Undeclared(Table, entities=[Order, Member]):
    @pattern()
    def orders_in_status(self, user_id: str, status: str) -> Page[Order]:
        """A user's orders in one status, by their total."""
        return query(Order, order_by=lambda order: order.total)

    @pattern()
    def set_status(self, user_id: str, id: str, status: str) -> Order:
        """Move an order to another status."""
        return update(Order, field(Order, lambda order: order.status).set(status))

    @pattern(accept={"ST118": "the dates are checked by the form"})
    def set_text(self, user_id: str, id: str, text: str) -> Order:
        """Change the text of an order."""
        return update(Order, field(Order, lambda order: order.text).set(text), validate="fields")

    @pattern()
    def set_mail(self, id: str, mail: str) -> Member:
        """Change a member's address."""
        return update(Member, field(Member, lambda member: member.mail).set(mail))


def test_the_more_than_one_request_rule_reports_reads_for_keys_or_derived_data_as_such() -> None:
    found = {each.subject: each for each in check(Undeclared.design).findings if each.code == "ST003"}
    assert "which depends on the stored total" in found["set_status"].message
    assert str(found["set_status"].remedy) == "Set fanout=2 in @pattern of set_status."
    assert found["set_mail"].message == (
        "set_mail: needs 3 requests, because it also reads for derived data (the unique marker of mail)"
    )
    assert str(found["set_mail"].remedy) == "Set fanout=3 in @pattern of set_mail."


def test_the_validation_waived_rule_shows_a_better_reason_from_accept() -> None:
    (found,) = [each for each in check(Undeclared.design).findings if each.code == "ST118"]
    assert (found.subject, found.accepted) == ("set_text", "the dates are checked by the form")


# Units ----------------------------------------------------------------------------------------------------------------

sizes_of_text = st.integers(0, 9000)


def sizes_with(*objects: Any) -> ItemSizes:
    design = Shop.design
    entities = [design.entity_of(type(each)) for each in objects]
    items = [(of, item_of(design, of, values_of(of, each))) for of, each in zip(entities, objects, strict=True)]
    return ItemSizes(design, measure_items(design, items, is_complete=False).sizes)


@given(sizes_of_text)
def test_validation_reads_cost_what_is_estimated(length: int) -> None:
    day = date(2026, 1, 5)
    order = Order(user_id="u", id="o", placed_on=date(2026, 1, 1), delivered_on=day, text="x" * length)
    member = Member("m", "m@example.org", "Maria", "x" * length)
    sizes = sizes_with(order, member)
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("set_delivery", ("u", "o", date(2026, 1, 6))),
        ("set_delivery_alone", ("u", "o", date(2026, 1, 7))),
        ("set_status", ("u", "o", "DONE")),
        ("set_status_alone", ("u", "o", "OPEN")),
        ("set_name", ("m", "Marie")),
        ("set_mail", ("m", "n@example.org")),
    ]
    with Shop.open("memory:", create=True) as shop:
        shop.create(order)
        shop.create(member)
        for name, arguments in calls:
            shop.metrics.reset()
            getattr(shop, name)(*arguments)
            used, cost = shop.metrics.total, estimate(Shop.design, plan_of(name), sizes)
            assert used.requests == plan_of(name).requests
            assert (used.write_units, used.read_units) == (cost.units, cost.reads), name


@given(sizes_of_text)
def test_the_estimate_of_an_update_with_whole_object_rules_includes_validation_reads(length: int) -> None:
    order = Order(user_id="u", id="o", placed_on=date(2026, 1, 1), delivered_on=date(2026, 1, 5), text="x" * length)
    design = Shop.design
    write = write_of_object(design, design.entity_of(Order), "update", frozenset(("delivered_on",)))
    cost = estimate_write(sizes_with(order), write)
    with Shop.open("memory:", create=True) as shop:
        shop.create(order)
        shop.metrics.reset()
        shop.update(order, field(Order, lambda order: order.delivered_on).set(date(2026, 1, 6)))
        used = shop.metrics.total
    assert (used.write_units, used.read_units) == (cost.units, cost.reads)
    assert cost.reads > 0
