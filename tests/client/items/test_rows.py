"""Rows of a page give the same objects and errors as items read field by field."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from singletable import (
    ItemRefused,
    Page,
    Table,
    UnknownItemWarning,
    collection,
    entity,
    get,
    key,
    native,
    pattern,
    query,
)
from singletable.client.items.decoder import Decoder, decoded_class
from singletable.client.items.rows import Row
from singletable.client.reading.plan_decoder import PlanDecoder
from singletable.planner.stored_items import item_of
from tests.client.shop import Shop, order


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Inner(BaseModel):
    name: str
    count: int | None = None


@entity(key=("THING#{id}", "{at}"), gsi1=("{colour}", "{id}"))
@dataclass
class Thing:
    id: str
    at: datetime
    number: int
    price: Decimal
    ratio: float
    sure: bool
    day: date
    uuid: UUID
    blob: bytes
    colour: Colour
    size: Size
    word: Literal["one", "two"]
    texts: list[str]
    nested: list[list[int]]
    pair: tuple[Decimal, ...]
    names: set[str]
    numbers: frozenset[int]
    by_name: dict[str, Decimal]
    inner: Inner
    inners: list[Inner]
    maybe: str | None
    note: str | None = None
    moment: datetime | None = None
    anything: Any = None
    many: list[str | None] = field(default_factory=list)
    later: int = field(default=7, init=False)


class Things(Table, entities=[Thing], keys=("PK", "SK")):
    @pattern()
    def thing(self, id: str, at: datetime) -> Thing | None:
        return get(Thing)

    @pattern()
    def things(self, id: str) -> Page[Thing]:
        return query(Thing)


NUMBERS = st.integers(-(10**30), 10**30)
DECIMALS = st.decimals(-(10**9), 10**9, places=3)
MOMENTS = st.datetimes(
    datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.sampled_from([UTC, timezone(timedelta(hours=2))])
)
INNERS = st.builds(Inner, name=st.text(max_size=5), count=st.none() | NUMBERS)
THINGS = st.builds(
    Thing,
    id=st.text(min_size=1, max_size=5),
    at=st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)).map(
        lambda moment: moment.replace(microsecond=0)
    ),
    number=NUMBERS,
    price=DECIMALS,
    ratio=st.floats(-1e10, 1e10).map(lambda ratio: round(ratio, 3)),
    sure=st.booleans(),
    day=st.dates(),
    uuid=st.uuids(),
    blob=st.binary(max_size=9),
    colour=st.sampled_from(Colour),
    size=st.sampled_from(Size),
    word=st.sampled_from(["one", "two"]),
    texts=st.lists(st.text(max_size=5)),
    nested=st.lists(st.lists(NUMBERS, max_size=3), max_size=3),
    pair=st.lists(DECIMALS, max_size=3).map(tuple),
    names=st.sets(st.text(min_size=1, max_size=5), min_size=1),
    numbers=st.frozensets(NUMBERS, min_size=1),
    by_name=st.dictionaries(st.text(max_size=5), DECIMALS, max_size=3),
    inner=INNERS,
    inners=st.lists(INNERS, max_size=2),
    maybe=st.none() | st.text(max_size=5),
    note=st.none() | st.text(max_size=5),
    moment=st.none() | MOMENTS,
    anything=st.none() | st.booleans() | NUMBERS,
    many=st.lists(st.none() | st.text(max_size=5), max_size=3),
)
DESIGN = Things.design
(THING,) = DESIGN.entities
DECODER = Decoder(decoded_class(THING))
PLANNED = {
    name: PlanDecoder(DESIGN, getattr(Things, name).plan, reader.item_types, reader.literals)
    for reader in (Things.open("memory:")._opened().reader,)
    for name in ("thing", "things")
}


def stored(thing: Thing) -> dict[str, Any]:
    return item_of(DESIGN, THING, {name: getattr(thing, name) for name in THING.fields})


def page_of(*items: dict[str, Any]) -> bytes:
    return json.dumps({"Items": items, "Count": len(items)}).encode()


@settings(deadline=None)
@given(st.lists(THINGS, max_size=4))
def test_rows_of_a_page_equal_its_items_read_one_by_one(things: list[Thing]) -> None:
    items = [stored(thing) for thing in things]
    answer, is_certain = PLANNED["things"].page(page_of(*items))
    assert is_certain
    assert all(isinstance(row, Row) for row in answer.items)
    read = DECODER.read_all(answer.items)
    assert read == [DECODER._read_field_by_field(item) for item in items] == things
    for item, one in zip(items, read, strict=True):
        found, is_certain = PLANNED["thing"].get_item(json.dumps({"Item": item}).encode())
        assert is_certain
        assert found.item is not None
        assert DECODER.read(found.item) == DECODER.read(item) == one
        assert [type(getattr(one, name)) for name in THING.fields] == [
            type(getattr(DECODER._read_field_by_field(item), name)) for name in THING.fields
        ]


@settings(deadline=None)
@given(THINGS, st.sets(st.sampled_from(["maybe", "note", "moment", "anything"])), st.booleans())
def test_rows_read_null_and_missing_attributes_as_the_same(thing: Thing, names: set[str], is_null: bool) -> None:
    item = stored(thing)
    for name in names:
        item.pop(name, None)
        if is_null:
            item[name] = {"NULL": True}
    answer, _ = PLANNED["things"].page(page_of(item, stored(thing)))
    first, second = DECODER.read_all(answer.items)
    assert first == DECODER._read_field_by_field(item)
    assert second == thing


EXAMPLE = Thing(
    *("a", datetime(2026, 1, 1, tzinfo=UTC), 1, Decimal("1.50"), 0.5, True, date(2026, 1, 1), UUID(int=1), b"x"),
    *(Colour.RED, Size.SMALL, "one", ["t"], [[1]], (Decimal(1),), {"n"}, frozenset({1}), {"k": Decimal(1)}),
    *(Inner(name="i"), [], None),
)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("number", {"N": "1.5"}),
        ("number", {"S": "1"}),
        ("texts", {"L": [{"N": "1"}]}),
        ("colour", {"S": "green"}),
        ("word", {"S": "three"}),
        ("day", {"S": "tomorrow"}),
        ("note", {"N": "1"}),
        ("moment", {"BOOL": True}),
        ("inner", {"M": {"name": {"N": "1"}}}),
        ("sure", {"S": "true"}),
    ],
)
def test_rows_name_a_wrong_attribute_with_its_item(attribute: str, value: dict[str, Any]) -> None:
    wrong = {**stored(EXAMPLE), attribute: value}
    answer, _ = PLANNED["things"].page(page_of(stored(EXAMPLE), wrong, stored(EXAMPLE)))
    said = rf"item .*'THING#a'.* cannot be read as Thing: {attribute} must be .*"
    with pytest.raises(ItemRefused, match=said) as refused:
        DECODER.read_all(answer.items)
    with pytest.raises(ItemRefused) as alone:
        DECODER.read(wrong)
    assert str(refused.value) == str(alone.value)


def test_rows_read_fields_from_the_keys_if_only_the_keys_contain_them() -> None:
    short = {name: value for name, value in stored(EXAMPLE).items() if name != "id"}
    answer, is_certain = PLANNED["things"].page(page_of(stored(EXAMPLE), short))
    assert not is_certain
    assert [type(item) for item in answer.items[1:]] == [dict]
    assert DECODER.read_all(answer.items) == [EXAMPLE, EXAMPLE]


def test_rows_read_datetimes_that_only_python_parses() -> None:
    item = {**stored(EXAMPLE), "moment": {"S": "2026-01-01T10:00"}}
    answer, _ = PLANNED["things"].page(page_of(item))
    assert DECODER.read_all(answer.items)[0].moment == datetime(2026, 1, 1, 10)


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00.1234567Z", "2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00"])
def test_rows_read_a_datetime_as_every_other_path_does(text: str) -> None:
    item = {**stored(EXAMPLE), "moment": {"S": text}}
    answer, _ = PLANNED["things"].page(page_of(item))
    assert DECODER.read_all(answer.items) == [DECODER._read_field_by_field(item)]


def test_a_row_returns_its_keys_unchanged() -> None:
    item = stored(EXAMPLE)
    answer, _ = PLANNED["things"].page(page_of(item))
    (row,) = answer.items
    assert (row["PK"], row["SK"]) == (item["PK"], item["SK"])
    assert row.get("nothing") is None
    with pytest.raises(KeyError):
        row["nothing"]


@entity(key=(native("at"), native("cost")))
class Native(msgspec.Struct):
    at: datetime
    cost: Decimal
    name: str


class Natives(Table, entities=[Native], keys=("at", "cost")):
    @pattern()
    def natives(self, at: datetime) -> Page[Native]:
        return query(Native)


def test_a_row_returns_native_keys_unchanged() -> None:
    with Natives.open("memory:") as natives:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        for number in range(5):
            natives.put(Native(at, Decimal(number) / 100, f"n{number}"))
        first = natives.natives.using(limit=2)(at)
        assert first.cursor is not None
        following = natives.natives.using(cursor=first.cursor)(at)
        assert [each.name for each in (*first, *following)] == ["n0", "n1", "n2", "n3", "n4"]


@entity(key=("WORD#{id}", "WORD"), attributes={"text": 'the "text"', "note": "a\\b\tc"})
@dataclass
class Word:
    id: str
    text: str
    note: str | None = None


class Words(Table, entities=[Word]):
    @pattern()
    def word(self, id: str) -> Word | None:
        return get(Word)

    @pattern()
    def words(self, id: str) -> Page[Word]:
        return query(Word)


def test_rows_read_attributes_whose_names_json_escapes() -> None:
    put = [Word("1", "one"), Word("2", "two", "second")]
    with Words.open("memory:") as words:
        for each in put:
            words.put(each)
            assert words.word(each.id) == each
            assert list(words.words(each.id)) == [each]
        assert sorted(words.scan(Word, reason="test"), key=lambda each: each.id) == put


@entity(key=("BOX#{box}", "A#{id}"))
class First(msgspec.Struct):
    box: str
    id: str


@entity(key=("BOX#{box}", "B#{id}"))
@dataclass
class Second:
    box: str
    id: str
    note: str | None = None


@dataclass
class Box:
    firsts: list[First]
    seconds: list[Second]


class Boxes(Table, entities=[First, Second]):
    @pattern()
    def box(self, box: str) -> Box | None:
        return collection(Box)


def test_rows_of_a_mixed_page_decode_each_entity_and_report_unknown_items() -> None:
    with Boxes.open("memory:") as boxes:
        firsts = [First("b", f"{number}") for number in range(3)]
        seconds = [Second("b", f"{number}", "x" if number else None) for number in range(3)]
        for each in (*firsts, *seconds):
            boxes.put(each)
        assert boxes.box("b") == Box(firsts, seconds)
        item = {"PK": {"S": "BOX#b"}, "SK": {"S": "C#1"}, "entity_type": {"S": "Third"}}
        boxes._opened().session.transport.send("PutItem", msgspec.json.encode({"TableName": "Boxes", "Item": item}))
        with pytest.warns(UnknownItemWarning, match="C#1"):
            assert boxes.box("b") == Box(firsts, seconds)
        assert boxes.get(key(First, box="b", id="1")) == firsts[1]


def test_a_count_and_a_page_of_one_pattern_do_not_share_their_rows() -> None:
    with Shop.open("memory:") as shop:
        orders = [order(number) for number in range(3)]
        shop.put_many(orders)
        for _ in range(2):
            assert shop.orders_of_customer.count("c1") == 3
            assert list(shop.orders_of_customer("c1")) == orders[::-1]
