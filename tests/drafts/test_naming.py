"""Names from elsewhere hide none of the names that a model is written with."""

from __future__ import annotations

import ast
from inspect import signature

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.client.table_metaclass import RESERVED
from singletable.drafts.naming import name_of_class, name_of_field, name_of_index, name_of_pattern
from singletable.drafts.vocabulary import OWN, STANDARD
from singletable.model.entity import entity

WORDS = st.sampled_from(sorted({*OWN, *STANDARD, *RESERVED, "key", "ttl", "accept", "str", "list", "limit", "class"}))


@given(text=st.text(max_size=20) | WORDS, taken=st.sets(WORDS))
def test_a_name_is_free_and_no_word_of_ours(text: str, taken: set[str]) -> None:
    used = {*OWN, *STANDARD, "str", "int", "list", "dict", "limit", "cursor", "self"}
    made = [name_of_class(text, taken), name_of_field(text, taken), name_of_pattern(text, taken)]
    assert not used & set(made)
    assert not taken & {made[0], made[2]}
    assert made[2] not in RESERVED
    for name in (*made, name_of_index(text, taken)):
        assert name.isidentifier()
        ast.parse(f"{name} = 1")


@pytest.mark.parametrize("word", [name for name, each in signature(entity).parameters.items() if each.kind.value == 3])
def test_an_index_is_no_keyword_of_an_entity(word: str) -> None:
    assert name_of_index(word, []) != word


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_pattern_is_no_method_of_a_table(word: str) -> None:
    assert name_of_pattern(word) not in RESERVED


@pytest.mark.parametrize(("text", "name"), [("GSI1", "gsi1"), ("DealsByBrand", "deals_by_brand"), ("ttl", "ttl_2")])
def test_an_index_is_called_as_python_calls_things(text: str, name: str) -> None:
    assert name_of_index(text, []) == name


def test_a_word_of_the_language_has_an_underscore_behind_it() -> None:
    assert (name_of_field("date"), name_of_field("date", ["date_"])) == ("date_", "date_value")
    assert name_of_pattern("count") == "count_pattern"
