"""Conditions of an SQL statement: the constants with which it compares the columns of each entity.

DuckDB's own parser makes the syntax tree, so the analysis sees exactly the statement that DuckDB runs. For one use of
an entity, it is enough to read the rows with `column = constant` if the statement discards all other rows. It must
also discard rows in which an outer join has set the column to NULL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import duckdb

from singletable.errors import AnalyticsRefused

Node = dict[str, Any]
Constants = frozenset[str | int]
_JOINS = frozenset(("INNER", "LEFT", "RIGHT", "OUTER", "FULL"))
_REFERENCES = frozenset(("REGULAR", "CROSS"))
_TABLE_FUNCTIONS = frozenset(("generate_series", "json_each", "json_tree", "range", "repeat", "unnest"))
"""The table functions that a statement may call. Others, such as `query`, can read files or tables unnoticed."""


@dataclass(frozen=True)
class Occurrence:
    """One use of an entity in a statement, and the constants that its columns must equal."""

    entity: str
    equal: Mapping[str, Constants] = field(default_factory=dict)


def occurrences(statement: str, columns: Mapping[str, Mapping[str, str]]) -> list[Occurrence]:
    """Return every use of an entity in a SELECT statement. `columns` are the columns of each entity, with their types.

    Raise AnalyticsRefused if the text is not one SELECT statement.
    """
    tree = _parse(statement, columns)
    for node in _nodes(tree):
        if node.get("type") == "TABLE_FUNCTION":
            _reject_unknown_function(str((node.get("function") or {}).get("function_name")))
    names = {name.lower(): name for name in columns}
    ctes = {each["key"].lower() for node in _nodes(tree) for each in (node.get("cte_map") or {}).get("map") or ()}
    restricted: dict[int, dict[str, Constants]] = {}
    for node in _nodes(tree):
        if node.get("type") == "SELECT_NODE":
            restricted |= _restrictions(node, names, columns, ctes)
    return [
        Occurrence(names[node["table_name"].lower()], restricted.get(id(node), {}))
        for node in _nodes(tree)
        if node.get("type") == "BASE_TABLE" and str(node.get("table_name")).lower() in names
    ]


def sql_name(name: str) -> str:
    """Return a name as SQL needs it: in double quotes if it is a keyword or not a plain identifier."""
    is_word = name.isascii() and name.isidentifier() and name.lower() not in _keywords()
    return name if is_word else '"' + name.replace('"', '""') + '"'


@cache
def _keywords() -> frozenset[str]:
    with duckdb.connect() as database:
        found = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        return frozenset(name for (name,) in database.sql(found).fetchall())


def _parse(statement: str, columns: Mapping[str, Mapping[str, str]]) -> Node:
    with duckdb.connect() as database:
        found = database.execute("SELECT json_serialize_sql(?::VARCHAR)", [statement]).fetchone()
    tree: Node = json.loads(found[0] if found else "{}")
    if tree.get("error"):
        message = f"not a SELECT statement that DuckDB can parse: {tree.get('error_message')}"
        raise AnalyticsRefused(message + _quote_hint(statement, columns))
    if len(tree["statements"]) != 1:
        raise AnalyticsRefused("pass one SELECT statement")
    return tree


def _quote_hint(statement: str, columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return a hint about the keywords that the statement uses as names without quotes, if there are any."""
    names = sorted({*columns, *(name for each in columns.values() for name in each)})
    unquoted = (name for name in names if re.search(rf'(?<![\w"]){re.escape(name)}(?![\w"])', statement))
    found = [sql_name(name) for name in unquoted if sql_name(name) != name]
    return f"\n  Write {', '.join(found)} in double quotes." if found else ""


def _reject_unknown_function(name: str) -> None:
    if name.lower() not in _TABLE_FUNCTIONS and not name.lower().startswith(("duckdb_", "pragma_")):
        raise AnalyticsRefused(
            f"a statement cannot read from {name}(...).\n  Read from the entities of the table, and from "
            f"{', '.join(sorted(_TABLE_FUNCTIONS))}."
        )


def _nodes(value: Any) -> Iterator[Node]:
    """Yield all nodes of a tree."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _nodes(each)
    elif isinstance(value, list):
        for each in value:
            yield from _nodes(each)


class _Column(NamedTuple):
    table: int
    """The identity of the table's node."""
    name: str
    type: str


@dataclass
class _Scope:
    """The tables in the FROM clause of one SELECT, and the constants that their columns equal."""

    names: Mapping[str, str]
    columns: Mapping[str, Mapping[str, str]]
    ctes: set[str]
    tables: dict[int, tuple[str, str]] = field(default_factory=dict)
    """The alias and the entity of each table."""
    is_closed: bool = True
    """Whether all sources are entities, so that the entity of a column without a table name is known."""
    is_supported: bool = True
    constants: dict[_Column, Constants] = field(default_factory=dict)
    pairs: list[tuple[_Column, _Column]] = field(default_factory=list)
    """Pairs of equal columns: if the first column equals a constant, the second one does too."""

    def add_source(self, node: Node) -> set[int]:
        """Add a source of the FROM clause. Return the tables in it."""
        kind = node.get("type")
        if kind == "JOIN":
            return self._add_join(node)
        if kind == "EMPTY":
            return set()
        name = str(node.get("table_name")).lower()
        if kind != "BASE_TABLE" or name not in self.names or name in self.ctes:
            self.is_closed = False
            return set()
        if node.get("sample") is not None:
            self.is_supported = False
        if node.get("column_name_alias"):
            self.is_closed = False
            return set()
        self.tables[id(node)] = (str(node.get("alias") or name).lower(), self.names[name])
        return {id(node)}

    def _add_join(self, node: Node) -> set[int]:
        left, right = self.add_source(node["left"]), self.add_source(node["right"])
        kind = node.get("join_type")
        if kind not in _JOINS or node.get("ref_type") not in _REFERENCES:
            self.is_supported = False
        if node.get("using_columns"):
            self.is_closed = False
        # The condition of an outer join restricts only the side whose rows it can leave out.
        restricted = {"INNER": left | right, "LEFT": right, "RIGHT": left}.get(str(kind), set())
        if node.get("condition") is not None and restricted:
            self.add_condition(node["condition"], restricted)
        return left | right

    def add_condition(self, node: Node, restricted: set[int]) -> None:
        """Add the equalities that a condition requires, for these tables."""
        for each in _conjuncts(node):
            if each.get("type") == "COMPARE_IN":
                column, *values = each["children"]
                self._add_constants(self.column(column), [_constant(value) for value in values], restricted)
            elif each.get("type") == "COMPARE_EQUAL":
                self._add_equality(each["left"], each["right"], restricted)

    def _add_equality(self, left: Node, right: Node, restricted: set[int]) -> None:
        first, second = self.column(left), self.column(right)
        if first is not None and second is not None:
            if first.type != second.type:
                return  # a text such as 01 equals the number 1, but not the text 1
            self.pairs += [pair for pair in ((first, second), (second, first)) if pair[1].table in restricted]
        elif first is not None:
            self._add_constants(first, [_constant(right)], restricted)
        elif second is not None:
            self._add_constants(second, [_constant(left)], restricted)

    def _add_constants(self, column: _Column | None, values: list[str | int | None], restricted: set[int]) -> None:
        if column is None or column.table not in restricted or not values or None in values:
            return
        found = frozenset(value for value in values if value is not None)
        self.constants[column] = self.constants.get(column, found) & found

    def column(self, node: Node) -> _Column | None:
        """Return the column that a node names, or None if it names no column of an entity in this scope."""
        if node.get("class") != "COLUMN_REF":
            return None
        *qualifier, name = (str(each).lower() for each in node["column_names"])
        if len(qualifier) > 1 or (not qualifier and not self.is_closed):
            return None
        found = [
            _Column(table, known, kind)
            for table, (alias, entity) in self.tables.items()
            if not qualifier or alias == qualifier[0]
            for known, kind in self.columns[entity].items()
            if known.lower() == name
        ]
        return found[0] if len(found) == 1 else None


def _restrictions(
    select: Node, names: Mapping[str, str], columns: Mapping[str, Mapping[str, str]], ctes: set[str]
) -> dict[int, dict[str, Constants]]:
    """Return the constants of the columns of each table of a SELECT, by the identity of the table's node."""
    scope = _Scope(names, columns, ctes)
    tables = scope.add_source(select.get("from_table") or {"type": "EMPTY"})
    if not scope.is_supported or select.get("sample") is not None:
        return {}
    if select.get("where_clause") is not None:
        scope.add_condition(select["where_clause"], tables)
    is_changed = True
    while is_changed:
        is_changed = False
        for first, second in scope.pairs:
            if first in scope.constants and second not in scope.constants:
                scope.constants[second] = scope.constants[first]
                is_changed = True
    found: dict[int, dict[str, Constants]] = {}
    for column, values in scope.constants.items():
        found.setdefault(column.table, {})[column.name] = values
    return found


def _conjuncts(node: Node) -> Iterator[Node]:
    if node.get("type") == "CONJUNCTION_AND":
        for each in node["children"]:
            yield from _conjuncts(each)
    else:
        yield node


def _constant(node: Node) -> str | int | None:
    """Return the text or whole number of a constant, or None for any other node."""
    if node.get("class") != "CONSTANT":
        return None
    literal = node.get("literal")
    if isinstance(literal, dict):
        kind, text = literal.get("kind"), literal.get("text")
    else:
        value = node.get("value") or {}
        kind = {"VARCHAR": "STRING", "INTEGER": "INTEGER", "BIGINT": "INTEGER"}.get(
            str((value.get("type") or {}).get("id"))
        )
        text = None if value.get("is_null") else value.get("value")
    if kind == "STRING" and isinstance(text, str):
        return text
    return int(text) if kind == "INTEGER" and text is not None and str(text).lstrip("-").isdigit() else None
