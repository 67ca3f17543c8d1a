"""Equality and order of attribute values."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.values.attribute_value import compare, equal
from singletable.values.item_validation import accept_value
from singletable.values.scalars import key_bytes
from tests.values.generated import BINARIES, SPELT_NUMBERS, VALUES


def accepted(value: dict[str, Any]) -> dict[str, Any]:
    accept_value(value)
    return value


ACCEPTED = VALUES.map(accepted)
KEYS = st.one_of(
    st.text(max_size=3).map(lambda text: {"S": text}),
    SPELT_NUMBERS.map(lambda text: accepted({"N": text})),
    BINARIES.map(lambda text: {"B": text}),
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"S": "a"}, {"S": "a"}, True),
        ({"S": "1"}, {"N": "1"}, False),
        ({"BOOL": True}, {"BOOL": True}, True),
        ({"BOOL": True}, {"BOOL": False}, False),
        ({"BOOL": True}, {"NULL": True}, False),
        ({"SS": ["a", "b"]}, {"SS": ["b", "a"]}, True),
        ({"SS": ["a"]}, {"L": [{"S": "a"}]}, False),
        ({"NS": ["1", "2"]}, {"NS": ["1"]}, False),
        ({"L": [{"N": "1"}, {"N": "2"}]}, {"L": [{"N": "2"}, {"N": "1"}]}, False),
        ({"L": [{"N": "1"}]}, {"L": [{"N": "1"}, {"N": "2"}]}, False),
        ({"M": {"a": {"S": "1"}, "b": {"S": "2"}}}, {"M": {"b": {"S": "2"}, "a": {"S": "1"}}}, True),
        ({"M": {"a": {"S": "1"}}}, {"M": {"b": {"S": "1"}}}, False),
        ({"M": {"a": {"L": [{"BS": ["YQ==", "Yg=="]}]}}}, {"M": {"a": {"L": [{"BS": ["Yg==", "YQ=="]}]}}}, True),
    ],
)
def test_the_comparison_of_attribute_values_finds_equality_as_dynamodb_does(
    one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    assert equal(one, other) is same
    assert equal(other, one) is same


def turned_around(value: Any) -> Any:
    """The same value with its maps and sets in the opposite order."""
    ((kind, content),) = value.items()
    match kind:
        case "SS" | "NS" | "BS":
            return {kind: content[::-1]}
        case "L":
            return {kind: [turned_around(element) for element in content]}
        case "M":
            return {kind: {name: turned_around(member) for name, member in reversed(content.items())}}
        case _:
            return copy.deepcopy(value)


@given(ACCEPTED)
def test_the_comparison_of_attribute_values_ignores_the_order_of_sets_and_maps(value: dict[str, Any]) -> None:
    assert equal(value, turned_around(value))


@given(ACCEPTED, ACCEPTED)
def test_the_comparison_of_attribute_values_finds_values_with_equal_members_equal(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    def plain(value: Any) -> Any:
        ((kind, content),) = value.items()
        match kind:
            case "SS" | "NS" | "BS":
                return kind, frozenset(content)
            case "L":
                return kind, tuple(map(plain, content))
            case "M":
                return kind, frozenset((name, plain(member)) for name, member in content.items())
            case _:
                return kind, content

    assert equal(one, other) == (plain(one) == plain(other))


@given(KEYS, KEYS)
def test_the_comparison_of_attribute_values_agrees_with_their_key_bytes(
    one: dict[str, str], other: dict[str, str]
) -> None:
    ((kind, content),) = one.items()
    if kind not in other:
        assert compare(one, other) is None
    else:
        mine, others = key_bytes(kind, content), key_bytes(kind, other[kind])
        assert compare(one, other) == (mine > others) - (mine < others)


@pytest.mark.parametrize(
    "value",
    [{"BOOL": True}, {"NULL": True}, {"SS": ["a"]}, {"NS": ["1"]}, {"BS": [""]}, {"L": []}, {"M": {}}],
)
def test_the_comparison_of_attribute_values_finds_no_order_for_other_types(value: dict[str, Any]) -> None:
    assert compare(value, value) is None
