"""Patterns match like shell patterns, even for hostile values."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.access.policy_pattern import PolicyPattern, parse_pattern


def pattern(text: str) -> PolicyPattern:
    return parse_pattern(text, "here", has_wildcards=True, has_variables=True)


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=10))
def test_a_policy_pattern_matches_wildcards_as_fnmatch_does(text: str, value: str) -> None:
    assert pattern(text).matches(value, {}) is fnmatch.fnmatchcase(value, text)


@given(st.text(max_size=5), st.text(max_size=5))
def test_the_value_of_a_variable_in_a_policy_pattern_is_literal_text(tag: str, value: str) -> None:
    known = {"aws:principaltag/t": (tag,)}
    assert pattern("${aws:PrincipalTag/T}#*").matches(f"{value}#1", known) is f"{value}#1".startswith(f"{tag}#")


def test_a_policy_pattern_with_an_unset_variable_matches_nothing_unless_it_has_a_default() -> None:
    assert not pattern("*${aws:PrincipalTag/t}*").matches("", {})
    assert pattern("a-${aws:PrincipalTag/t, 'none'}").matches("a-none", {})
    assert pattern("a-${aws:PrincipalTag/t, 'none'}").matches("a-x", {"aws:principaltag/t": ("x",)})


@pytest.mark.parametrize("character", ["*", "?", "$"])
def test_escaped_characters_in_a_policy_pattern_stand_for_themselves(character: str) -> None:
    escaped = pattern(f"a${{{character}}}b")
    assert escaped.matches(f"a{character}b", {})
    assert not escaped.matches("axb", {})


def test_a_policy_pattern_ignores_case_only_on_request() -> None:
    assert not pattern("Ab*").matches("aBc", {})
    assert pattern("Ab*").matches("aBc", {}, ignore_case=True)


def test_a_policy_pattern_with_many_wildcards_ends() -> None:
    assert not pattern("*a" * 30 + "b").matches("a" * 2000, {})  # a regular expression would take years
