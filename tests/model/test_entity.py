"""Entities: the class is unchanged, and an invalid declaration reports all problems."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import attrs
import msgspec
import pydantic
import pytest

from singletable.errors import DesignError, Location
from singletable.model.derived.bucket import bucket
from singletable.model.derived.shard import shard
from singletable.model.derived.tree_path import parent
from singletable.model.derived_data import copy
from singletable.model.entity import Entity, declaration_of, entity
from singletable.model.fields import Field
from singletable.model.table_schema import Index, KeyAttribute
from tests.model.marked_lines import marked

declare = entity(key=("CUST#{id}", "METADATA"), gsi1=("CUSTOMER", "{name}"))


@declare
class PydanticCustomer(pydantic.BaseModel):
    id: str
    name: str = pydantic.Field(min_length=1)


@declare
@dataclass(frozen=True, slots=True)
class DataclassCustomer:
    id: str
    name: str


@declare
class StructCustomer(msgspec.Struct, frozen=True, rename="upper"):
    id: str
    name: str


@declare
@attrs.frozen
class AttrsCustomer:
    id: str
    name: str


CUSTOMERS = [PydanticCustomer, DataclassCustomer, StructCustomer, AttrsCustomer]


def problems_of(make: Callable[[], object]) -> list[str]:
    with pytest.raises(DesignError) as caught:
        make()
    assert {problem.location for problem in caught.value.problems} != {None}
    return [problem.message for problem in caught.value.problems]


def test_the_entity_decorator_returns_the_same_class() -> None:
    class Customer(pydantic.BaseModel):
        id: str

    assert entity(key="CUST#{id}")(Customer) is Customer


@pytest.mark.parametrize("cls", CUSTOMERS)
def test_entity_objects_behave_as_before_decoration(cls: Any) -> None:
    customer = cls(id="c1", name="Ada")
    assert customer == cls(id="c1", name="Ada")
    assert customer != cls(id="c2", name="Ada")
    assert repr(customer) == f"{cls.__name__}(id='c1', name='Ada')"
    assert pickle.loads(pickle.dumps(customer)) == customer
    with pytest.raises((TypeError, ValueError)):
        cls(id="c1")


def test_an_entity_of_pydantic_still_validates_and_dumps() -> None:
    with pytest.raises(pydantic.ValidationError):
        PydanticCustomer(id="c1", name="")
    assert PydanticCustomer.model_validate({"id": "c1", "name": "Ada"}).model_dump() == {"id": "c1", "name": "Ada"}
    assert set(PydanticCustomer.model_fields) == {"id", "name"}
    assert set(PydanticCustomer.model_json_schema()["properties"]) == {"id", "name"}


def test_an_entity_of_msgspec_still_encodes_and_decodes() -> None:
    encoded = msgspec.json.encode(StructCustomer("c1", "Ada"))
    assert encoded == b'{"ID":"c1","NAME":"Ada"}'
    assert msgspec.json.decode(encoded, type=StructCustomer) == StructCustomer("c1", "Ada")


def test_an_entity_of_dataclasses_or_attrs_still_has_only_its_own_fields() -> None:
    assert [field.name for field in dataclasses.fields(DataclassCustomer)] == ["id", "name"]
    assert dataclasses.asdict(DataclassCustomer("c1", "Ada")) == {"id": "c1", "name": "Ada"}
    assert attrs.asdict(AttrsCustomer("c1", "Ada")) == {"id": "c1", "name": "Ada"}


@pytest.mark.parametrize("cls", CUSTOMERS)
def test_the_entity_declaration_is_stored_on_the_class(cls: type) -> None:
    declaration = declaration_of(cls)
    assert declaration is not None
    assert declaration.cls is cls
    assert declaration.name == cls.__name__
    assert declaration.keys == {"key": ("CUST#{id}", "METADATA"), "gsi1": ("CUSTOMER", "{name}")}
    assert declaration.attributes == {"id": "id", "name": "name"}


class Child(PydanticCustomer):
    pass


@dataclass(frozen=True)
class DataclassChild(DataclassCustomer):
    pass


@pytest.mark.parametrize("cls", [Child, DataclassChild, int, pydantic.BaseModel, None, "Customer", list[str]])
def test_a_subclass_of_an_entity_is_not_an_entity(cls: object) -> None:
    assert declaration_of(cls) is None


def test_an_entity_subclass_can_be_a_separate_entity() -> None:
    @entity(key=("VIP#{id}", "METADATA"), name="vip")
    class Vip(PydanticCustomer):
        level: int = 1

    declaration, inherited = declaration_of(Vip), declaration_of(PydanticCustomer)
    assert declaration is not None
    assert inherited is not None
    assert (declaration.name, declaration.keys["key"]) == ("vip", ("VIP#{id}", "METADATA"))
    assert (inherited.name, inherited.keys["key"]) == ("PydanticCustomer", ("CUST#{id}", "METADATA"))


def test_the_entity_declaration_stores_every_argument() -> None:
    @entity(
        key="ORDER#{id}",
        name="order",
        attributes={"customer_id": "customerId"},
        derived={"shard": shard("id", of=4)},
        identity=["id"],
        schema_version=2,
        version="revision",
        ttl="expires",
        copies=[copy(PydanticCustomer, by={"id": "customer_id"}, fields=["name"])],
        expected_bytes=500,
        expected_per_partition=10,
        accept={"ST107": "checked"},
    )
    @dataclass
    class Order:
        id: str
        customer_id: str
        name: str
        revision: int
        expires: int | None = None

    declaration = declaration_of(Order)
    assert declaration is not None
    assert declaration.attributes["customer_id"] == "customerId"
    assert declaration.attributes["id"] == "id"
    assert declaration.derived == {"shard": shard("id", of=4)}
    assert declaration.identity == ("id",)
    assert (declaration.version, declaration.ttl, declaration.schema_version) == ("revision", "expires", 2)
    assert declaration.copies == (copy(PydanticCustomer, by={"id": "customer_id"}, fields=["name"]),)
    assert (declaration.expected_bytes, declaration.expected_per_partition) == (500, {"key": 10})
    assert declaration.accept == {"ST107": "checked"}
    assert declaration.fields["expires"] == Field("expires", int, optional=True, required=False)


@pytest.mark.parametrize(
    ("given", "table", "gsi1", "lsi1"),
    [(None, None, None, None), (8, 8, None, 8), ({"key": 8, "gsi1": 300}, 8, 300, 8), ({"gsi1": 300}, None, 300, None)],
)
def test_the_entity_decorator_takes_expected_per_partition_as_a_number_or_one_per_index(
    given: int | dict[str, int] | None, table: int | None, gsi1: int | None, lsi1: int | None
) -> None:
    cls = dataclasses.make_dataclass("Order", [("id", str)])
    declaration = declaration_of(entity(key="A#{id}", gsi1=("B#{id}",), lsi1="{id}", expected_per_partition=given)(cls))
    assert declaration is not None
    attribute = (KeyAttribute("PK"),)
    kinds: list[tuple[str, Literal["table", "GSI", "LSI"]]] = [("key", "table"), ("gsi1", "GSI"), ("lsi1", "LSI")]
    indexes = [Index(alias, alias, kind, attribute, ()) for alias, kind in kinds]
    assert [Entity(declaration, {}).expected_in(index) for index in indexes] == [table, gsi1, lsi1]


def test_entity_attribute_names_can_come_from_a_function() -> None:
    @entity(key="ORDER#{id}", attributes=str.upper)
    @dataclass
    class Order:
        id: str
        note: str

    declaration = declaration_of(Order)
    assert declaration is not None
    assert declaration.attributes == {"id": "ID", "note": "NOTE"}


def test_the_entity_decorator_reports_all_unknown_names_at_once_with_file_and_line() -> None:
    with pytest.raises(DesignError) as caught:

        @entity(  # wrong-names
            key="ORDER#{id}",
            ttl="expiry",
            version="revison",
            identity=("id", "tenant"),
            attributes={"idd": "x"},
            derived={"shard": shard("custmer", of=4)},
        )
        @dataclass
        class Order:
            id: str
            revision: int

    problems = caught.value.problems
    label = "test_the_entity_decorator_reports_all_unknown_names_at_once_with_file_and_line.<locals>.Order"
    assert [problem.message for problem in problems] == [
        f"{label}: {option} names {name!r}, which is not a field. The fields are id, revision"
        for option, name in [
            ("ttl", "expiry"),
            ("version", "revison"),
            ("identity", "tenant"),
            ("attributes", "idd"),
            ("derived shard", "custmer"),
        ]
    ]
    assert {problem.location for problem in problems} == {marked(__file__, "wrong-names")}
    assert str(caught.value).count(f"{marked(__file__, 'wrong-names').full}: ") == 5


def declared(**keywords: Any) -> Callable[[], object]:
    @dataclass
    class Order:
        id: str
        path: tuple[str, ...]
        day: datetime
        revision: int
        flag: bool
        note: str | None = None
        expires: int | None = None

    return lambda: entity(**{"key": "ORDER#{id}", **keywords})(Order)


@pytest.mark.parametrize(
    ("keywords", "messages"),
    [
        (
            {"derived": {"id": shard("id", of=4)}},
            ["the derived value 'id' has the same name as a field; rename the derived value"],
        ),
        (
            {"derived": {"up": parent("note")}},
            ["derived up = parent(note): the field must be a path (tuple[str, ...])"],
        ),
        ({"derived": {"m": bucket("note", "month")}}, ["a bucket by month needs a datetime field or a date field"]),
        ({"version": "note"}, ["the version field 'note' must be an int"]),
        ({"version": "flag"}, ["the version field 'flag' must be an int"]),
        ({"attributes": {"id": "x", "note": "x"}}, ["'id' and 'note' are both stored as 'x'"]),
        ({"attributes": {"note": "id"}}, ["'id' and 'note' are both stored as 'id'"]),
        (
            {"attributes": lambda name: "x" if name in ("id", "note", "day") else name},
            ["'id' and 'day' are both stored as 'x'", "'day' and 'note' are both stored as 'x'"],
        ),
        ({"expected_bytes": -1}, ["expected_bytes must be an int, 0 or greater, not -1"]),
        ({"expected_items": 2.5}, ["expected_items must be an int, 0 or greater, not 2.5"]),
        ({"accept": ["ST107"]}, ["accept must map the code of each finding to a reason, not ['ST107']"]),
        ({"accept": {"ST107": ""}}, ["must map the code of each finding to a reason"]),
        ({"accept": {"ST107": None}}, ["must map the code of each finding to a reason"]),
        ({"version": "note", "ttl": "nope"}, ["ttl names 'nope'", "the version field 'note' must be an int"]),
    ],
)
def test_the_entity_decorator_rejects_an_inconsistent_declaration(
    keywords: dict[str, Any], messages: list[str]
) -> None:
    found = problems_of(declared(**keywords))
    assert len(found) == len(messages)
    for message, expected in zip(found, messages, strict=True):
        assert expected in message


def test_the_entity_decorator_accepts_an_optional_version_field() -> None:
    declared(version="expires")()


def test_the_entity_decorator_rejects_other_objects_in_derived() -> None:
    (message,) = problems_of(declared(derived={"shard": "id"}))
    assert "derived shard" in message


def test_the_entity_decorator_accepts_a_string_as_single_identity_field() -> None:
    declaration = declaration_of(declared(identity="id")())
    assert declaration is not None
    assert declaration.identity == ("id",)


def test_the_entity_decorator_rejects_a_plain_class_at_its_line() -> None:
    with pytest.raises(DesignError) as caught:

        @entity(key="ORDER#{id}")  # plain-class
        class Order:
            id: str

    (problem,) = caught.value.problems
    assert problem.location == marked(__file__, "plain-class")
    assert "Order is not a pydantic model, dataclass, msgspec Struct or attrs class" in problem.message
    assert "put @entity above it" in problem.message


def test_the_entity_decorator_rejects_unresolvable_annotations_at_its_line() -> None:
    with pytest.raises(DesignError) as caught:

        @entity(key="ORDER#{id}")  # unknown-annotation
        @dataclass
        class Order:
            id: Unknown  # type: ignore[name-defined]  # noqa: F821 - that is the point

    (problem,) = caught.value.problems
    assert problem.location == marked(__file__, "unknown-annotation")
    assert "'Unknown' is not defined" in problem.message


def test_the_entity_decorator_rejects_an_annotation_that_is_not_a_type() -> None:
    cls = dataclasses.make_dataclass("Order", [("id", str), ("tags", [str])])
    (message,) = problems_of(lambda: entity(key="ORDER#{id}")(cls))
    assert "the annotation of 'tags' is [<class 'str'>], which is not a type" in message


def test_the_entity_decorator_rejects_a_field_without_a_type() -> None:
    with pytest.raises(DesignError) as caught:

        @entity(key="ORDER#{id}")
        @attrs.define
        class Order:
            id = attrs.field()  # type: ignore[var-annotated]  # that is the point

    (problem,) = caught.value.problems
    assert "id has no type" in problem.message


def compiled(label: str, fields: list[str], identity: tuple[str, ...] | None) -> Entity:
    cls = dataclasses.make_dataclass(label, [(name, str) for name in fields])
    declaration = declaration_of(entity(key="X#{" + fields[0] + "}", identity=identity)(cls))
    assert declaration is not None
    return Entity(declaration, {})


@pytest.mark.parametrize(
    ("label", "fields", "given", "identity"),
    [
        ("Order", ["id", "order_id"], None, ("id",)),
        ("Order", ["order_id", "customer_id"], None, ("order_id",)),
        ("OrderItem", ["order_item_id"], None, ("order_item_id",)),
        ("Order", ["sku", "customer_id"], None, None),
        ("Order", ["id", "sku"], ("sku",), ("sku",)),
        ("Order", ["id", "sku"], (), ()),
    ],
)
def test_the_default_identity_of_an_entity_is_the_id_field(
    label: str, fields: list[str], given: tuple[str, ...] | None, identity: tuple[str, ...] | None
) -> None:
    assert compiled(label, fields, given).identity == identity


def test_an_entity_exposes_its_declaration() -> None:
    order = compiled("Order", ["id"], None)
    assert str(order) == order.label == order.name == "Order"
    assert list(order.fields) == ["id"]
    assert isinstance(order.location, Location)


def test_the_entity_decorator_rejects_a_model_that_allows_extra_fields() -> None:
    class Open(pydantic.BaseModel, extra="allow"):
        id: str
        name: str

    with pytest.raises(DesignError, match=r"extra='allow'\), but only declared fields are stored"):
        declare(Open)
