"""What stands inside a field comes back as it was put, whatever class it is of, and also where nothing was stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import attrs
import pytest
from pydantic import BaseModel, Field

from singletable import Page, Table, entity, get, pattern, query


@attrs.define
class Hidden:
    _code: int


class Renamed(BaseModel):
    code: int = Field(alias="Code")


@dataclass
class Computed:
    code: int
    double: int = field(init=False)

    def __post_init__(self) -> None:
        self.double = self.code * 2


@dataclass
class Sparse:
    word: str | None
    anything: Any
    names: set[str]
    numbers: frozenset[int]
    more: set[str] = field(default_factory=set)


@entity(key=("BOX#{box}", "{id}"))
@dataclass
class Content:
    box: str
    id: str
    anything: Any
    names: set[str]
    numbers: frozenset[int]
    one: Hidden | Renamed | Computed | Sparse | None = None
    several: list[Computed] = field(default_factory=list)
    by_name: dict[str, Hidden] = field(default_factory=dict)


class Boxes(Table, entities=[Content]):
    @pattern()
    def contents(self, box: str) -> Page[Content]:
        return query(Content)

    @pattern()
    def content(self, box: str, id: str) -> Content | None:
        return get(Content)


def read_back(*contents: Content) -> list[Content]:
    with Boxes.open("memory:") as boxes:
        for each in contents:
            boxes.put(each)
        found = list(boxes.contents("b"))
        assert found == [boxes.content("b", each.id) for each in contents]
        return found


def content(number: int, **given: Any) -> Content:
    return Content("b", str(number), 1, {"n"}, frozenset({1}), **given)


@pytest.mark.parametrize("one", [Hidden(3), Renamed(Code=3), Computed(3)])
def test_a_class_inside_a_field_is_made_by_the_names_that_it_takes(one: Any) -> None:
    assert read_back(content(1, one=one)) == [content(1, one=one)]


def test_so_are_those_in_a_list_or_a_map() -> None:
    put = content(1, several=[Computed(1), Computed(2)], by_name={"x": Hidden(3)})
    assert read_back(put) == [put]


def test_a_field_that_the_constructor_computes_has_what_is_stored() -> None:
    changed = Computed(3)
    changed.double = 7
    (found,) = read_back(content(1, one=changed))
    assert found.one == changed


@dataclass
class Point:
    x: int | None
    y: int = 0


@dataclass
class Circle:
    x: int | None
    radius: int


@entity(key=("BOX#{box}", "{id}"))
@dataclass
class Shape:
    box: str
    id: str
    outline: Point | Circle | str
    others: list[Point | Circle]


class Shapes(Table, entities=[Shape]):
    @pattern()
    def shapes(self, box: str) -> Page[Shape]:
        return query(Shape)


def test_of_several_classes_that_could_be_it_the_one_that_has_every_member_is_made() -> None:
    outlines: list[Point | Circle | str] = [Point(1, 2), Circle(1, 2), Circle(None, 2), Point(None, 3), "none"]
    with Shapes.open("memory:") as shapes:
        put = [Shape("b", str(number), each, [Circle(3, 4), Point(5, 6)]) for number, each in enumerate(outlines)]
        for shape in put:
            shapes.put(shape)
        assert list(shapes.shapes("b")) == put


def test_what_a_class_inside_a_field_does_not_store_is_none_or_empty() -> None:
    empty = Sparse(None, None, set(), frozenset(), set())
    (found,) = read_back(content(1, one=empty))
    assert found.one == empty
    assert [type(value) for value in vars(found.one).values()] == [type(value) for value in vars(empty).values()]


def test_a_set_without_members_is_of_its_own_type() -> None:
    put = [content(1), Content("b", "2", None, set(), frozenset()), content(3)]
    found = read_back(*put)
    assert found == put
    found[1].names.add("x")
    assert (found[1].names, type(found[1].numbers)) == ({"x"}, frozenset)
