"""Shapes of item collections: plain classes whose members are entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Optional, Union

import attrs
import msgspec
import pydantic
import pytest

from singletable.model.entity import entity
from singletable.model.fields import NotAnEntityClass
from singletable.model.shape import Member, ShapeProblem, members_of


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
def test_members_are_entities_optional_ones_or_lists_of_them(shape: type) -> None:
    assert members_of(shape) == (
        Member("order", Order, "one"),
        Member("items", Item, "many"),
        Member("note", Note, "maybe"),
    )


@dataclass
class Annotations:
    items: list[Annotated[Item, "a note"]]


def test_a_list_may_carry_notes_on_its_elements() -> None:
    assert members_of(Annotations) == (Member("items", Item, "many"),)


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
def test_a_member_of_another_kind_is_refused(annotation: Any, written: str) -> None:
    with pytest.raises(
        ShapeProblem, match=r"^Shape\.member is .*; a member is an entity, `Entity \| None` or"
    ) as caught:
        members_of(shape_of(annotation))
    assert written in str(caught.value)


@dataclass
class Empty:
    pass


def test_a_shape_has_a_member() -> None:
    with pytest.raises(ShapeProblem, match="Empty has no members; a shape has at least one"):
        members_of(Empty)


@dataclass
class Twice:
    first: Order
    others: list[Order]


def test_two_members_of_one_entity_cannot_be_told_apart() -> None:
    with pytest.raises(ShapeProblem, match="Twice has two members of Order; items could be either"):
        members_of(Twice)


class Plain:
    order: Order


def test_a_plain_class_is_no_shape() -> None:
    with pytest.raises(NotAnEntityClass, match="Plain"):
        members_of(Plain)
