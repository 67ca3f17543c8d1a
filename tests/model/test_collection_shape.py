"""Shapes of item collections."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Optional, Union

import attrs
import msgspec
import pydantic
import pytest

from singletable.model.collection_shape import InvalidShape, ShapeMember, members_of
from singletable.model.entity import entity
from singletable.model.fields import NotAnEntityClass


@entity(key="ORDER#{id}")
class Order(pydantic.BaseModel):
    id: str


@entity(key="ITEM#{sku}")
@dataclass
class Item:
    sku: str


@entity(key="NOTE#{id}")
@dataclass
class Note:
    id: str


class NotAnEntity(pydantic.BaseModel):
    id: str


class ChildOfOrder(Order):
    pass


class PydanticShape(pydantic.BaseModel):
    order: Order
    items: list[Item]
    note: Note | None = None


@dataclass
class DataclassShape:
    order: Order
    items: list[Item] = field(default_factory=list)
    note: Optional[Note] = None  # noqa: UP045 - both spellings are users' own


class StructShape(msgspec.Struct, kw_only=True):
    order: Order
    items: list[Item] = []
    note: Note | None


@attrs.define
class AttrsShape:
    order: Annotated[Order, "a note"]
    items: tuple[Item, ...]
    note: Annotated[Note | None, "a note"]


@pytest.mark.parametrize("shape", [PydanticShape, DataclassShape, StructShape, AttrsShape])
def test_a_collection_shape_has_members_that_are_entities_optional_entities_or_lists(shape: type) -> None:
    assert members_of(shape) == (
        ShapeMember("order", Order, "one"),
        ShapeMember("items", Item, "many"),
        ShapeMember("note", Note, "maybe"),
    )


@dataclass
class Annotations:
    items: list[Annotated[Item, "a note"]]


def test_a_collection_shape_can_have_annotated_list_elements() -> None:
    assert members_of(Annotations) == (ShapeMember("items", Item, "many"),)


def shape_of(annotation: Any) -> type:
    return attrs.make_class("Shape", {"member": attrs.field(type=annotation)})


@pytest.mark.parametrize(
    ("annotation", "written"),
    [
        (str, "str"),
        (NotAnEntity, "NotAnEntity"),
        (ChildOfOrder, "ChildOfOrder"),
        (list[str], "list[str]"),
        (list[NotAnEntity], "list[NotAnEntity]"),
        (list, "list"),
        (set[Order], "set[Order]"),
        (dict[str, Order], "dict[str, Order]"),
        (Union[Order, Item], "Order"),  # noqa: UP007 - both spellings are users' own
        (Order | Item | None, "Order"),
        (list[Order | Item], "list["),
        (tuple[Order, Item], "tuple[Order, Item]"),
        (tuple[Order], "tuple[Order]"),
        (list[list[Order]], "list[list[Order]]"),
        (Any, "Any"),
    ],
    ids=str,
)
def test_a_collection_shape_rejects_other_member_types(annotation: Any, written: str) -> None:
    with pytest.raises(
        InvalidShape, match=r"^Shape\.member is .*; a member must be an entity, `Entity \| None` or"
    ) as caught:
        members_of(shape_of(annotation))
    assert written in str(caught.value)


@dataclass
class Empty:
    pass


def test_a_collection_shape_without_members_is_rejected() -> None:
    with pytest.raises(InvalidShape, match="Empty has no members; a shape needs at least one"):
        members_of(Empty)


@dataclass
class Twice:
    first: Order
    others: list[Order]


def test_a_collection_shape_rejects_two_members_of_the_same_entity() -> None:
    with pytest.raises(InvalidShape, match="Twice has two members of type Order, but an item can belong to only one"):
        members_of(Twice)


class Plain:
    order: Order


def test_a_collection_shape_cannot_be_a_plain_class() -> None:
    with pytest.raises(NotAnEntityClass, match="Plain"):
        members_of(Plain)
