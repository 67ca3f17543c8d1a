"""Each value is written as a Python expression that evaluates to the same value."""

from __future__ import annotations

import ast
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import DesignError
from singletable.importers.draft import PythonCode
from singletable.importers.python_text import default_text, value_text

_PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.datetimes(timezones=st.just(UTC)) | st.datetimes(),
    st.dates(),
    st.uuids(),
)
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        | st.sets(_PLAIN, max_size=3)
        | st.frozensets(_PLAIN, max_size=3)
    ),
    max_leaves=6,
)
_CLASSES: dict[str, Any] = {each.__name__: each for each in (Decimal, UUID, date, datetime, set, frozenset)}


def evaluated(node: ast.expr) -> Any:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="fromisoformat"), args=[given]):
            return _CLASSES[name].fromisoformat(evaluated(given))
        case ast.Call(func=ast.Name(id=name), args=given):
            return _CLASSES[name](*map(evaluated, given))
        case ast.List(elts=elements):
            return [evaluated(each) for each in elements]
        case ast.Tuple(elts=elements):
            return tuple(evaluated(each) for each in elements)
        case ast.Set(elts=elements):
            return {evaluated(each) for each in elements}
        case ast.Dict(keys=keys, values=values):
            return {evaluated(key): evaluated(value) for key, value in zip(keys, values, strict=True) if key}
        case _:
            return ast.literal_eval(node)


@given(value=_VALUES)
def test_the_python_text_of_a_value_evaluates_to_the_same_value(value: Any) -> None:
    found = evaluated(ast.parse(value_text(value), mode="eval").body)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), [print], {"x": complex(1)}])
def test_the_python_text_of_unsupported_values_is_rejected(value: Any) -> None:
    with pytest.raises(DesignError):
        value_text(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((), "()"),
        ("", '""'),
        ([], "dataclass_field(default_factory=list)"),
        ({"a": 1}, 'dataclass_field(default_factory={"a": 1}.copy)'),
        ([[]], "dataclass_field(default_factory=partial(deepcopy, [[]]))"),
        (PythonCode("A(x=1)", is_mutable=True), "dataclass_field(default_factory=partial(deepcopy, A(x=1)))"),
        (PythonCode("Colour.RED"), "Colour.RED"),
    ],
)
def test_the_python_text_of_a_mutable_default_copies_it_for_every_object(value: Any, text: str) -> None:
    assert default_text(value) == text
