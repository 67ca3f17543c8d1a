"""Shapes of values contain labels, and never anything else of a value."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.catalogue.value_shapes import LABELS_MAX, ValueHashes, ValueShapes
from singletable.errors import ArgumentRefused

SHAPES = {
    "ORDER#o-1042": "ORDER#?",
    "ORDER#": "ORDER#",
    "ORDER#2026-04-10T14:00:00Z": "ORDER#?",
    "TENANT#acme#USER#ada": "TENANT#?#USER#?",
    "acme#USER#ada": "?#USER#?",
    "METADATA": "METADATA",
    "ORDER_ITEM|7": "ORDER_ITEM|?",
    "USER:7": "USER:?",
    "o-1042": "?",
    "Ada": "?",
    "A": "?",
    "": "?",
    "PRODUCT#AVON": "PRODUCT#?",
    "2026-04-10T14:00:00Z": "?",
}


@pytest.mark.parametrize(("text", "shape"), SHAPES.items())
def test_a_value_shape_contains_the_labels_of_a_text(text: str, shape: str) -> None:
    assert ValueShapes().of({"S": text}) == shape


def test_the_value_shape_of_a_number_and_a_binary_value_is_only_its_type() -> None:
    assert ValueShapes().of({"N": "42"}) == "?N"
    assert ValueShapes().of({"B": "c2VjcmV0"}) == "?B"


def test_labels_that_you_define_replace_the_capital_letters_in_value_shapes() -> None:
    shapes = ValueShapes("[a-z]+")
    assert shapes.of({"S": "user#42"}) == "user#?"
    assert shapes.of({"S": "USER#42"}) == "?#?"


def test_value_shapes_treat_many_labels_in_one_place_as_values() -> None:
    shapes = ValueShapes()
    airports = [f"{one}{two}X" for one in "ABCDE" for two in "FGHIJ"]
    found = {shapes.of({"S": f"FLIGHT#{airport}#1"}) for airport in airports}
    assert len(found) == LABELS_MAX + 1
    assert "FLIGHT#?#?" in found


@given(st.text())
def test_a_value_shape_contains_only_capital_letters_and_delimiters_of_the_text(text: str) -> None:
    shape = ValueShapes().of({"S": text})
    assert re.fullmatch(r"[A-Z_?#|:/]*", shape)
    for label in re.findall(r"[A-Z_]+", shape):
        assert label in text


def test_value_shapes_have_equal_hashes_for_equal_values_of_one_recording_only() -> None:
    one, other = ValueHashes(b"one"), ValueHashes(b"other")
    assert one.of({"S": "a"}) == one.of({"S": "a"})
    assert len({one.of({"S": "7"}), one.of({"N": "7"}), other.of({"S": "7"}), one.of({"S": "7"}, {"S": "7"})}) == 4


def test_value_shapes_reject_labels_that_are_not_regular_expressions() -> None:
    with pytest.raises(ArgumentRefused, match=r"labels: '\[' is not a valid regular expression"):
        ValueShapes("[")
