"""Nested values are read as they were written, for every class, and also with missing fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import attrs
import msgspec
import pytest
from msgspec import Meta
from pydantic import BaseModel, Field

from singletable import ItemRefused, Page, Table, entity, get, pattern, query
from singletable.client.items.decoder import Decoder, decoded_class
from singletable.values.fast_path import NotOnFastPath
from tests.client.places import call


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
def test_value_reader_creates_a_nested_class_with_its_argument_names(one: Any) -> None:
    assert read_back(content(1, one=one)) == [content(1, one=one)]


def test_value_reader_creates_classes_in_a_list_or_a_map_with_their_argument_names() -> None:
    put = content(1, several=[Computed(1), Computed(2)], by_name={"x": Hidden(3)})
    assert read_back(put) == [put]


def test_value_reader_gives_the_stored_value_to_a_field_that_the_constructor_computes() -> None:
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


def test_value_reader_chooses_the_class_of_a_union_that_has_every_member() -> None:
    outlines: list[Point | Circle | str] = [Point(1, 2), Circle(1, 2), Circle(None, 2), Point(None, 3), "none"]
    with Shapes.open("memory:") as shapes:
        put = [Shape("b", str(number), each, [Circle(3, 4), Point(5, 6)]) for number, each in enumerate(outlines)]
        for shape in put:
            shapes.put(shape)
        assert list(shapes.shapes("b")) == put


def test_value_reader_reads_missing_fields_of_a_nested_class_as_none_or_empty() -> None:
    empty = Sparse(None, None, set(), frozenset(), set())
    (found,) = read_back(content(1, one=empty))
    assert found.one == empty
    assert [type(value) for value in vars(found.one).values()] == [type(value) for value in vars(empty).values()]


def test_value_reader_preserves_the_type_of_an_empty_set() -> None:
    put = [content(1), Content("b", "2", None, set(), frozenset()), content(3)]
    found = read_back(*put)
    assert found == put
    found[1].names.add("x")
    assert (found[1].names, type(found[1].numbers)) == ({"x"}, frozenset)


class Line(msgspec.Struct):
    name: str
    quantity: Annotated[int, Meta(ge=0)]
    tags: Annotated[set[str], Meta(min_length=1)]


class Free(msgspec.Struct):
    name: str


@entity(key=("BOX#{box}", "{id}"))
class Basket(msgspec.Struct):
    box: str
    id: str
    quantity: Annotated[int, Meta(ge=0)]
    size: Annotated[int, Meta(ge=1)] = 0
    note: Annotated[str, Meta(max_length=3)] | None = None
    codes: list[Annotated[str, Meta(max_length=3)]] = []
    line: Line | None = None
    lines: list[Line] = []
    either: Line | Free | None = None


class BasketView(msgspec.Struct):
    id: str
    quantity: Annotated[int, Meta(ge=1)]


class Baskets(Table, entities=[Basket]):
    @pattern()
    def basket(self, box: str, id: str) -> Basket | None:
        return get(Basket)

    @pattern()
    def baskets(self, box: str) -> Page[Basket]:
        return query(Basket)

    @pattern()
    def views(self, box: str) -> Page[BasketView]:
        return query(Basket, view=BasketView)


LINE = {"name": {"S": "x"}, "quantity": {"N": "1"}, "tags": {"SS": ["t"]}}


def stored(table: Baskets, **attributes: dict[str, Any]) -> None:
    """Store a basket with these attributes, without validation."""
    keys = {"PK": {"S": "BOX#b"}, "SK": {"S": "1"}, "_type": {"S": "Basket"}}
    own = {"box": {"S": "b"}, "id": {"S": "1"}, "quantity": {"N": "1"}}
    call(table, "PutItem", Item={**keys, **own, **attributes})


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"quantity": {"N": "-4"}}, "ValidationError: Expected `int` >= 0 - at `$.quantity`"),
        ({"size": {"N": "0"}}, "ValidationError: Expected `int` >= 1 - at `$.size`"),
        ({"note": {"S": "long"}}, "ValidationError: Expected `str` of length <= 3 - at `$.note`"),
        ({"codes": {"L": [{"S": "long"}]}}, "ValidationError: Expected `str` of length <= 3 - at `$.codes[...]`"),
        ({"line": {"M": {**LINE, "quantity": {"N": "-1"}}}}, "must be Line, got"),
        ({"line": {"M": {"name": {"S": "x"}, "quantity": {"N": "1"}}}}, "must be Line, got"),
        ({"lines": {"L": [{"M": LINE}, {"M": {**LINE, "quantity": {"N": "-1"}}}]}}, "must be list[Line], got"),
    ],
)
def test_value_reader_rejects_an_item_outside_the_constraints_of_a_struct(attributes: Any, message: str) -> None:
    with Baskets.open("memory:") as baskets:
        stored(baskets, **attributes)
        reads = (
            lambda: baskets.basket("b", "1"),
            lambda: list(baskets.baskets("b")),
            lambda: list(baskets.scan(Basket, reason="test")),
        )
        for read in reads:
            with pytest.raises(ItemRefused) as raised:
                read()
            assert "the item {'PK': {'S': 'BOX#b'}, 'SK': {'S': '1'}} cannot be read as Basket" in str(raised.value)
            assert message in str(raised.value)


def test_value_reader_reads_an_item_within_the_constraints_of_a_struct() -> None:
    line = Line("x", 1, {"t"})
    with Baskets.open("memory:") as baskets:
        stored(baskets, note={"NULL": True}, line={"M": LINE}, lines={"L": [{"M": LINE}]}, either={"M": LINE})
        expected = Basket("b", "1", 1, line=line, lines=[line], either=line)
        assert baskets.basket("b", "1") == expected
        assert list(baskets.baskets("b")) == [expected]


def test_value_reader_uses_a_default_outside_its_constraints_for_a_missing_value() -> None:
    with Baskets.open("memory:") as baskets:
        stored(baskets)
        assert list(baskets.baskets("b")) == [Basket("b", "1", 1)]


def test_value_reader_reads_a_struct_outside_its_constraints_as_another_union_member() -> None:
    with Baskets.open("memory:") as baskets:
        stored(baskets, either={"M": {**LINE, "quantity": {"N": "-1"}}})
        assert list(baskets.baskets("b")) == [Basket("b", "1", 1, either=Free("x"))]


def test_value_reader_checks_the_constraints_of_a_view() -> None:
    with Baskets.open("memory:") as baskets:
        stored(baskets)
        assert list(baskets.views("b")) == [BasketView("1", 1)]
        stored(baskets, quantity={"N": "0"})
        assert list(baskets.baskets("b")) == [Basket("b", "1", 0)]
        with pytest.raises(ItemRefused, match="Expected `int` >= 1"):
            list(baskets.views("b"))


@entity(key=("FREE#{id}",))
class FreeBasket(msgspec.Struct):
    id: str
    quantity: int = 0


class FreeBaskets(Table, entities=[FreeBasket]):
    """A table without patterns."""


def test_item_decoder_checks_a_struct_in_every_way_to_create_it() -> None:
    decoder = Decoder(decoded_class(Baskets.design.entities[0]))
    item = {"box": {"S": "b"}, "id": {"S": "1"}, "quantity": {"N": "-1"}}
    row = decoder.row_type(())
    assert row is not None
    ways: list[Callable[[], object]] = [lambda: decoder.objects([msgspec.convert(item, row)])]
    if (compiled := decoder.fast_objects(())) is not None:
        ways.append(lambda: compiled.of(msgspec.json.encode(item)))
    for way in ways:
        with pytest.raises(NotOnFastPath) as left:
            way()
        assert isinstance(left.value.__cause__, msgspec.ValidationError)
        assert "Expected `int` >= 0" in str(left.value.__cause__)


def test_item_decoder_creates_a_struct_without_constraints_without_checks() -> None:
    decoders = [Decoder(decoded_class(table.design.entities[0])) for table in (Baskets, FreeBaskets)]
    names = [{*decoder.objects.__code__.co_names} for decoder in decoders]
    assert [any(name.startswith("check") for name in each) for each in names] == [True, False]
