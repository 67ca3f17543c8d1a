"""Strategies for PartiQL statements."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from singletable.expressions.tree import Arithmetic, Change, Condition, Constant, Function, Operand
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    OrderBy,
    SelectStatement,
    Statement,
    StatementSource,
    UpdateStatement,
    column_name,
)
from tests.expressions.trees import NAMES, SETS, VALUES, conditions, paths


def is_written(value: Any) -> bool:
    """Return whether a value can be written as a literal: binaries cannot."""
    return '"B"' not in json.dumps(value) and '"BS"' not in json.dumps(value)


PATHS = paths([*NAMES, 'a "quoted" one', "select", "it's"])
LITERALS: st.SearchStrategy[Constant] = VALUES.filter(is_written).map(Constant)
LEAVES: st.SearchStrategy[Operand] = PATHS | LITERALS
CONDITIONS: st.SearchStrategy[Condition] = conditions(LEAVES, PATHS)
SOURCES = st.builds(
    StatementSource, st.sampled_from(["shop", "Shop-2", "from"]), st.none() | st.sampled_from(["GSI1", "a.b"])
)
TABLES = st.builds(StatementSource, st.sampled_from(["shop", "Shop-2", "from"]))

_SET_LITERALS: st.SearchStrategy[Operand] = SETS.filter(is_written).map(Constant)
_ASSIGNED: st.SearchStrategy[Operand] = st.one_of(
    LEAVES,
    st.builds(lambda one, other: Function("list_append", (one, other)), LEAVES, LEAVES),
    st.builds(Arithmetic, st.sampled_from(["+", "-"]), LEAVES, LEAVES),
)
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(lambda path, value: Change("SET", path, value), PATHS, _ASSIGNED),
    st.builds(lambda path, value: Change("ADD", path, value), PATHS, _SET_LITERALS),
    st.builds(lambda path, value: Change("DELETE", path, value), PATHS, _SET_LITERALS),
    st.builds(lambda path: Change("REMOVE", path), PATHS),
)
_COLUMNS = st.lists(PATHS, min_size=1, max_size=3, unique_by=column_name).map(tuple)
_ORDERS = st.lists(st.builds(OrderBy, st.sampled_from(["pk", "sk"]), st.booleans()), max_size=2).map(tuple)
SELECTS = st.builds(SelectStatement, SOURCES, st.none() | _COLUMNS, st.none() | CONDITIONS, _ORDERS)
_ITEMS = st.dictionaries(st.text(max_size=5), LITERALS, max_size=3).map(lambda item: tuple(item.items()))
_RETURNING = st.none() | st.sampled_from(["ALL OLD", "MODIFIED OLD", "ALL NEW", "MODIFIED NEW"])
STATEMENTS: st.SearchStrategy[Statement] = st.one_of(
    SELECTS,
    st.builds(InsertStatement, TABLES, _ITEMS),
    st.builds(
        UpdateStatement,
        SOURCES,
        st.lists(CHANGES, min_size=1, max_size=3).map(tuple),
        st.none() | CONDITIONS,
        _RETURNING,
    ),
    st.builds(DeleteStatement, SOURCES, st.none() | CONDITIONS, st.none() | st.just("ALL OLD")),
    st.builds(ExistsStatement, SELECTS),
)
