"""Python values are written as they would be typed, and read back as they were."""

from __future__ import annotations

import ast
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.export.python_text import LINE_CHARACTERS, Call, Name, python, statement

values = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=20), inner, max_size=4),
)


@given(value=values)
def test_a_value_is_read_back(value: Any) -> None:
    assert ast.literal_eval(python(value)) == value


def test_what_fits_stands_on_one_line_and_what_does_not_one_element_a_line() -> None:
    short = Call("make", (Name("self"), "a"), {"kind": "S"})
    assert statement("x = ", short) == 'x = make(self, "a", kind="S")'
    assert statement("x = ", Call("make", ("a" * 50, "b" * 50))).split("\n") == [
        "x = make(",
        f'    "{"a" * 50}",',
        f'    "{"b" * 50}",',
        ")",
    ]
    assert len(statement("", ["a" * (LINE_CHARACTERS - 4)])) == LINE_CHARACTERS
