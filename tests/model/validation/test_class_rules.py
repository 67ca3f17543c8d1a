"""Rules of values, for classes of all libraries."""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import attrs
import msgspec
import pytest
from attrs import validators
from msgspec import Meta
from pydantic import BaseModel, Field

from singletable.model.validation.class_rules import rules_of, whole_object_rule
from singletable.model.validation.value_rules import Bounds, ValueRules
from tests.model.validation.value_checks import accepts


class Colour(enum.Enum):
    RED = "red"


class Cents(int):
    """A number with a custom constructor."""


@dataclass
class PlainAddress:
    city: str
    zip: int = 0


@dataclass
class Plain:
    id: str
    count: int
    address: PlainAddress
    places: list[PlainAddress]
    tags: list[str | None]
    scores: dict[str, Decimal]
    by_number: dict[int, str]
    pair: tuple[int, str]
    row: tuple[int, ...]
    names: set[str]
    state: Literal["OPEN", "DONE"]
    colour: Colour
    cents: Cents
    anything: Any
    mixed: int | str
    note: str | None = None
    computed: int = dataclasses.field(default=3, init=False)


class ModelAddress(BaseModel):
    city: Annotated[str, Field(max_length=5)]
    zip: int = 0


class Model(BaseModel):
    id: str
    count: Annotated[int, Field(ge=0, lt=10)]
    address: ModelAddress
    places: list[ModelAddress]
    tags: Annotated[list[Annotated[str, Field(min_length=1)] | None], Field(min_length=1, max_length=3)]
    scores: dict[str, Annotated[Decimal, Field(gt=0)]]
    note: str | None = None
    rating: Annotated[float, Field(le=5)] | None = Field(None, alias="Rating")


class StructAddress(msgspec.Struct):
    city: Annotated[str, Meta(max_length=5)]
    zip: int = 0


class Struct(msgspec.Struct):
    id: str
    count: Annotated[int, Meta(ge=0, lt=10)]
    address: StructAddress
    places: list[StructAddress]
    tags: Annotated[list[Annotated[str, Meta(min_length=1)] | None], Meta(min_length=1, max_length=3)]
    scores: dict[str, Annotated[Decimal, Meta(gt=0)]]
    note: str | None = None
    rating: Annotated[float, Meta(le=5)] | None = None


@attrs.define
class AttrsAddress:
    city: str = attrs.field(validator=validators.max_len(5))
    zip: int = 0


@attrs.define
class Attrs:
    id: str
    count: int = attrs.field(validator=[validators.instance_of(int), validators.ge(0), validators.lt(10)])
    address: AttrsAddress = attrs.field(validator=validators.instance_of(AttrsAddress))
    places: list[AttrsAddress]
    tags: list[str | None] = attrs.field(
        validator=validators.deep_iterable(
            validators.optional(validators.min_len(1)), validators.and_(validators.min_len(1), validators.max_len(3))
        )
    )
    scores: dict[str, Decimal] = attrs.field(
        validator=validators.deep_mapping(validators.instance_of(str), validators.gt(0))
    )
    note: str | None = None
    rating: float | None = attrs.field(default=None, validator=validators.optional(validators.le(5)))


CONSTRAINED: list[Any] = [Model, Struct, Attrs]
ADDRESSES: dict[Any, Any] = {Plain: PlainAddress, Model: ModelAddress, Struct: StructAddress, Attrs: AttrsAddress}


@pytest.mark.parametrize("cls", CONSTRAINED)
def test_class_rules_give_a_number_the_bounds_of_its_field(cls: Any) -> None:
    rules = rules_of(cls, ("count",))
    assert (rules.type, rules.optional, rules.is_exhaustive, rules.whole) == (int, False, True, None)
    assert rules.bounds == Bounds(ge=0, lt=10)
    assert [accepts(rules, value) for value in (-1, 0, 9, 10)] == [False, True, True, False]


@pytest.mark.parametrize("cls", CONSTRAINED)
def test_class_rules_let_an_optional_number_be_none(cls: Any) -> None:
    rules = rules_of(cls, ("rating",))
    assert (rules.type, rules.optional, rules.is_exhaustive, rules.bounds) == (float, True, True, Bounds(le=5))
    assert [accepts(rules, value) for value in (None, 5.0, 5.5)] == [True, True, False]


@pytest.mark.parametrize("cls", CONSTRAINED)
def test_class_rules_give_a_list_lengths_and_rules_of_its_elements(cls: Any) -> None:
    rules = rules_of(cls, ("tags",))
    assert (rules.min_length, rules.max_length, rules.is_exhaustive) == (1, 3, True)
    assert [accepts(rules, value) for value in ([], ["a"], ["a", None], [""], ["a"] * 4)] == [
        *(False, True, True, False, False)
    ]
    assert rules.element is not None
    assert (rules.element.type, rules.element.optional) == (str, True)
    assert [accepts(rules.element, value) for value in ("a", None, "")] == [True, True, False]
    assert rules_of(cls, ("tags", 0)) == dataclasses.replace(rules.element, whole=None)


@pytest.mark.parametrize("cls", CONSTRAINED)
def test_class_rules_give_a_dict_rules_of_its_values(cls: Any) -> None:
    rules = rules_of(cls, ("scores",))
    assert rules.is_exhaustive
    assert [accepts(rules, {"x": Decimal(number)}) for number in (0, 1)] == [False, True]
    inner = rules_of(cls, ("scores", "x"))
    assert (inner.type, inner.bounds, inner.whole) == (Decimal, Bounds(gt=0), None)
    assert [accepts(inner, Decimal(number)) for number in (0, 1)] == [False, True]


@pytest.mark.parametrize("cls", CONSTRAINED)
@pytest.mark.parametrize("steps", [("address", "city"), ("places", 3, "city")])
def test_class_rules_give_a_field_of_a_nested_class_the_rules_of_that_class(
    cls: Any, steps: tuple[str | int, ...]
) -> None:
    rules = rules_of(cls, steps)
    assert (rules.type, rules.whole) == (str, None)
    assert [accepts(rules, value) for value in ("Paris", "London")] == [True, False]


@pytest.mark.parametrize("cls", [Plain, *CONSTRAINED])
def test_class_rules_leave_the_check_of_types_to_the_reader(cls: Any) -> None:
    nested = ADDRESSES[cls]
    assert rules_of(cls, ("id",)) == ValueRules(str)
    assert rules_of(cls, ("note",)) == ValueRules(str, optional=True)
    assert rules_of(cls, ("address", "zip")) == ValueRules(int)
    assert rules_of(cls, ("places",)) == ValueRules(list[nested], element=ValueRules(nested))  # type: ignore[valid-type]
    assert rules_of(cls, ("places", 0)) == ValueRules(nested)
    assert whole_object_rule(cls) is None


def test_value_rules_follow_from_types() -> None:
    assert rules_of(Plain, ("row",)) == ValueRules(tuple[int, ...], element=ValueRules(int))
    assert rules_of(Plain, ("names",)) == ValueRules(set[str], element=ValueRules(str))
    assert rules_of(Plain, ("tags", 0)) == ValueRules(str, optional=True)
    assert rules_of(Plain, ("anything", "x", 3)) == ValueRules(Any)
    assert rules_of(Plain, ("computed",)) == ValueRules(int)
    for name in ("state", "colour", "cents", "mixed", "by_number"):
        assert not rules_of(Plain, (name,)).is_exhaustive
        assert rules_of(Plain, (name,)).whole is None


def test_class_rules_need_the_whole_item_for_a_change_inside_an_opaque_value() -> None:
    inner = rules_of(Plain, ("pair", 1))
    assert (inner.type, inner.whole) == (str, "Plain.pair has rules that need its whole value")
    assert rules_of(Plain, ("by_number", 7)).whole == "Plain.by_number has rules that need its whole value"
    assert rules_of(Plain, ("mixed", "x")).whole == "Plain.mixed has rules that need its whole value"


def test_class_rules_of_an_unknown_field_are_a_key_error() -> None:
    for cls in (Plain, *CONSTRAINED):
        with pytest.raises(KeyError):
            rules_of(cls, ("missing",))
