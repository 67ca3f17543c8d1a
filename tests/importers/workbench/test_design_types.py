"""Types and defaults of user classes of every library are written as Python text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from typing import Annotated, Any, NewType

import attrs
import msgspec
import pydantic
import pytest

from singletable.importers.draft import DraftClass, DraftEnum, DraftField, PythonCode
from singletable.importers.workbench.design_types import DesignTypes, NotWritable
from singletable.importers.workbench.field_defaults import default_of
from singletable.model.fields import fields_of

Slug = NewType("Slug", str)


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Mixed(Enum):
    A = "a"
    B = 1


class Bits(Flag):
    A = 1


@dataclass
class Part:
    """A part."""

    name: str
    size: Size = Size.SMALL


@dataclass
class Tree:
    """A class that contains itself."""

    children: list[Tree]


def types() -> tuple[DesignTypes, list[str]]:
    notes: list[str] = []
    return DesignTypes({}, {"Taken"}, notes), notes


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (Annotated[str, "x"], "str"),
        (Slug, "str"),
        (list[Slug | None], "list[str | None]"),
        (dict[str, list[Decimal]], "dict[str, list[Decimal]]"),
        (list, "list[Any]"),
        (dict, "dict[str, Any]"),
        (tuple[int, str], "tuple[int, str]"),
        (str | int | None, "str | int | None"),
        (list[Part], "list[Part]"),
        (Size, "Size"),
    ],
)
def test_design_types_are_written_as_python_source(annotation: Any, text: str) -> None:
    known, notes = types()
    assert known.annotation(annotation, "here") == (text, ())
    assert not notes


@pytest.mark.parametrize("annotation", [Sequence[str], Mixed, Bits, complex, Tree])
def test_a_design_type_that_is_unsupported_adds_a_note(annotation: Any) -> None:
    known, notes = types()
    text, _ = known.annotation(annotation, "Order.x")
    assert "Any" in text or text == "Tree"
    assert notes


def test_design_types_collect_the_classes_and_enums_that_an_annotation_uses() -> None:
    known, _ = types()
    known.annotation(dict[str, Part], "here")
    known.annotation(Part, "again")
    assert known.enums == [DraftEnum("Size", {"SMALL": 1, "LARGE": 2}, "IntEnum", "")]
    size = DraftField("size", "Size", has_default=True, default=PythonCode("Size.SMALL"))
    assert known.classes == [DraftClass("Part", (DraftField("name", "str"), size), "A part.")]


def test_design_types_rename_a_class_with_a_taken_or_reserved_name() -> None:
    known, _ = types()
    taken, box = make_dataclass("Taken", [("a", int)]), make_dataclass("Box", [("a", int)])
    assert [known.annotation(each, "here")[0] for each in (taken, box)] == ["Taken2", "Box2"]


def now() -> datetime:
    return datetime.now(UTC)


@dataclass
class ByDataclass:
    a: int
    b: int | None
    c: int | None = None
    d: list[int] = field(default_factory=list)
    e: datetime = field(default_factory=now)
    f: list[int] = field(default_factory=[1].copy)
    g: list[int] = field(default_factory=lambda: [1])
    h: str = "x"


class ByStruct(msgspec.Struct):
    a: int
    b: int | None
    c: int | None = None
    d: list[int] = []
    e: datetime = msgspec.field(default_factory=now)
    f: list[int] = msgspec.field(default_factory=[1].copy)
    g: list[int] = msgspec.field(default_factory=lambda: [1])
    h: str = "x"


class ByModel(pydantic.BaseModel):
    a: int
    b: int | None
    c: int | None = None
    d: list[int] = []
    e: datetime = pydantic.Field(default_factory=now)
    f: list[int] = [1]
    g: list[int] = pydantic.Field(default_factory=lambda: [1])
    h: str = "x"


@attrs.define
class ByAttrs:
    a: int
    b: int | None
    c: int | None = None
    d: list[int] = attrs.Factory(list)
    e: datetime = attrs.Factory(now)
    f: list[int] = attrs.Factory([1].copy)
    g: list[int] = attrs.Factory(lambda: [1])
    h: str = "x"


@pytest.mark.parametrize("cls", [ByDataclass, ByStruct, ByModel, ByAttrs], ids=lambda cls: cls.__name__)
def test_field_defaults_are_read_from_classes_of_every_library(cls: type) -> None:
    known, notes = types()
    found = {each.name: each for each in known.fields(cls, fields_of(cls).values())}
    assert [each.can_be_left_out for each in found.values()] == [False, False, True, True, True, True, False, True]
    assert found["b"].must_be_given
    assert (found["d"].default, found["f"].default, found["h"].default) == ([], [1], "x")
    assert found["e"].default_function == "now"
    assert notes == [
        f"{cls.__name__}.g is required, because a model cannot import the function of its default by name."
    ]


def test_field_defaults_that_are_objects_are_written_with_their_fields() -> None:
    class Holder(pydantic.BaseModel):
        part: Part = Part("p", Size.LARGE)

    known, notes = types()
    (made,) = known.fields(Holder, fields_of(Holder).values())
    assert made.default == PythonCode('Part(name="p", size=Size.LARGE)', is_mutable=True)
    assert not notes
    found = default_of(Holder, "part")
    assert found is not None
    assert found.value == Part("p", Size.LARGE)


@pytest.mark.parametrize("value", [float("nan"), object(), {1: 2}, {"x": complex(1)}, [Mixed.A]])
def test_field_defaults_that_cannot_be_written_are_rejected(value: Any) -> None:
    known, _ = types()
    with pytest.raises(NotWritable):
        known.constant(value)
