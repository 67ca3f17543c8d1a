"""Rules in pydantic schemas."""

from __future__ import annotations

import enum
import types
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    PositiveInt,
    WrapValidator,
    field_validator,
)
from pydantic_core import core_schema

from singletable.model.validation.class_rules import rules_of, whole_object_rule
from singletable.model.validation.value_rules import Bounds, ValueRules
from tests.model.validation.value_checks import accepts, annotated, check_alone, fields, rejected_by


class Colour(enum.Enum):
    RED = "red"


@dataclass
class PlainAddress:
    city: str
    zip: int = 0


class ModelAddress(BaseModel):
    city: Annotated[str, Field(max_length=5)]
    zip: int = 0


class Node(BaseModel):
    value: Annotated[int, Field(ge=0)]
    children: Annotated[list[Node], Field(max_length=2)] = []
    parent: Node | None = None


def test_pydantic_rules_of_a_recursive_model_exist_at_every_depth() -> None:
    assert rules_of(Node, ("children", 0, "children", 1, "value")).bounds == Bounds(ge=0)
    assert rules_of(Node, ("parent", "parent", "value")).whole is None
    rules = rules_of(Node, ("children",))
    assert (rules.max_length, rules.is_exhaustive) == (2, True)
    assert [accepts(rules, [Node(value=1)] * count) for count in (2, 3)] == [True, False]


def even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


class Validated(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_to_upper=True)
    code: str
    codes: list[str]
    after: Annotated[int, AfterValidator(even)]
    before: Annotated[int, BeforeValidator(lambda value: value + 1), Field(ge=3)]
    wrap: Annotated[int, WrapValidator(lambda value, handler: handler(value))]
    step: Annotated[int, Field(ge=0, multiple_of=3)]
    price: Annotated[Decimal, Field(ge=0, decimal_places=2)]
    whole_list: Annotated[list[int], AfterValidator(lambda value: value)]
    by_code: dict[Annotated[str, Field(pattern="^a")], int]
    address: ModelAddress
    moment: AwareDatetime
    positive: PositiveInt
    state: Literal["OPEN"]
    colour: Colour
    other: Annotated[Decimal, GetPydanticSchema(lambda source, handler: core_schema.float_schema())]
    never_none: Annotated[int | None, GetPydanticSchema(lambda source, handler: core_schema.int_schema())]

    @field_validator("address")
    @classmethod
    def in_paris(cls, value: ModelAddress) -> ModelAddress:
        if value.city != "Paris":
            raise ValueError("not in Paris")
        return value


def test_pydantic_rules_run_a_field_validator_on_a_single_value() -> None:
    assert whole_object_rule(Validated) is None
    for name, valid, invalid in [
        ("after", 2, 3),
        ("before", 2, 1),
        ("step", 3, 4),
        ("price", Decimal("1.25"), Decimal("1.255")),
        ("by_code", {"a": 1}, {"b": 1}),
        ("address", ModelAddress(city="Paris"), ModelAddress(city="Rome")),
        ("moment", datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1)),
        ("never_none", 1, None),
    ]:
        rules = rules_of(Validated, (name,))
        assert (rules.whole, rules.is_exhaustive) == (None, False)
        assert [accepts(rules, value) for value in (valid, invalid)] == [True, False]


def test_pydantic_rules_apply_model_settings_to_single_values() -> None:
    validate = rules_of(Validated, ("code",)).validate
    assert validate is not None
    assert validate(" a ") == "A"
    inner = rules_of(Validated, ("codes", 0))
    assert (inner.whole, rules_of(Validated, ("codes",)).is_exhaustive) == (None, True)
    assert inner.validate is not None
    assert inner.validate(" a ") == "A"


def test_pydantic_rules_other_than_bounds_and_lengths_are_not_exhaustive() -> None:
    for name in ("after", "before", "wrap", "step", "price", "whole_list", "by_code", "state", "colour", "other"):
        assert not rules_of(Validated, (name,)).is_exhaustive
    assert rules_of(Validated, ("positive",)).is_exhaustive
    assert rules_of(Validated, ("positive",)).bounds == Bounds(gt=0)


@pytest.mark.parametrize(
    "steps", [("whole_list", 0), ("by_code", "a"), ("address", "city"), ("address", "zip")], ids=str
)
def test_pydantic_rules_need_the_whole_item_for_a_change_inside_a_validated_value(steps: tuple[str | int, ...]) -> None:
    assert rules_of(Validated, steps).whole == f"Validated.{steps[0]} has rules that need its whole value"


class Revalidated(BaseModel):
    model_config = ConfigDict(revalidate_instances="always")
    a: int = 3


class HoldsRevalidated(BaseModel):
    inner: Revalidated


def test_pydantic_rules_need_the_whole_item_for_a_change_inside_a_revalidated_object() -> None:
    assert rules_of(HoldsRevalidated, ("inner",)).whole is None
    assert rules_of(HoldsRevalidated, ("inner", "a")).whole is not None


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    at: Annotated[datetime, Field(gt=datetime(2020, 1, 1, tzinfo=UTC))]
    key: UUID
    data: Annotated[bytes, Field(max_length=3)]
    day: date
    names: Annotated[frozenset[str], Field(max_length=2)]


def test_pydantic_rules_of_a_strict_model_accept_the_types_that_the_reader_returns() -> None:
    for name, valid in [
        ("at", datetime(2026, 1, 1, tzinfo=UTC)),
        ("key", UUID(int=1)),
        ("data", b"abc"),
        ("day", date(2026, 1, 1)),
        ("names", frozenset("ab")),
    ]:
        assert accepts(rules_of(Strict, (name,)), valid)
    assert not accepts(rules_of(Strict, ("data",)), b"abcd")
    assert not accepts(rules_of(Strict, ("names",)), frozenset("abc"))


class Stranger(msgspec.Struct):
    a: Annotated[int, Meta(ge=0)]


class HoldsOthers(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    struct: Stranger
    plain: PlainAddress
    by_name: dict[str, Stranger] = {}


def test_pydantic_rules_do_not_replace_the_rules_of_classes_of_other_libraries() -> None:
    assert rules_of(HoldsOthers, ("struct", "a")).bounds == Bounds(ge=0)
    assert rules_of(HoldsOthers, ("by_name", "x", "a")).whole is None
    assert rules_of(HoldsOthers, ("plain", "city")) == ValueRules(str)


def test_pydantic_rules_validate_an_incomplete_model_whole() -> None:
    namespace: dict[str, Any] = {"__module__": __name__, "__annotations__": {"a": "NotDefinedYet"}}
    incomplete: Any = types.new_class("Incomplete", (BaseModel,), exec_body=lambda body: body.update(namespace))
    assert whole_object_rule(incomplete) == "pydantic has not completed Incomplete"


@given(fields(), st.booleans())
def test_pydantic_rules_accept_single_values_as_in_a_model(field: Any, optional: bool) -> None:
    declared, constraints, of_elements, value = field
    whole = annotated(declared, Field(**constraints), Field(**of_elements))
    cls: Any = pydantic.create_model("Made", value=(whole | None if optional else whole, ...))
    check_alone(cls, value, not rejected_by(lambda: cls(value=value)))
    assert accepts(rules_of(cls, ("value",)), None) >= optional
