"""Rules of msgspec `Meta`, which constructors do not enforce."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, NewType
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from singletable.model.validation.class_rules import rules_of
from singletable.model.validation.value_rules import Bounds, ValueRules
from tests.model.validation.value_checks import accepts, annotated, check_alone, fields, rejected_by

Positive = NewType("Positive", Annotated[int, Meta(gt=0)])


class Slug(str):
    """A subclass of str."""


class Constrained(msgspec.Struct):
    positive: Positive
    step: Annotated[int, Meta(ge=0, multiple_of=3)]
    code: Annotated[str, Meta(pattern="^a", max_length=3)]
    moment: Annotated[datetime, Meta(tz=True)]
    price: Annotated[Decimal, Meta(ge=0.1)]
    by_code: dict[Annotated[str, Meta(min_length=2)], int]
    mixed: Annotated[int, Meta(ge=0)] | Annotated[str, Meta(max_length=3)]
    pair: tuple[int, Annotated[int, Meta(ge=0)]]
    nested: list[dict[str, set[Annotated[int, Meta(ge=0)]]]]
    titled: Annotated[int, Meta(title="A number")]
    slug: Annotated[Slug, Meta(max_length=3)]
    data: Annotated[bytes, Meta(max_length=3)]
    keys: list[UUID | Annotated[int, Meta(ge=0)]]


@pytest.mark.parametrize(
    ("name", "valid", "invalid"),
    [
        ("positive", [1], [0]),
        ("step", [0, 3], [-3, 4]),
        ("code", ["a", "abc"], ["b", "abcd"]),
        ("moment", [datetime(2026, 1, 1, tzinfo=UTC)], [datetime(2026, 1, 1)]),
        ("price", [Decimal("0.1")], [Decimal("0.09")]),
        ("by_code", [{"ab": 1}], [{"a": 1}]),
        ("mixed", [0, "abc"], [-1, "abcd"]),
        ("pair", [(-1, 0)], [(0, -1)]),
        ("nested", [[], [{"a": {1}}]], [[{"a": {-1}}]]),
        ("slug", [Slug("abc")], [Slug("abcd")]),
        ("data", [b"abc"], [b"abcd"]),
        ("keys", [[UUID(int=1), 0]], [[UUID(int=1), -1]]),
    ],
)
def test_msgspec_rules_of_meta_are_enforced_at_any_depth(name: str, valid: list[Any], invalid: list[Any]) -> None:
    rules = rules_of(Constrained, (name,))
    assert all(accepts(rules, value) for value in valid)
    assert not any(accepts(rules, value) for value in invalid)


def test_msgspec_rules_ignore_meta_without_constraints() -> None:
    assert rules_of(Constrained, ("titled",)) == ValueRules(int)


def test_msgspec_rules_of_meta_beyond_bounds_and_lengths_are_not_exhaustive() -> None:
    names = ("step", "code", "moment", "by_code", "mixed", "pair", "slug")
    assert not any(rules_of(Constrained, (name,)).is_exhaustive for name in names)
    assert rules_of(Constrained, ("positive",)).bounds == Bounds(gt=0)
    assert rules_of(Constrained, ("nested", 0, "a")).element == dataclasses.replace(
        ValueRules(int, bounds=Bounds(ge=0)),
        validate=rules_of(Constrained, ("nested", 0, "a")).element.validate,  # type: ignore[union-attr]
    )
    assert rules_of(Constrained, ("by_code", "ab")).whole == "Constrained.by_code has rules that need its whole value"


@given(fields(), st.booleans())
def test_msgspec_rules_accept_single_values_as_in_a_struct(field: Any, optional: bool) -> None:
    declared, constraints, of_elements, value = field
    whole = annotated(declared, Meta(**constraints), Meta(**of_elements))
    cls: Any = msgspec.defstruct("Made", [("value", whole | None if optional else whole)])
    check_alone(cls, value, not rejected_by(lambda: msgspec.convert({"value": value}, cls)))
    assert accepts(rules_of(cls, ("value",)), None)
