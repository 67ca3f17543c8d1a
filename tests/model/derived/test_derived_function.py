"""Derived values computed by a user function."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.text_codec import escape
from singletable.model.derived.derived_function import derive
from singletable.model.derived.derived_value import Reach
from singletable.model.parameter_types import Equal, Prefix
from singletable.model.regular_language import literal, overlap


def region(country: str) -> str:
    return "eu" if country in ("de", "fr") else "us"


def joined(first: str, second: str) -> str:
    return f"{first} {second}"


OPEN = derive(joined, "first", "second")
LISTED = derive(region, "country", values=("eu", "us"))


def test_a_derived_function_receives_the_fields_in_order() -> None:
    assert OPEN.compute("a", "b") == "a b"
    assert LISTED.compute("de") == "eu"


@pytest.mark.parametrize("delimiter", ["#", "|", " "])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\U0010ffff")))
def test_a_derived_function_computes_values_in_its_language(delimiter: str, value: str) -> None:
    written = escape(OPEN.compute(value, value), delimiter)
    assert overlap(OPEN.language(delimiter), literal(written))


def test_a_derived_function_has_only_declared_values_in_its_language() -> None:
    listed = derive(str, "x", values=("a b", "c#"))
    assert overlap(listed.language("#"), literal("a%20b"))
    assert overlap(listed.language("#"), literal("c%23"))
    assert not overlap(listed.language("#"), literal("c"))


def test_a_derived_function_rejects_an_undeclared_value() -> None:
    with pytest.raises(KeyRefused, match=r"derive\(str, x\) returned 'c', which is not one of its declared values"):
        derive(str, "x", values=("a", "b")).compute("c")


@pytest.mark.parametrize("made", [None, 5, b"x"])
def test_a_derived_function_rejects_a_value_that_is_not_text(made: Any) -> None:
    with pytest.raises(KeyRefused, match="which is not a str"):
        derive(lambda x: made, "x").compute("x")


def test_a_derived_function_with_declared_values_allows_reading_all_of_them() -> None:
    assert LISTED.reach({}) == Reach(2, "2 values of derive(region, country)")
    assert LISTED.expand({}) == ("eu", "us")
    assert LISTED.reach({"country": Equal}) == Reach(1, "derive(region, country)")
    assert LISTED.expand({"country": Equal("de")}) == ("eu",)
    assert LISTED.expand({"country": Prefix("d")}) == ("eu", "us")


def test_a_derived_function_without_declared_values_needs_known_fields() -> None:
    assert OPEN.reach({"first": Equal}) is None
    assert OPEN.reach({"first": Equal, "second": Equal}) == Reach(1, "derive(joined, first, second)")
    assert OPEN.expand({"first": Equal("a"), "second": Equal("b")}) == ("a b",)
    with pytest.raises(KeyRefused, match=r"derive\(joined, first, second\) needs a value for first, second"):
        OPEN.expand({"first": Equal("a")})


def test_a_derived_function_with_a_value_declared_twice_reads_it_once() -> None:
    assert derive(region, "country", values=("eu", "us", "eu")).expand({}) == ("eu", "us")


def test_a_derived_function_needs_a_field() -> None:
    with pytest.raises(ValueError, match="at least one field"):
        derive(region)


def test_a_derived_function_differs_from_another_function_of_the_same_field() -> None:
    """The planner compares the partitions of two entities by equality of their derived values."""
    assert derive(region, "country") == derive(region, "country")
    assert derive(region, "country") != derive(str, "country")
    assert derive(region, "country", values=("eu", "us")) != derive(region, "country")


def test_a_derived_function_takes_its_values_from_any_iterable() -> None:
    assert derive(region, "country", values=(value for value in ["eu", "us"])).values == ("eu", "us")
