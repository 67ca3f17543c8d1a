"""Identifiers, string literals and Python source for exported files."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from cfnlint.decode import cfn_yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from singletable.export.source_text import (
    LINE_CHARACTERS,
    PythonCall,
    PythonName,
    pascal_case,
    python_source,
    quoted,
    snake_case,
    statement,
    unique_names,
)


@pytest.mark.parametrize(
    ("name", "pascal", "snake"),
    [
        ("ShopByHash", "ShopByHash", "shop_by_hash"),
        ("shop-by_hash.v2", "ShopByHashV2", "shop_by_hash_v_2"),
        ("GSI1", "GSI1", "gsi_1"),
        ("2026", "Table2026", "table_2026"),
        ("_-.", "Table", "table"),
        ("class", "Class", "class"),
    ],
)
def test_exported_source_text_splits_a_name_into_words(name: str, pascal: str, snake: str) -> None:
    assert (pascal_case(name), snake_case(name)) == (pascal, snake)


@given(names=st.lists(st.text(st.sampled_from("aAbB12_.-"), min_size=3, max_size=5), unique=True))
def test_exported_source_text_has_distinct_converted_names(names: list[str]) -> None:
    for made in (pascal_case, snake_case):
        found = unique_names(names, made)
        assert len({each.lower() for each in found.values()}) == len(names)
        assert all(each.isidentifier() for each in found.values())


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_exported_source_text_has_literals_that_python_and_yaml_read_back(text: str) -> None:
    assert ast.literal_eval(quoted(text)) == text
    assert cfn_yaml.loads(f"a: {quoted(text)}\n")["a"] == text
    assert "\n" not in quoted(text)


values = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=20), inner, max_size=4),
)


@given(value=values)
def test_exported_source_text_in_python_evaluates_to_the_value(value: Any) -> None:
    assert ast.literal_eval(python_source(value)) == value


def test_exported_source_text_has_one_element_per_line_for_values_that_do_not_fit() -> None:
    short = PythonCall("make", (PythonName("self"), "a"), {"kind": "S"})
    assert statement("x = ", short) == 'x = make(self, "a", kind="S")'
    assert statement("x = ", PythonCall("make", ("a" * 50, "b" * 50))).split("\n") == [
        "x = make(",
        f'    "{"a" * 50}",',
        f'    "{"b" * 50}",',
        ")",
    ]
    assert len(statement("", ["a" * (LINE_CHARACTERS - 4)])) == LINE_CHARACTERS
