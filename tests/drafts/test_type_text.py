"""A type's text is read as the type that it says, and every other text is refused."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import DesignError
from singletable.drafts.design_types import DesignTypes
from singletable.drafts.draft import FieldType
from singletable.drafts.type_text import TypeNode, made_type, read_type, written_type

_NAMES = st.sampled_from(
    ["str", "int", "Decimal", "bool", "bytes", "datetime", "UUID", "Any", "None", "Line", "Status"]
)
_LITERALS = st.lists(st.text(max_size=6) | st.integers(-5, 5) | st.booleans(), min_size=1, max_size=3)
_NODES = st.recursive(
    st.builds(TypeNode, _NAMES) | st.builds(lambda values: TypeNode("Literal", (), tuple(values)), _LITERALS),
    lambda inner: (
        st.builds(lambda name, of: TypeNode(name, (of,)), st.sampled_from(["list", "set", "frozenset"]), inner)
        | st.builds(lambda of: TypeNode("dict", (TypeNode("str"), of)), inner)
        | st.builds(lambda of: TypeNode("tuple", (of, TypeNode("..."))), inner)
        | st.builds(lambda *of: TypeNode("tuple", of), inner, inner)
        | st.builds(
            lambda *of: TypeNode("|", of),
            inner.filter(lambda node: node.name not in ("|", "None")),
            inner.filter(lambda node: node.name != "|"),
        )
    ),
    max_leaves=6,
)


@given(node=_NODES)
def test_what_is_written_is_read_again(node: TypeNode) -> None:
    assert read_type(str(node)) == node


@given(node=_NODES)
def test_python_reads_what_is_written_for_it_as_the_type_that_is_made(node: TypeNode) -> None:
    class Line: ...

    class Status: ...

    scope = {"Line": Line, "Status": Status}
    names: dict[str, Any] = {"Decimal": Decimal, "datetime": datetime, "Any": Any, "Literal": Literal, **scope}
    import typing
    from uuid import UUID

    holder = type("Holder", (), {"__annotations__": {"it": written_type(node)}})
    read = typing.get_type_hints(holder, {**names, "UUID": UUID})["it"]
    made = made_type(node, scope.__getitem__)
    assert read == (type(None) if made is None else made)


@pytest.mark.parametrize(
    "text",
    [
        *("", "list", "list[]", "list[str", "list[str]]", "dict[str]", "list[str, int]", "str[int]", "Literal", "..."),
        *("Literal[]", 'Literal["a]', "Literal[x]", "str |", "| str", "1", "os.system", "__import__('os')", "a b"),
        *(
            "list[...]",
            "tuple[str, ..., int]",
            "list[" * 30 + "str" + "]" * 30,
            "x" * 10 + "!",
            "lambda: 0",
            "Literal[1.5]",
        ),
    ],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(DesignError, match="no type that a model can be drafted with"):
        read_type(text)


@given(text=st.text(max_size=20))
def test_no_text_is_more_than_a_refusal(text: str) -> None:
    try:
        node = read_type(text)
    except DesignError:
        return
    assert read_type(str(node)) == node


def test_the_types_of_readers_are_among_them_and_come_back_as_they_are() -> None:
    types = DesignTypes({}, set(), [])
    for name in get_args(FieldType):
        made = made_type(read_type(name), lambda name: None)
        assert types.typed(made, "here") == (name, ())
    assert types.typed(date, "here") == ("date", ())
    assert types.typed(Literal["a", "b"], "here") == ("str", ("a", "b"))
