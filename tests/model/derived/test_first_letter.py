"""First letters, without case and accents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.model.derived.derived_value import Reach
from singletable.model.derived.first_letter import LETTERS, FirstLetter, first_letter
from singletable.model.parameter_types import Equal, Prefix
from singletable.model.regular_language import literal, overlap

NAME = first_letter("name")


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("ada", "A"),
        ("Ada", "A"),
        ("émile", "E"),
        ("e\u0301mile", "E"),
        ("Ölaf", "O"),
        ("zoë", "Z"),
        ("7up", "7"),
        ("²", "2"),
        ("\uff21\uff22", "A"),
        ("ﬁn", "F"),
        ("", "_"),
        (" ada", "_"),
        ("_ada", "_"),
        ("ß", "_"),
        ("Жуков", "_"),
        ("李", "_"),
        ("\U0001f600", "_"),
        ("#1", "_"),
    ],
)
def test_a_text_is_stored_under_its_first_letter(text: str, letter: str) -> None:
    assert NAME.compute(text) == letter


@given(st.text())
def test_a_first_letter_is_one_character_of_its_language(text: str) -> None:
    letter = NAME.compute(text)
    assert letter in LETTERS
    assert len(letter) == NAME.width == 1
    assert overlap(NAME.language("#"), literal(letter))


@given(st.text(min_size=1), st.text())
def test_a_prefix_selects_its_first_letter(start: str, rest: str) -> None:
    assert NAME.expand({"name": Prefix(start)}) == (NAME.compute(start + rest),)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"name": Equal("ada")}, ("A",)),
        ({"name": Prefix("ad")}, ("A",)),
        ({"name": Prefix("")}, LETTERS),
        ({}, LETTERS),
        ({"other": Equal("ada")}, LETTERS),
    ],
)
def test_the_first_letters_to_read_follow_from_the_predicate(known: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert NAME.expand(known) == expected


def test_first_letters_are_37_letters_in_key_order() -> None:
    assert len(LETTERS) == 37
    assert list(LETTERS) == sorted(LETTERS)
    assert NAME.reach({"name": Equal}) == Reach(1, "first_letter(name)")
    assert NAME.reach({}) == Reach(37, "37 first letters of name")


@pytest.mark.parametrize(("python_type", "fits"), [(str, True), (int, False), (list[str], False), (bytes, False)])
def test_only_text_has_a_first_letter(python_type: Any, fits: bool) -> None:
    assert (NAME.problem_with({"name": python_type}) is None) == fits


def test_first_letters_of_the_same_field_are_equal() -> None:
    assert first_letter("name") == FirstLetter(("name",)) != first_letter("title")
