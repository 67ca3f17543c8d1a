"""Values of a draft are the same through JSON, and through the Python that is written of them."""

from __future__ import annotations

import ast
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.drafts.constants import (
    NoConstant,
    constant_from_values,
    constant_of,
    constant_to_values,
    is_deep,
    is_mutable,
    made_constant,
    words_in,
    written_constant,
)
from singletable.drafts.design_types import DesignTypes
from singletable.drafts.draft import DraftMember, DraftObject
from singletable.drafts.json_place import Place
from singletable.drafts.type_text import quoted
from singletable.errors import ImportRefused


class State(Enum):
    NEW = "N"
    OLD = "O"


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
    st.sampled_from([DraftMember("State", "NEW"), DraftMember("State", "OLD")]),
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
_SCOPE: dict[str, Any] = {
    "State": State,
    "Decimal": Decimal,
    "UUID": UUID,
    "date": date,
    "datetime": datetime,
    "set": set,
    "frozenset": frozenset,
}


def read(node: ast.expr) -> Any:
    """What an expression of literals and of calls of known classes is; there is no other in what is written."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="fromisoformat"), args=[given]):
            return _SCOPE[name].fromisoformat(read(given))
        case ast.Call(func=ast.Name(id=name), args=given):
            return _SCOPE[name](*map(read, given))
        case ast.Attribute(value=ast.Name(id=name), attr=member):
            return _SCOPE[name][member]
        case ast.List(elts=elements):
            return [read(each) for each in elements]
        case ast.Tuple(elts=elements):
            return tuple(read(each) for each in elements)
        case ast.Set(elts=elements):
            return {read(each) for each in elements}
        case ast.Dict(keys=keys, values=values):
            return {read(key): read(value) for key, value in zip(keys, values, strict=True) if key is not None}
        case _:
            return ast.literal_eval(node)


@given(value=_VALUES)
def test_a_value_is_the_same_through_json(value: Any) -> None:
    there = json.loads(json.dumps(constant_to_values(value)))
    again = constant_from_values(Place(there, "here"))
    assert (type(again), again) == (type(value), value)


@given(value=_VALUES)
def test_a_value_is_what_is_written_of_it(value: Any) -> None:
    written = written_constant(value, quoted)
    assert read(ast.parse(written, mode="eval").body) == made_constant(value, _SCOPE)
    for name in (each.id for each in ast.walk(ast.parse(written)) if isinstance(each, ast.Name)):
        assert name in words_in(value)


@pytest.mark.parametrize(
    "value",
    [
        *([], {}, {"Decimal": "x"}, {"datetime": "yesterday"}, {"bytes": 5}, {"os": "system"}, {"member": ["A"]}),
        *({"member": ["A", "x y"]}, {"set": [{"list": []}]}, {"list": 1}, {"list": [1], "set": []}, {"dict": []}),
        *(
            {"object": {"A": {"x()": 1}}},
            {"object": {"a b": {}}},
            {"object": {}},
            {"UUID": "?"},
            {"member": ["A", "b", "c"]},
        ),
    ],
)
def test_what_is_no_value_is_refused_with_its_place(value: Any) -> None:
    with pytest.raises(ImportRefused, match=r"^here"):
        constant_from_values(Place(value, "here"))


def test_members_are_held_by_name_and_objects_by_their_fields() -> None:
    types = DesignTypes({}, set(), [])
    assert constant_of([State.NEW], types) == [DraftMember("State", "NEW")]
    with pytest.raises(NoConstant):
        constant_of(float("nan"), types)
    with pytest.raises(NoConstant):
        constant_of(object(), types)


@pytest.mark.parametrize(
    ("value", "mutable", "deep"),
    [
        ((), False, False),
        (frozenset(), False, False),
        ("", False, False),
        ([], True, False),
        ({"a": 1}, True, False),
        ({1}, True, False),
        ([[]], True, True),
        ({"a": []}, True, True),
        (DraftObject("A", {}), True, True),
    ],
)
def test_what_can_be_changed_is_not_shared(value: Any, mutable: bool, deep: bool) -> None:
    assert is_mutable(value) == mutable
    assert is_deep(value) == deep
