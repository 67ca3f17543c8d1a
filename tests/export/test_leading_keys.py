"""Patterns of partition keys hold every key that an entity can have."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import KeyRefused, Table, entity
from singletable.export.leading_keys import leading_keys, written_text
from tests import generate
from tests.planner.test_random_designs import Case, cases


def plain_pattern(pattern: str) -> str:
    """The pattern as fnmatch reads it."""
    for variable, character in (("${*}", "[*]"), ("${?}", "[?]"), ("${$}", "$")):
        pattern = pattern.replace(variable, character)
    return pattern


@given(case=cases(), data=st.data())
@settings(max_examples=60)
def test_the_pattern_holds_every_partition_of_the_entity(case: Case, data: st.DataObject) -> None:
    for each in case.design.entities:
        value = data.draw(generate.items(each))
        for placement in each.placements.values():
            pattern = leading_keys(placement).pattern
            assert pattern is not None
            try:
                keys = placement.encode({name: getattr(value, name) for name in each.fields})
            except KeyRefused:
                continue
            if keys is not None:
                assert fnmatch.fnmatchcase(str(keys[placement.index.partition[0].name]), plain_pattern(pattern))


@pytest.mark.parametrize(
    ("text", "written"), [("A#", "A#"), ("*", "${*}"), ("a?b", "a${?}b"), ("$", "${$}"), ("é", "é"), ("☃#", "?#")]
)
def test_fixed_text_is_taken_literally(text: str, written: str) -> None:
    assert written_text(text) == written


def test_fields_side_by_side_are_one_star() -> None:
    @entity(key=("A#{a:02d}{b:02d}#C", "X"), identity=())
    @dataclass
    class Thing:
        a: int
        b: int

    class Things(Table, entities=[Thing]):
        """One entity."""

    assert leading_keys(Things.design.entities[0].base).pattern == "A#*#C"
