"""The compiled encoder writes the same items as the slow path, for random values of every class kind."""

from __future__ import annotations

import enum
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import attrs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from singletable import ArgumentRefused, KeyRefused, Table, entity
from singletable.client.write.item_encoder import Encoder
from singletable.planner.stored_items import item_of, key_of


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


KEYS: dict[str, Any] = {
    "key": ("THING#{id}", "AT#{at:seconds}#{number:06d}"),
    "gsi1": ("WORD#{word}", "{moment}"),
    "gsi2": ("NOTE#{note}", "{at:seconds}"),
}


@entity(**KEYS)
@dataclass
class AsDataclass:
    id: str
    at: datetime
    number: int
    word: Literal["a", "b"]
    moment: datetime
    total: Decimal
    ratio: float
    is_new: bool
    day: date
    code: UUID
    tags: list[str]
    colour: Colour
    counts: dict[str, int]
    marks: set[str] = field(default_factory=set)
    note: str | None = None
    label: str | None = "x"


@entity(**KEYS)
class AsStruct(msgspec.Struct):
    id: str
    at: datetime
    number: int
    word: Literal["a", "b"]
    moment: datetime
    total: Decimal
    ratio: float
    is_new: bool
    day: date
    code: UUID
    tags: list[str]
    colour: Colour
    counts: dict[str, int]
    marks: set[str] = msgspec.field(default_factory=set)
    note: str | None = None
    label: str | None = "x"


@entity(**KEYS)
class AsModel(BaseModel):
    id: str
    at: datetime
    number: int
    word: Literal["a", "b"]
    moment: datetime
    total: Decimal
    ratio: float
    is_new: bool
    day: date
    code: UUID
    tags: list[str]
    colour: Colour
    counts: dict[str, int]
    marks: set[str] = set()
    note: str | None = None
    label: str | None = "x"


@entity(**KEYS)
@attrs.define
class AsAttrs:
    id: str
    at: datetime
    number: int
    word: Literal["a", "b"]
    moment: datetime
    total: Decimal
    ratio: float
    is_new: bool
    day: date
    code: UUID
    tags: list[str]
    colour: Colour
    counts: dict[str, int]
    marks: set[str] = attrs.field(factory=set)
    note: str | None = None
    label: str | None = "x"


class Dataclasses(Table, entities=[AsDataclass]): ...


class Structs(Table, entities=[AsStruct]): ...


class Models(Table, entities=[AsModel]): ...


class Attrs(Table, entities=[AsAttrs]): ...


ZONES = st.sampled_from([UTC, timezone(timedelta(hours=2)), timezone(timedelta(0), "Zulu")])
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28), timezones=ZONES)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["", 'a"b\\c', "\x00", "a#b%"])
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9)

VALUES = st.fixed_dictionaries(
    {
        "id": TEXTS,
        "at": MOMENTS.map(lambda moment: moment.replace(microsecond=0)) | MOMENTS,
        "number": st.integers(-5, 10**7),
        "word": st.sampled_from(["a", "b"]),
        "moment": MOMENTS,
        "total": NUMBERS | st.sampled_from([Decimal("1E+30"), Decimal("-0"), Decimal("1.500")]),
        "ratio": st.floats(-1e9, 1e9, allow_subnormal=False).filter(lambda each: each == 0 or abs(each) > 1e-100),
        "is_new": st.booleans(),
        "day": st.dates(),
        "code": st.uuids(),
        "tags": st.lists(TEXTS, max_size=3),
        "colour": st.sampled_from(Colour),
        "counts": st.dictionaries(TEXTS, st.integers(-(10**20), 10**20), max_size=2),
        "marks": st.sets(TEXTS.filter(bool), max_size=2),
        "note": st.none() | TEXTS,
        "label": st.none() | TEXTS,
    }
)


@pytest.mark.parametrize("table", [Dataclasses, Structs, Models, Attrs])
@given(values=VALUES)
def test_item_encoder_writes_the_same_item_on_the_fast_and_slow_path(
    table: type[Table], values: dict[str, Any]
) -> None:
    design = table.design
    (thing,) = design.entities
    encoder = Encoder(design, thing)
    try:
        expected = item_of(design, thing, values)
    except (KeyRefused, ArgumentRefused) as problem:
        with pytest.raises(type(problem), match=re.escape(str(problem))):
            encoder.item(values)
        return
    assert encoder.item(values) == expected
    assert encoder.fast is not None
    encoded, key = encoder.fast(values)
    assert json.loads(encoded) == expected
    assert key == (expected["PK"]["S"], expected["SK"]["S"])
    assert encoder.key(values) == key_of(thing, values)
    for placement in thing.placements.values():
        for part in placement.parts:
            keys = placement.encode(values, (part,))
            assert encoder.part(placement, part)(values) == (None if keys is None else {"S": keys[part.attribute]})


WRONG = [5, b"x", None, object(), True, datetime(2026, 1, 1)]  # it has no time zone


@given(values=VALUES, wrong=st.sampled_from(WRONG), data=st.data())
def test_item_encoder_rejects_the_same_values_on_the_fast_and_slow_path(
    values: dict[str, Any], wrong: Any, data: st.DataObject
) -> None:
    (thing,) = Dataclasses.design.entities
    encoder = Encoder(Dataclasses.design, thing)
    values = {**values, data.draw(st.sampled_from(sorted(values))): wrong}
    try:
        expected = item_of(Dataclasses.design, thing, values)
    except (KeyRefused, ArgumentRefused) as problem:
        with pytest.raises(type(problem)):
            encoder.item(values)
    else:
        assert encoder.item(values) == expected


@entity(key=("PAGE#{number:03d}", "{day}"), gsi1=("{day:%Y-%m-%d}", "{number:020d}"))
@dataclass
class NumberedPage:
    number: int
    day: date


class NumberedPages(Table, entities=[NumberedPage]):
    pass


@given(
    number=st.integers(-2, 1_001) | st.sampled_from([True, 5.0, "5", None]),
    day=st.dates() | st.sampled_from([date(1, 1, 1), datetime(2026, 1, 1), "2026-01-01", None]),
)
def test_item_encoder_writes_padded_numbers_and_dates_into_keys_as_the_codecs_do(number: Any, day: Any) -> None:
    (page,) = NumberedPages.design.entities
    values, encoder = {"number": number, "day": day}, Encoder(NumberedPages.design, page)
    try:
        expected = item_of(NumberedPages.design, page, values)
    except (KeyRefused, ArgumentRefused) as problem:
        with pytest.raises(type(problem)):
            encoder.item(values)
    else:
        assert encoder.item(values) == expected
