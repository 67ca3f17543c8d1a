"""Pydantic models that need no validation equal the models that pydantic creates. All other models are validated."""

from __future__ import annotations

import copy
import enum
import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, GetPydanticSchema, computed_field, field_validator
from pydantic_core import core_schema

from singletable.client.items.object_construction import MADE, ConstructorArgument, construction, unvalidated_fields


class Order(BaseModel):
    id: str
    total: Decimal
    count: int
    weight: float
    paid: bool
    at: datetime
    day: date
    key: UUID
    data: bytes
    tags: list[str]
    amounts: list[Decimal | None]
    state: Literal["OPEN", "DONE"]
    shipped: datetime | None = None
    note: str | None = Field(None, description="What was said")
    size: str = "M"
    left: int = 3


ORDERS = st.fixed_dictionaries(
    {
        "id": st.text(),
        "total": st.decimals(allow_nan=False, allow_infinity=False),
        "count": st.integers(),
        "weight": st.floats(allow_nan=False),
        "paid": st.booleans(),
        "at": st.datetimes(timezones=st.just(UTC)) | st.datetimes(),
        "day": st.dates(),
        "key": st.uuids(),
        "data": st.binary(),
        "tags": st.lists(st.text(), max_size=3),
        "amounts": st.lists(st.none() | st.decimals(allow_nan=False, allow_infinity=False), max_size=3),
        "state": st.sampled_from(["OPEN", "DONE"]),
    },
    optional={
        "shipped": st.none() | st.datetimes(),
        "note": st.none() | st.text(),
        "size": st.text(),
        "left": st.integers(),
    },
)


def made(cls: type[BaseModel], values: dict[str, Any]) -> Any:
    """Create an object as the decoder does, without the fields that have no value."""
    arguments = [
        ConstructorArgument(name, f"row[{name!r}]", None if field.is_required() else f"{name!r} in row")
        for name, field in cls.model_fields.items()
    ]
    source = construction(cls, arguments)
    known = {**source.names, "row": values}
    exec("\n".join(source.lines), known)
    return known[MADE]


@given(ORDERS)
def test_object_construction_without_validation_equals_the_model_that_pydantic_creates(values: dict[str, Any]) -> None:
    found, expected = made(Order, values), Order(**values)
    assert unvalidated_fields(Order) is not None
    assert found == expected
    assert list(vars(found).items()) == list(vars(expected).items())
    assert [type(value) for value in vars(found).values()] == [type(value) for value in vars(expected).values()]
    assert found.model_fields_set == expected.model_fields_set
    assert (found.model_extra, found.__pydantic_private__) == (None, expected.__pydantic_private__)
    assert found.model_dump() == expected.model_dump()
    assert repr(found) == repr(expected)


def test_object_construction_without_validation_gives_models_that_can_be_copied_and_changed() -> None:
    values = {
        **dict.fromkeys(("id", "state"), "OPEN"),
        "total": Decimal("1.50"),
        "count": 1,
        "weight": 1.5,
        "paid": True,
        "data": b"\x00",
        "tags": ["a"],
        "at": datetime(2026, 1, 1, tzinfo=UTC),
        "day": date(2026, 1, 1),
        "key": UUID(int=1),
        "amounts": [],
    }
    found = made(Order, values)
    assert found.model_copy(update={"id": "2"}).id == "2"
    assert copy.deepcopy(found) == found
    assert pickle.loads(pickle.dumps(found)) == found
    found.note = "changed"
    assert found.model_fields_set == {*values, "note"}
    assert Order.model_validate_json(found.model_dump_json()) == found


def test_object_construction_without_validation_gives_models_that_share_nothing() -> None:
    class Small(BaseModel):
        id: str
        note: str | None = None

    first, second = made(Small, {"id": "1"}), made(Small, {"id": "2", "note": "x"})
    assert vars(first) is not vars(second)
    assert (first.model_fields_set, second.model_fields_set) == ({"id"}, {"id", "note"})


class Color(enum.Enum):
    RED = "red"


class Inner(BaseModel):
    x: int


class Constrained(BaseModel):
    a: Annotated[str, Field(max_length=3)]


class Validated(BaseModel):
    a: str

    @field_validator("a")
    @classmethod
    def shout(cls, value: str) -> str:
        return value.upper()


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)
    a: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: str


class Renamed(BaseModel):
    a: str = Field(alias="b")


class Private(BaseModel):
    a: str
    _seen: int = 3


class After(BaseModel):
    a: str

    def model_post_init(self, context: Any) -> None:
        self.a += "!"


class OwnInit(BaseModel):
    a: str

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)


class WholeValidated(BaseModel):
    a: str

    @pydantic.model_validator(mode="after")
    def seen(self) -> WholeValidated:
        return self


class Root(pydantic.RootModel[str]):
    """One value."""


class FactoryMade(BaseModel):
    a: list[str] = Field(default_factory=list)


class SharedDefault(BaseModel):
    a: list[str] = []


class OfEnum(BaseModel):
    a: Color


class OfModel(BaseModel):
    a: Inner


class OfAny(BaseModel):
    a: Any


class OfNumbers(BaseModel):
    a: Literal[1, 2]


class Slug(str):
    """A str subclass with the schema of str, for which pydantic returns a str."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.str_schema()


class OfOwnText(BaseModel):
    a: Slug


class OfOwnTexts(BaseModel):
    a: list[Slug] | None


class WithSchemaOfAnother(BaseModel):
    a: Annotated[Decimal, GetPydanticSchema(lambda source, handler: core_schema.float_schema())]


class WithSchemaOfAList(BaseModel):
    a: Annotated[tuple[int, ...], GetPydanticSchema(lambda source, handler: handler(list[int]))]


class WithSchemaOfElements(BaseModel):
    a: Annotated[list, GetPydanticSchema(lambda source, handler: handler(list[int]))]  # type: ignore[type-arg]  # on purpose


class NeverNone(BaseModel):
    a: Annotated[int | None, GetPydanticSchema(lambda source, handler: core_schema.int_schema())]


@pytest.mark.parametrize(
    "cls",
    [
        *(Constrained, Validated, Stripped, Open, Renamed, Private, After, OwnInit, WholeValidated, Root),
        *(FactoryMade, SharedDefault, OfEnum, OfModel, OfAny, OfNumbers),
        *(OfOwnText, OfOwnTexts, WithSchemaOfAnother, WithSchemaOfAList, WithSchemaOfElements, NeverNone),
    ],
)
def test_object_construction_calls_pydantic_for_a_model_with_validation(cls: type[BaseModel]) -> None:
    is_plain = unvalidated_fields(cls) is not None and not any(field.alias for field in cls.model_fields.values())
    assert not is_plain
    source = construction(cls, [ConstructorArgument(name, name) for name in cls.model_fields])
    assert "validate" in source.names or source.lines[-1] == "made = cls(**given)"


@pytest.mark.parametrize(
    ("cls", "value"), [(OfOwnText, Slug("x")), (WithSchemaOfAnother, Decimal(1)), (WithSchemaOfAList, (1,))]
)
def test_object_construction_gives_a_pydantic_value_the_type_of_its_schema(cls: type[BaseModel], value: Any) -> None:
    found, expected = made(cls, {"a": value}), cls(a=value)
    assert vars(found) == vars(expected)
    assert type(found.a) is type(vars(expected)["a"]) is not type(value)


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    a: str

    @computed_field  # type: ignore[prop-decorator]  # as pydantic's own documentation has it
    @property
    def twice(self) -> str:
        return self.a * 2


def test_object_construction_needs_no_validation_for_computed_fields_and_frozen_models() -> None:
    found = made(Frozen, {"a": "x"})
    assert unvalidated_fields(Frozen) == {"a": ...}
    assert found == Frozen(a="x")
    assert found.model_dump() == {"a": "x", "twice": "xx"}
    with pytest.raises(pydantic.ValidationError):
        found.a = "y"


def test_object_construction_finds_unvalidated_fields_only_in_pydantic_models() -> None:
    assert unvalidated_fields(Color) is None
    assert unvalidated_fields(dict) is None
