"""Strategies for expression trees, attribute values and items."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import strategies as st

from singletable.expressions.tree import (
    And,
    Arithmetic,
    BetweenBounds,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    In,
    Not,
    Operand,
    Or,
    Parameter,
    Path,
)

COMPARATORS = ["=", "<>", "<", "<=", ">", ">="]
NAMES = ["a", "b", "c", "status", "a.b", "ü", "#", "9"]

SCALARS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.sampled_from(["", "a", "ab", "b", "é", "\U0001f600"]).map(lambda text: {"S": text}),
    st.sampled_from(["0", "1", "-1", "1.5", "100", "12345678901234567890.5"]).map(lambda text: {"N": text}),
    st.sampled_from([b"a", b"ab", b"\xff"]).map(lambda content: {"B": base64.b64encode(content).decode()}),
    st.booleans().map(lambda truth: {"BOOL": truth}),
    st.just({"NULL": True}),
)
SETS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.lists(st.sampled_from("abc"), min_size=1, unique=True).map(lambda texts: {"SS": texts}),
    st.lists(st.sampled_from(["0", "1", "1.5"]), min_size=1, unique=True).map(lambda texts: {"NS": texts}),
    st.lists(st.sampled_from(["YQ==", "YWI="]), min_size=1, unique=True).map(lambda texts: {"BS": texts}),
)
VALUES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    SCALARS | SETS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda elements: {"L": elements})
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(lambda members: {"M": members})
    ),
    max_leaves=5,
)
ITEMS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


def paths(names: list[str]) -> st.SearchStrategy[Path]:
    steps = st.lists(st.sampled_from(names) | st.integers(0, 3), max_size=2)
    return st.builds(lambda first, others: Path((first, *others)), st.sampled_from(names), steps)


def conditions(leaf: st.SearchStrategy[Operand], path: st.SearchStrategy[Path]) -> st.SearchStrategy[Condition]:
    """Conditions that the grammar can express; the types of their operands may be wrong."""
    operand = leaf | st.builds(lambda inner: Function("size", (inner,)), leaf)
    tests: st.SearchStrategy[Condition] = st.one_of(
        st.builds(Compare, st.sampled_from(COMPARATORS), operand, operand),
        st.builds(BetweenBounds, operand, operand, operand),
        st.builds(In, operand, st.lists(operand, min_size=1, max_size=3).map(tuple)),
        st.builds(lambda inner: Function("attribute_exists", (inner,)), path),
        st.builds(lambda inner: Function("attribute_not_exists", (inner,)), path),
        st.builds(lambda one, other: Function("contains", (one, other)), operand, operand),
        st.builds(lambda one, other: Function("begins_with", (one, other)), operand, operand),
    )
    return st.recursive(
        tests,
        lambda inner: (
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts)))
            | st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts)))
            | inner.map(Not)
        ),
        max_leaves=6,
    )


def changes(leaf: st.SearchStrategy[Operand], path: st.SearchStrategy[Path]) -> st.SearchStrategy[list[Change]]:
    """Changes in the order in which they are printed."""
    operand = st.recursive(
        leaf, lambda inner: st.builds(lambda one, other: Function("if_not_exists", (one, other)), path, inner)
    )
    value: st.SearchStrategy[Operand] = st.one_of(
        operand,
        st.builds(lambda one, other: Function("list_append", (one, other)), operand, operand),
        st.builds(Arithmetic, st.sampled_from(["+", "-"]), operand, operand),
    )
    parameter = st.sampled_from([":p", ":q"]).map(Parameter)
    return st.tuples(
        st.lists(st.builds(lambda to, what: Change("SET", to, what), path, value), max_size=3),
        st.lists(st.builds(lambda to, what: Change("ADD", to, what), path, parameter), max_size=2),
        st.lists(st.builds(lambda to: Change("REMOVE", to), path), max_size=2),
        st.lists(st.builds(lambda to, what: Change("DELETE", to, what), path, parameter), max_size=2),
    ).map(lambda sections: [change for section in sections for change in section])


PARAMETERS: st.SearchStrategy[Operand] = st.sampled_from([":p", ":q", ":r"]).map(Parameter)
LEAVES: st.SearchStrategy[Operand] = paths(NAMES) | PARAMETERS
CONSTANTS: st.SearchStrategy[Operand] = VALUES.map(Constant)
