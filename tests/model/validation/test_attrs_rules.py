"""Rules of attrs validators and converters."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from attrs import validators
from hypothesis import given
from hypothesis import strategies as st

from singletable.model.validation.class_rules import rules_of, whole_object_rule
from singletable.model.validation.value_rules import Bounds, ValueRules
from tests.model.validation.value_checks import accepts, check_alone, fields, rejected_by


@attrs.define
class Built:
    chosen: int = attrs.field(validator=validators.in_([1, 2]))
    code: str = attrs.field(validator=validators.matches_re("a+"))
    either: int = attrs.field(validator=validators.or_(validators.lt(0), validators.gt(9)))
    neither: int = attrs.field(validator=validators.not_(validators.in_([0])))
    none_rejected: int | None = attrs.field(validator=validators.ge(0))
    keys: dict[str, int] = attrs.field(
        validator=validators.deep_mapping(validators.min_len(2), validators.ge(0), validators.max_len(2))
    )
    converted: int = attrs.field(converter=abs, validator=validators.lt(9))
    by_field: int = attrs.field(
        default=1,
        converter=attrs.Converter(lambda value, field: value + len(field.name), takes_field=True),  # type: ignore[misc]
    )
    twice: list[int] = attrs.field(
        factory=list,
        validator=[validators.deep_iterable(validators.ge(0)), validators.deep_iterable(validators.lt(9))],
    )
    both: int = attrs.field(
        default=1, validator=[validators.ge(0), validators.ge(1), validators.le(9), validators.le(8)]
    )
    uninitialised: int = attrs.field(init=False, default=1, validator=validators.ge(0))


@pytest.mark.parametrize(
    ("name", "valid", "invalid"),
    [
        ("chosen", 1, 3),
        ("code", "aa", "b"),
        ("either", 10, 5),
        ("neither", 1, 0),
        ("none_rejected", 1, None),
        ("keys", {"ab": 1}, {"a": 1}),
        ("keys", {"ab": 1}, {"ab": -1}),
        ("keys", {"ab": 1}, {"ab": 1, "bc": 1, "cd": 1}),
        ("converted", -8, -9),
        ("twice", [0, 8], [9]),
        ("twice", [0, 8], [-1]),
    ],
)
def test_attrs_rules_run_validators_on_single_values(name: str, valid: Any, invalid: Any) -> None:
    assert whole_object_rule(Built) is None
    rules = rules_of(Built, (name,))
    assert [accepts(rules, value) for value in (valid, invalid)] == [True, False]


def test_attrs_rules_of_bounds_and_lengths_are_exhaustive() -> None:
    names = ("chosen", "code", "either", "neither", "keys", "converted", "by_field")
    assert not any(rules_of(Built, (name,)).is_exhaustive for name in names)
    assert rules_of(Built, ("both",)).bounds == Bounds(ge=1, le=8)
    assert rules_of(Built, ("both",)).is_exhaustive
    element = rules_of(Built, ("twice",)).element
    assert element is not None
    assert (element.bounds, element.is_exhaustive) == (Bounds(ge=0, lt=9), True)
    assert [accepts(element, value) for value in (-1, 0, 8, 9)] == [False, True, True, False]


def test_attrs_rules_run_a_converter_before_the_validator() -> None:
    for name, value, converted in [("converted", -3, 3), ("by_field", 1, 9)]:
        validate = rules_of(Built, (name,)).validate
        assert validate is not None
        assert validate(value) == converted


def test_attrs_rules_do_not_validate_a_field_outside_the_constructor() -> None:
    assert rules_of(Built, ("uninitialised",)) == ValueRules(int)


def attrs_validators(constraints: dict[str, Any]) -> Any:
    """The constraints as validators of attrs, without those that attrs does not have."""
    names = {"min_length": "min_len", "max_length": "max_len"}
    found: list[Any] = [
        getattr(validators, names.get(name, name))(limit)
        for name, limit in constraints.items()
        if name in {"ge", "gt", "le", "lt", *names}
    ]
    if (pattern := constraints.get("pattern")) is not None:
        found.append(validators.matches_re(f".*{pattern.strip('^$')}.*"))
    return validators.and_(*found)


@given(fields(), st.booleans())
def test_attrs_rules_accept_single_values_as_in_a_class(field: Any, optional: bool) -> None:
    declared, constraints, of_elements, value = field
    validator, inner = attrs_validators(constraints), attrs_validators(of_elements)
    if declared.__name__ == "dict":
        validator = validators.deep_mapping(value_validator=inner, mapping_validator=validator)
    elif declared.__name__ in ("list", "set"):
        validator = validators.deep_iterable(inner, validator)
    validator = validators.optional(validator) if optional else validator
    annotation = declared | None if optional else declared
    made: Any = attrs.make_class("Made", {"value": attrs.field(type=annotation, validator=validator)})
    made.__annotations__ = {"value": annotation}
    check_alone(made, value, not rejected_by(lambda: made(value)))
