"""Derived values by a function of the user's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.text import escape
from singletable.model.derived.derived import Reach
from singletable.model.derived.function import derive
from singletable.model.language import literal, overlap
from singletable.model.ranges import Equal, Prefix


def region(country: str) -> str:
    return "eu" if country in ("de", "fr") else "us"


def joined(first: str, second: str) -> str:
    return f"{first} {second}"


OPEN = derive(joined, "first", "second")
LISTED = derive(region, "country", values=("eu", "us"))


def test_the_function_is_given_the_fields_in_order() -> None:
    assert OPEN.compute("a", "b") == "a b"
    assert LISTED.compute("de") == "eu"


@pytest.mark.parametrize("delimiter", ["#", "|", " "])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\U0010ffff")))
def test_what_is_written_belongs_to_its_language(delimiter: str, value: str) -> None:
    written = escape(OPEN.compute(value, value), delimiter)
    assert overlap(OPEN.language(delimiter), literal(written))


def test_a_declared_value_belongs_to_its_language_and_another_does_not() -> None:
    listed = derive(str, "x", values=("a b", "c#"))
    assert overlap(listed.language("#"), literal("a%20b"))
    assert overlap(listed.language("#"), literal("c%23"))
    assert not overlap(listed.language("#"), literal("c"))


def test_a_value_that_was_not_declared_is_refused() -> None:
    with pytest.raises(KeyRefused, match=r"derive\(str, x\) made 'c', which is not among its declared values"):
        derive(str, "x", values=("a", "b")).compute("c")


@pytest.mark.parametrize("made", [None, 5, b"x"])
def test_what_is_no_text_is_refused(made: Any) -> None:
    with pytest.raises(KeyRefused, match="which is not text"):
        derive(lambda x: made, "x").compute("x")


def test_a_function_with_declared_values_can_be_asked_for_all_of_them() -> None:
    assert LISTED.reach({}) == Reach(2, "2 values of derive(region, country)")
    assert LISTED.expand({}) == ("eu", "us")
    assert LISTED.reach({"country": Equal}) == Reach(1, "derive(region, country)")
    assert LISTED.expand({"country": Equal("de")}) == ("eu",)
    assert LISTED.expand({"country": Prefix("d")}) == ("eu", "us")


def test_a_function_without_declared_values_needs_its_fields() -> None:
    assert OPEN.reach({"first": Equal}) is None
    assert OPEN.reach({"first": Equal, "second": Equal}) == Reach(1, "derive(joined, first, second)")
    assert OPEN.expand({"first": Equal("a"), "second": Equal("b")}) == ("a b",)
    with pytest.raises(KeyRefused, match=r"derive\(joined, first, second\) needs first, second"):
        OPEN.expand({"first": Equal("a")})


def test_a_value_declared_twice_is_asked_for_once() -> None:
    assert derive(region, "country", values=("eu", "us", "eu")).expand({}) == ("eu", "us")


def test_a_derived_value_is_made_of_a_field() -> None:
    with pytest.raises(ValueError, match="at least one field"):
        derive(region)


def test_two_functions_of_one_field_are_two_derived_values() -> None:
    """Partitions of two entities are taken for one where their derived values are equal."""
    assert derive(region, "country") == derive(region, "country")
    assert derive(region, "country") != derive(str, "country")
    assert derive(region, "country", values=("eu", "us")) != derive(region, "country")


def test_values_may_be_any_iterable() -> None:
    assert derive(region, "country", values=(value for value in ["eu", "us"])).values == ("eu", "us")
