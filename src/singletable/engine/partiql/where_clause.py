"""Splits WHERE clauses into branches, one for each Query, or into the key and the remaining condition.

`pk = 'a' AND sk IN ['1', '2']` becomes two reads of one item. `pk = 'a' AND (x = 1 OR y = 2)` becomes one read of a
partition. Only conditions on keys are split, and only if every branch selects a partition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import product
from math import prod
from typing import Any, NamedTuple

from singletable.engine.partiql.bound_statement import value_of
from singletable.engine.tables.stored_table import Item, StoredTable
from singletable.errors import RequestRefused, invalid
from singletable.expressions.evaluate import Test, compile_condition
from singletable.expressions.key_condition import KeyTest, key_tests
from singletable.expressions.tree import And, Compare, Condition, Constant, In, Or, Parameter, Path, paths
from singletable.partiql.statements import ExistsStatement, InsertStatement, ParsedStatement
from singletable.values.attribute_value import equal

READS_MAX = 50

Branch = tuple[Condition, ...]


def branches_of(where: Condition, partition: Collection[str], keys: Collection[str]) -> list[Branch] | None:
    """Return the branches, each a conjunction of conditions. Return None if a branch does not select a partition."""
    if not all(_is_limited_to(where, attribute) for attribute in partition):
        return None
    if _count(where, keys) > READS_MAX:
        raise invalid("Too many decomposed read operations for a given query.")
    return _expand(where, keys)


def conjuncts(condition: Condition | None) -> Branch:
    """Return the conditions that AND combines. Return the condition itself if it is not an AND."""
    if condition is None:
        return ()
    if isinstance(condition, And):
        return tuple(inner for part in condition.parts for inner in conjuncts(part))
    return (condition,)


def key_test(condition: Condition, keys: Collection[str]) -> KeyTest | None:
    """Return the condition as a test of one key attribute, or None if it is not such a test."""
    try:
        (test,) = key_tests(condition).values()
    except (RequestRefused, ValueError):
        return None
    return test if test.attribute in keys else None


def _is_limited_to(condition: Condition, attribute: str) -> bool:
    """Return whether the condition allows only listed values for the attribute."""
    match condition:
        case And(parts):
            return any(_is_limited_to(part, attribute) for part in parts)
        case Or(parts):
            return all(_is_limited_to(part, attribute) for part in parts)
        case In():
            return _is_key_in(condition, (attribute,))
        case Compare("="):
            return key_test(condition, (attribute,)) is not None
        case _:
            return False


def _is_key_in(condition: In, keys: Collection[str]) -> bool:
    """Return whether the condition is `key IN [constants]`."""
    operand = condition.operand
    if not isinstance(operand, Path) or len(operand.steps) > 1 or operand.attribute not in keys:
        return False
    return all(isinstance(option, Constant | Parameter) for option in condition.options)


def _tests_keys(condition: Condition, keys: Collection[str]) -> bool:
    match condition:
        case And(parts) | Or(parts):
            return any(_tests_keys(part, keys) for part in parts)
        case In():
            return _is_key_in(condition, keys)
        case _:
            return key_test(condition, keys) is not None


def _count(condition: Condition, keys: Collection[str]) -> int:
    match condition:
        case And(parts):
            return prod(_count(part, keys) for part in parts)
        case Or(parts) if _tests_keys(condition, keys):
            return sum(_count(part, keys) for part in parts)
        case In(_, options) if _is_key_in(condition, keys):
            return len(options)
        case _:
            return 1


def _expand(condition: Condition, keys: Collection[str]) -> list[Branch]:
    match condition:
        case And(parts):
            choices = product(*(_expand(part, keys) for part in parts))
            return [tuple(test for branch in choice for test in branch) for choice in choices]
        case Or(parts) if _tests_keys(condition, keys):
            return [branch for part in parts for branch in _expand(part, keys)]
        case In(operand, options) if _is_key_in(condition, keys):
            return [(Compare("=", operand, option),) for option in options]
        case _:
            return [(condition,)]


class KeyNotNamed(RequestRefused):
    """The error if the condition of a write does not select one item. A transaction reports a key mismatch instead."""

    def __init__(self) -> None:
        super().__init__(
            "ValidationException", "Where clause does not contain a mandatory equality on all key attributes"
        )


class WhereParts(NamedTuple):
    """A condition, split into equality tests on key attributes and the remaining condition."""

    keys: Mapping[str, tuple[Constant | Parameter, ...]]
    rest: Condition | None
    test: Test | None
    nested_attributes: frozenset[str]


def where_parts(parsed: ParsedStatement, key_names: tuple[str, ...]) -> WhereParts:
    """Split the condition of a statement on a table with these key attributes. The statement caches the result."""
    parts: WhereParts | None = parsed.cache.get(key_names)
    if parts is None:
        parts = parsed.cache[key_names] = _split(parsed, key_names)
    return parts


def _split(parsed: ParsedStatement, key_names: tuple[str, ...]) -> WhereParts:
    statement = parsed.statement
    assert not isinstance(statement, InsertStatement)
    where = (statement.select if isinstance(statement, ExistsStatement) else statement).where
    keys: dict[str, list[Constant | Parameter]] = {}
    rest: list[Condition] = []
    for condition in conjuncts(where):
        test = key_test(condition, key_names)
        if test is None or test.operator != "=":
            rest.append(condition)
            continue
        if test.attribute in keys and isinstance(statement, ExistsStatement):
            # The first value is the key of the item. A second value is a condition, which fails (captured from AWS).
            rest.append(condition)
        keys.setdefault(test.attribute, []).append(test.operands[0])
    whole = None if not rest else rest[0] if len(rest) == 1 else And(tuple(rest))
    nested = frozenset(path.attribute for path in paths(where) if len(path.steps) > 1)
    equalities = {name: tuple(operands) for name, operands in keys.items()}
    return WhereParts(equalities, whole, None if whole is None else compile_condition(whole), nested)


def named_key(table: StoredTable, where: WhereParts, values: Mapping[str, Any], *, takes_first: bool = False) -> Item:
    """Return the key that a condition selects by equality. Raise an error unless every key attribute has one value."""
    key: Item = {}
    for name in table.key_names:
        if name not in where.keys:
            raise KeyNotNamed
        first, *others = [value_of(operand, values) for operand in where.keys[name]]
        if not takes_first and any(not equal(first, other) for other in others):
            raise invalid(
                f"Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported"
            )
        key[name] = first
    return key
