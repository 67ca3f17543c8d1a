"""A table with every supported kind of field and constraint."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import attrs
import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from singletable import GSI, KEYS_ONLY, Table, depth, entity, native, parent, shard, sparse


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


@dataclass
class Size:
    width: int
    height: Annotated[float, "in cm"] = 1.0
    note: str | None = None


class Part(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(min_length=2, max_length=5)]
    parts: list[Part] = []


class Label(BaseModel):
    text: Annotated[str, StringConstraints(min_length=1, max_length=3)]
    colour: Colour = Colour.RED


@entity(
    key=("EVERY#{id}", "{number:05d}#{price:08.2f}#{at:minutes}"),
    gsi1=("{level:02d}#{shard}", "{day:%Y-%m}#{ratio:number}#{amount:number:desc}"),
    gsi2=sparse("{maybe}", "{flag}#{choice}#{colour}#{key}"),
    lsi1="{at:%Y-%m-%dT%H}",
    derived={"shard": shard("id", "number", of=4)},
    attributes={"colour": "Colour"},
)
@dataclass
class Every:
    id: str
    number: int
    price: Decimal
    at: datetime
    level: Level
    day: date
    ratio: float
    amount: int
    flag: bool
    choice: Literal["a", "b#c"]
    colour: Colour
    key: UUID
    raw: bytes
    free: Decimal
    loose: float
    texts: list[str]
    pair: tuple[str, int]
    many: tuple[Decimal, ...]
    tags: set[str]
    numbers: frozenset[int]
    counts: dict[str, int]
    by_colour: dict[Colour, list[date]]
    size: Size
    part: Part
    label: Label
    either: int | str
    anything: Any
    maybe: str | None = None
    sized: Size | None = None
    later: str | None = "x"
    made: str = field(default="made", init=False)


@entity(
    key=("PATH#{path}", "A"), gsi1=("{up}", "{level}#{path}"), derived={"up": parent("path"), "level": depth("path")}
)
@attrs.define
class Node:
    path: tuple[str, ...]
    _hidden: int = 0
    count: int = attrs.field(default=1, validator=attrs.validators.in_(range(-5, 5)))


@entity(key=(native("device"), native("at")), by_name=(native("name"), native("code")), ttl="ends", version="revision")
class Reading(BaseModel):
    model_config = ConfigDict(populate_by_name=False)

    device: str
    at: int
    name: str = Field(alias="the_name", max_length=4)
    code: bytes
    ends: datetime | None
    revision: int = 0


@entity(key=("LIMITED#{id}", "A"), schema_version=1, ttl="ends", attributes={"ends": "ends"})
class Limited(BaseModel):
    id: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}-[0-9]{1,3}$")]
    positive: Annotated[int, Field(gt=0, le=10)]
    even: int = Field(multiple_of=2, ge=-7, lt=7)
    percent: float = Field(ge=0, le=1)
    money: Decimal = Field(max_digits=6, decimal_places=2, gt=0)
    steps: Decimal = Field(multiple_of=0.25, ge=1, le=2)
    few: list[int] = Field(min_length=1, max_length=2)
    some: set[str] = Field(max_length=2)
    ends: int
    upper: str

    @field_validator("upper")
    @classmethod
    def shout(cls, text: str) -> str:
        if not text:
            raise ValueError("say something")
        return text.upper()


class Models(
    Table,
    entities=[Every, Node, Limited],
    indexes=[GSI("gsi2", projection=KEYS_ONLY)],
):
    pass


class Readings(Table, entities=[Reading]):
    pass
