"""The alternatives of a condition, as far as keys are concerned: each is what one Query could read.

`pk = 'a' AND sk IN ['1', '2']` is two reads of one item, `pk = 'a' AND (x = 1 OR y = 2)` one of a partition: only what
is said of keys is taken apart, and only when every alternative names a partition.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from math import prod

from singletable.errors import RequestRefused, invalid
from singletable.expressions.key_condition import KeyTest, key_tests
from singletable.expressions.tree import And, Compare, Condition, Constant, In, Or, Parameter, Path

READS_MAX = 50

Branch = tuple[Condition, ...]


def branches_of(where: Condition, partition: Collection[str], keys: Collection[str]) -> list[Branch] | None:
    """The alternatives, each as conditions that all hold; None when one of them names no partition."""
    if not all(_names(where, attribute) for attribute in partition):
        return None
    if _count(where, keys) > READS_MAX:
        raise invalid("Too many decomposed read operations for a given query.")
    return _expanded(where, keys)


def conjuncts(condition: Condition | None) -> Branch:
    """The conditions that all have to hold for this one to hold."""
    if condition is None:
        return ()
    if isinstance(condition, And):
        return tuple(inner for part in condition.parts for inner in conjuncts(part))
    return (condition,)


def key_test(condition: Condition, keys: Collection[str]) -> KeyTest | None:
    """The condition as a test of one key attribute, if that is what it is."""
    try:
        (test,) = key_tests(condition).values()
    except (RequestRefused, ValueError):
        return None
    return test if test.attribute in keys else None


def _names(condition: Condition, attribute: str) -> bool:
    """Whether the condition holds for a few values of the attribute at most."""
    match condition:
        case And(parts):
            return any(_names(part, attribute) for part in parts)
        case Or(parts):
            return all(_names(part, attribute) for part in parts)
        case In():
            return _is_choice(condition, (attribute,))
        case Compare("="):
            return key_test(condition, (attribute,)) is not None
        case _:
            return False


def _is_choice(condition: In, keys: Collection[str]) -> bool:
    """Whether it is a choice of key values."""
    operand = condition.operand
    if not isinstance(operand, Path) or len(operand.steps) > 1 or operand.attribute not in keys:
        return False
    return all(isinstance(option, Constant | Parameter) for option in condition.options)


def _speaks_of_keys(condition: Condition, keys: Collection[str]) -> bool:
    match condition:
        case And(parts) | Or(parts):
            return any(_speaks_of_keys(part, keys) for part in parts)
        case In():
            return _is_choice(condition, keys)
        case _:
            return key_test(condition, keys) is not None


def _count(condition: Condition, keys: Collection[str]) -> int:
    match condition:
        case And(parts):
            return prod(_count(part, keys) for part in parts)
        case Or(parts) if _speaks_of_keys(condition, keys):
            return sum(_count(part, keys) for part in parts)
        case In(_, options) if _is_choice(condition, keys):
            return len(options)
        case _:
            return 1


def _expanded(condition: Condition, keys: Collection[str]) -> list[Branch]:
    match condition:
        case And(parts):
            chosen = product(*(_expanded(part, keys) for part in parts))
            return [tuple(test for branch in choice for test in branch) for choice in chosen]
        case Or(parts) if _speaks_of_keys(condition, keys):
            return [branch for part in parts for branch in _expanded(part, keys)]
        case In(operand, options) if _is_choice(condition, keys):
            return [(Compare("=", operand, option),) for option in options]
        case _:
            return [(condition,)]
