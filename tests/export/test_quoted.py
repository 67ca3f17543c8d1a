"""A text between quotes is the same text to Python and to YAML."""

from __future__ import annotations

import ast

from cfnlint.decode import cfn_yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from singletable.export.quoted import quoted


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_python_and_yaml_read_what_was_written(text: str) -> None:
    assert ast.literal_eval(quoted(text)) == text
    assert cfn_yaml.loads(f"a: {quoted(text)}\n")["a"] == text
    assert "\n" not in quoted(text)
