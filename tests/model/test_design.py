"""Compiled designs, and all design errors reported at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pytest

from singletable.errors import DesignError, Location, Problem
from singletable.model.collection_shape import ShapeMember
from singletable.model.derived.geohash_cell import geohash
from singletable.model.derived_data import copy
from singletable.model.design import Design, compile_design
from singletable.model.entity import entity
from singletable.model.intents import CollectionIntent, Page, collection, get, query
from singletable.model.parameter_types import Between, Radius
from singletable.model.pattern_declaration import PatternOptions, declare_pattern
from singletable.model.table_schema import GSI, TableSettings

HERE = Location("model.py", 7)


@entity(key=("CUST#{id}", "METADATA"), ttl="expires")
@dataclass
class Customer:
    id: str
    name: str
    expires: int | None = None


@entity(key=("ORDER#{id}", "METADATA"), gsi1=("CUST#{customer_id}", "ORDER#{at:seconds}"))
@dataclass
class Order:
    id: str
    customer_id: str
    at: datetime
    note: int


@entity(key=("ORDER#{order_id}", "ITEM#{sku}"))
@dataclass
class Item:
    order_id: str
    sku: str
    note: str


@entity(key="PLACE#{id}", derived={"cell": geohash("latitude", "longitude", precision=6)})
@dataclass
class Place:
    id: str
    latitude: float
    longitude: float


@dataclass
class NotAnEntity:
    id: str


@dataclass
class WholeOrder:
    order: Order
    items: list[Item]


@dataclass
class WithStranger:
    order: Order
    place: Place | None


@dataclass
class WithText:
    order: Order
    text: str


@dataclass
class Unreadable:
    order: Order
    items: list[Unknown]  # type: ignore[name-defined]  # noqa: F821 - that is the point


class PlainShape:
    order: Order


def compiled(*classes: type, patterns: tuple[Callable[..., Any], ...] = (), **settings: Any) -> Design:
    declared = [declare_pattern(function, PatternOptions()) for function in patterns]
    return compile_design(TableSettings("Shop", HERE, **settings), classes, declared)


def problems_of(*classes: type, patterns: tuple[Callable[..., Any], ...] = (), **settings: Any) -> list[Problem]:
    with pytest.raises(DesignError) as caught:
        compiled(*classes, patterns=patterns, **settings)
    return list(caught.value.problems)


def order(self: Any, id: str) -> Order | None:
    return get(Order)


def orders(self: Any, customer_id: str, at: Between[datetime]) -> Page[Order]:
    return query(Order)


def whole_order(self: Any, order_id: str) -> WholeOrder | None:
    return collection(WholeOrder)


def test_a_design_contains_what_was_declared() -> None:
    design = compiled(Customer, Order, Item, patterns=(order, orders, whole_order))
    assert design.name == "Shop"
    assert [one.cls for one in design.entities] == [Customer, Order, Item]
    assert [pattern.name for pattern in design.patterns] == ["order", "orders", "whole_order"]
    assert list(design.indexes) == ["key", "gsi1"]
    assert design.table is design.indexes["key"]
    assert design.entity_of(Item).label == "Item"
    assert [one.cls for one in design.placed_in(design.indexes["gsi1"])] == [Order]
    assert [one.cls for one in design.placed_in(design.table)] == [Customer, Order, Item]


def test_a_design_finds_a_pattern_by_its_name() -> None:
    design = compiled(Order, patterns=(order,))
    assert design.pattern("order") is design.patterns[0]
    assert design.pattern("orders") is None


def test_a_design_returns_the_members_of_a_collection_with_their_entities() -> None:
    design = compiled(Order, Item, patterns=(whole_order,))
    intent = design.patterns[0].intent
    assert isinstance(intent, CollectionIntent)
    assert design.members(intent) == (
        (ShapeMember("order", Order, "one"), design.entity_of(Order)),
        (ShapeMember("items", Item, "many"), design.entity_of(Item)),
    )


@pytest.mark.parametrize(
    ("classes", "given", "expected"), [((Customer, Order), None, "expires"), ((Order,), None, None)]
)
def test_a_design_takes_its_ttl_attribute_from_an_entity(
    classes: tuple[type, ...], given: str | None, expected: str | None
) -> None:
    assert compiled(*classes, ttl_attribute=given).ttl_attribute == expected


def test_a_design_has_a_configurable_ttl_attribute() -> None:
    assert compiled(Order, ttl_attribute="ttl").ttl_attribute == "ttl"
    assert compiled(Customer, ttl_attribute="expires").ttl_attribute == "expires"


def expiring(label: str, stored: str) -> type:
    cls = dataclasses.make_dataclass(label, [("id", str), ("expires", int)])
    return entity(key=(f"{label}#{{id}}", "M"), ttl="expires", attributes={"expires": stored})(cls)


def test_a_design_has_one_ttl_attribute() -> None:
    # DynamoDB has one TTL attribute per table; items of the other entity would never expire.
    assert compiled(expiring("A", "ttl"), expiring("B", "ttl")).ttl_attribute == "ttl"
    (problem,) = problems_of(expiring("A", "ttl"), expiring("B", "expires"))
    assert "ttl" in problem.message.lower()
    assert len(problems_of(expiring("A", "ttl"), ttl_attribute="expires")) == 1


def with_ttl(python_type: Any) -> type:
    cls = dataclasses.make_dataclass("Order", [("id", str), ("expires", python_type)])
    return entity(key=("ORDER#{id}", "M"), ttl="expires")(cls)


@pytest.mark.parametrize("python_type", [str, bool, bytes, list[int], date, str | None])
def test_a_design_rejects_a_ttl_field_of_another_type(python_type: Any) -> None:
    # DynamoDB expires items by epoch seconds, and ignores attributes of other types.
    (problem,) = problems_of(with_ttl(python_type))
    assert "the TTL field 'expires' is " in problem.message


@pytest.mark.parametrize("python_type", [int, datetime, int | None, datetime | None])
def test_a_design_accepts_a_datetime_or_an_int_as_ttl_field(python_type: Any) -> None:
    assert compiled(with_ttl(python_type)).ttl_attribute == "expires"


@pytest.mark.parametrize("delimiter", ["#", ":", "|", "/", "-", ".", "~", "&", "_", "@"])
def test_a_design_has_one_punctuation_character_as_delimiter(delimiter: str) -> None:
    cls = dataclasses.make_dataclass("Order", [("id", str)])
    design = compiled(entity(key=f"A{delimiter}{{id}}")(cls), delimiter=delimiter)
    assert design.entities[0].base.encode({"id": "x"}) == {"PK": f"A{delimiter}x"}


@pytest.mark.parametrize("delimiter", ["", "##", "$", "%", "{", "}", " ", "!", '"', "\n", "\x7f"])
def test_a_design_rejects_an_invalid_delimiter(delimiter: str) -> None:
    (problem,) = problems_of(Order, delimiter=delimiter)
    assert problem.message == f"Shop: invalid delimiter {delimiter!r}"
    assert problem.location == HERE


@pytest.mark.parametrize("delimiter", ["0", "9", "T", "e", "Z", "€", "→", "\U0001f600"])
def test_a_design_rejects_a_delimiter_that_occurs_in_field_texts(delimiter: str) -> None:
    """With `0`, the numbers 1, 101 and 101, 1 have the same key; `€` and a space plus `AC` have the same escape."""
    assert [problem.location for problem in problems_of(Order, delimiter=delimiter)] == [HERE]


def test_a_design_rejects_classes_without_keys() -> None:
    (problem,) = problems_of(Order, NotAnEntity, int)
    assert problem.message == "Shop: NotAnEntity, int are not entities"
    assert problem.location == HERE
    assert problem.remedy == "Decorate the class with @entity."


def test_a_design_rejects_two_entities_with_the_same_name() -> None:
    first = entity(key=("A#{id}", "M"), name="order")(dataclasses.make_dataclass("First", [("id", str)]))
    second = entity(key=("B#{id}", "M"), name="order")(dataclasses.make_dataclass("Second", [("id", str)]))
    (problem,) = problems_of(first, second)
    assert "two entities have the name 'order'; the other is at test_design.py:" in problem.message
    assert problem.location is not None
    assert problem.location.file == __file__


def test_a_design_treats_a_class_listed_twice_as_one_entity() -> None:
    assert len(compiled(Order, Order).entities) == 1


def of_a_stranger(self: Any, id: str) -> Place | None:
    return get(Place)


def of_no_entity(self: Any, id: str) -> NotAnEntity | None:
    return get(NotAnEntity)


def with_a_stranger(self: Any, id: str) -> WithStranger | None:
    return collection(WithStranger)


def with_text(self: Any, id: str) -> WithText | None:
    return collection(WithText)


def of_a_plain_shape(self: Any, id: str) -> PlainShape | None:
    return collection(PlainShape)


def of_an_unreadable_shape(self: Any, id: str) -> Unreadable | None:
    return collection(Unreadable)


def unknown_parameter(self: Any, idd: str) -> Order | None:
    return get(Order)


def wrong_parameter(self: Any, customer_id: int) -> Page[Order]:
    return query(Order)


def wrong_where(self: Any, customer_id: str) -> Page[Order]:
    return query(Order, where=lambda o: o.note > 3)


def unknown_in_collection(self: Any, oder_id: str) -> WholeOrder | None:
    return collection(WholeOrder)


def wrong_in_collection(self: Any, order_id: int) -> WholeOrder | None:
    return collection(WholeOrder)


def area_of_a_query(self: Any, area: Radius) -> Page[Place]:
    return query(Place)


@pytest.mark.parametrize(
    ("function", "message", "remedy"),
    [
        (of_a_stranger, "Place is not an entity of Shop", "Add it to entities=[...]."),
        (of_no_entity, "NotAnEntity is not an entity of Shop", "Add it to entities=[...]."),
        (with_a_stranger, "Place is not an entity of Shop", "Add it to entities=[...]."),
        (with_text, "WithText.text is str; a member must be an entity", ""),
        (of_a_plain_shape, "PlainShape is not a pydantic model, dataclass", ""),
        (of_an_unreadable_shape, "'Unknown' is not defined", ""),
        (unknown_parameter, "the parameter 'idd' is not a field of Order", "Did you mean 'id'?"),
        (wrong_parameter, "the parameter 'customer_id' is int, but Order.customer_id is str", ""),
        (wrong_where, "where= of a read supports only == and exists()", ""),
        (unknown_in_collection, "the parameter 'oder_id' is not a field of Order or Item", "Did you mean 'order_id'?"),
        (wrong_in_collection, "the parameter 'order_id' is int, but the field is str", ""),
    ],
)
def test_a_design_reports_an_invalid_pattern_at_its_own_line(
    function: Callable[..., Any], message: str, remedy: str
) -> None:
    (problem,) = problems_of(Order, Item, patterns=(function,))
    assert problem.message.startswith(f"pattern {function.__name__}: ")
    assert message in problem.message
    assert remedy in (problem.remedy or "")
    assert problem.location == Location(__file__, function.__code__.co_firstlineno)


def test_a_design_rejects_an_area_parameter_without_within() -> None:
    (problem,) = problems_of(Place, patterns=(area_of_a_query,))
    assert problem.message == ("pattern area_of_a_query: an area parameter needs within(...), which returns a list")


def by_note(self: Any, note: str) -> WholeOrder | None:
    return collection(WholeOrder)


def test_a_design_accepts_a_field_of_any_member_as_collection_parameter() -> None:
    assert [pattern.name for pattern in compiled(Order, Item, patterns=(by_note, whole_order)).patterns] == [
        "by_note",
        "whole_order",
    ]


def test_a_design_reports_the_problems_of_all_patterns_at_once() -> None:
    found = problems_of(Order, Item, patterns=(unknown_parameter, order, wrong_parameter, with_text))
    assert [problem.message.split(":")[0] for problem in found] == [
        "pattern unknown_parameter",
        "pattern wrong_parameter",
        "pattern with_text",
    ]


def test_a_design_reports_the_problems_of_all_entities_at_once() -> None:
    first = entity(key=("A#{x}", "M"), name="one")(dataclasses.make_dataclass("First", [("id", str)]))
    second = entity(key=("B#{y}", "M"), name="one")(dataclasses.make_dataclass("Second", [("id", str)]))
    assert len(problems_of(first, second)) == 3


# Copies.

CUSTOMER = entity(key=("CUST#{tenant}#{id}", "M"))(
    dataclasses.make_dataclass("Customer", [("tenant", str), ("id", str), ("name", str), ("age", int)])
)


def copying(by: dict[str, str], fields: Any, source: type = CUSTOMER) -> type:
    cls = dataclasses.make_dataclass(
        "Order", [("id", str), ("tenant", str), ("customer_id", str), ("name", str), ("age", str)]
    )
    return entity(key=("ORDER#{id}", "M"), copies=[copy(source, by=by, fields=fields)])(cls)


def test_derived_data_checks_accept_a_copy_that_names_the_fields_of_both_sides() -> None:
    order = copying({"tenant": "tenant", "id": "customer_id"}, ["name"])
    assert compiled(CUSTOMER, order).entity_of(order).declaration.copies[0].fields == {"name": "name"}


@pytest.mark.parametrize(
    ("by", "fields", "message"),
    [
        ({"tenant": "tenant", "id": "customer"}, ["name"], "there is no field Order.customer"),
        ({"tenant": "tenant", "key": "customer_id"}, ["name"], "there is no field Customer.key"),
        ({"tenant": "tenant", "id": "customer_id"}, ["email"], "there is no field Customer.email"),
        ({"tenant": "tenant", "id": "customer_id"}, {"name": "title"}, "there is no field Order.title"),
        ({"tenant": "tenant", "id": "customer_id"}, ["age"], "age is int, but age is str"),
        ({"id": "customer_id"}, ["name"], "by= must map every key field of Customer, but lacks tenant"),
        ({}, ["name"], "by= must map every key field of Customer, but lacks id, tenant"),
    ],
)
def test_derived_data_checks_reject_an_invalid_copy(by: dict[str, str], fields: Any, message: str) -> None:
    order = copying(by, fields)
    (problem,) = problems_of(CUSTOMER, order)
    assert problem.message == f"Order: copies of Customer: {message}"
    assert problem.location is not None
    assert problem.location.file == __file__


def _refused_keeping(*classes: type) -> str:
    (problem,) = problems_of(*classes)
    assert problem.location is not None
    assert problem.location.file == __file__
    return problem.message


def _made(name: str, fields: list[tuple[str, Any]], **declared: Any) -> type:
    return entity(**declared)(dataclasses.make_dataclass(name, fields))


def test_derived_data_checks_reject_an_entity_that_copies_from_itself() -> None:
    person = dataclasses.make_dataclass("Person", [("id", str), ("name", str), ("boss", str), ("boss_name", str)])
    entity(key=("P#{id}", "P"), copies=[copy(person, by={"id": "boss"}, fields={"name": "boss_name"})])(person)
    assert _refused_keeping(person) == (
        "Person: copies of Person: an entity cannot copy from itself; move the copied fields to another entity"
    )


def test_derived_data_checks_reject_a_copy_of_a_version() -> None:
    team = _made("Team", [("id", str), ("revision", int)], key=("T#{id}", "T"), version="revision")
    member = _made(
        "Member",
        [("id", str), ("team", str), ("revision", int)],
        key=("M#{id}", "M"),
        copies=[copy(team, by={"id": "team"}, fields=["revision"])],
    )
    assert _refused_keeping(team, member) == (
        "Member: copies of Team: revision is the version of Team, which every write increments"
    )
    mirror = _made("Back", [("id", str), ("revision", int)], key=("B#{id}", "B"), mirror_of=team)
    assert _refused_keeping(team, mirror) == (
        "Back: mirror of Team: revision is the version of Team, which every write increments; remove it here"
    )


def test_derived_data_checks_reject_a_copy_that_is_found_by_a_copied_field() -> None:
    town = _made("Town", [("id", str), ("name", str)], key=("TOWN#{id}", "T"))
    club = _made("Club", [("id", str), ("town", str)], key=("CLUB#{id}", "C"))
    player = _made(
        "Player",
        [("id", str), ("club", str), ("town", str), ("town_name", str)],
        key=("PLAYER#{id}", "P"),
        copies=[
            copy(club, by={"id": "club"}, fields=["town"]),
            copy(town, by={"id": "town"}, fields={"name": "town_name"}),
        ],
    )
    assert _refused_keeping(town, club, player) == (
        "Player: copies of Town: by= must not use copied fields, but it uses town"
    )


@pytest.mark.parametrize(
    ("edge", "mirror", "message"),
    [
        ("until", None, "Edge has a TTL, but Back has none: declare ttl='until' here too"),
        (None, "until", "Back has a TTL, but Edge has none: declare ttl='until' there too"),
    ],
)
def test_derived_data_checks_reject_a_mirror_that_does_not_expire_with_its_source(
    edge: str | None, mirror: str | None, message: str
) -> None:
    fields = [("a", str), ("b", str), ("until", int)]
    there = _made("Edge", fields, key=("A#{a}", "TO#{b}"), ttl=edge)
    back = _made("Back", fields, key=("B#{b}", "BY#{a}"), ttl=mirror, mirror_of=there)
    assert _refused_keeping(there, back) == f"Back: mirror of Edge: {message}"
    whole = _made("Edge", fields, key=("A#{a}", "TO#{b}"), ttl=edge or mirror)
    both = _made("Back", fields, key=("B#{b}", "BY#{a}"), ttl=edge or mirror, mirror_of=whole)
    assert compiled(whole, both).entity_of(both).declaration.ttl == "until"


def test_derived_data_checks_reject_a_copy_whose_source_is_not_in_the_table() -> None:
    (problem,) = problems_of(copying({"tenant": "tenant", "id": "customer_id"}, ["name"]))
    assert problem.message == "Order: copies of Customer: it is not an entity of the table"


def test_a_design_can_declare_indexes_before_any_entity_uses_them() -> None:
    assert list(compiled(Order, indexes=(GSI("gsi2", keys=("a",)),)).indexes) == ["key", "gsi1", "gsi2"]
