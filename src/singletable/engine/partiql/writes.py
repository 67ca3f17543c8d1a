"""INSERT, UPDATE, DELETE and EXISTS as writes of one item, and what they return of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Raw

from singletable.engine.asked import Check, refuse_parts_of_keys
from singletable.engine.item_write import (
    ConditionFailed,
    PlannedWrite,
    Written,
    condition_failed,
    planned_check,
    planned_delete,
    planned_put,
    planned_update,
)
from singletable.engine.partiql.bind import Bound, value_of
from singletable.engine.partiql.branches import conjuncts, key_test
from singletable.engine.table import Item, OpenTable
from singletable.errors import RequestRefused, invalid
from singletable.expressions.apply import Update as Changes
from singletable.expressions.evaluate import Test, compiled
from singletable.expressions.request import BoundUpdate
from singletable.expressions.tree import And, Condition, Constant, Parameter, paths
from singletable.partiql.statements import Delete, Exists, Insert, ReadStatement, Select, Update
from singletable.values.accept import accept_item
from singletable.values.comparison import equal

DUPLICATE = "Duplicate primary key exists in table"


class KeyNotNamed(RequestRefused):
    """A write whose condition does not name one item; a transaction says so in the words of a key."""

    def __init__(self) -> None:
        super().__init__(
            "ValidationException", "Where clause does not contain a mandatory equality on all key attributes"
        )


class WhereParts(NamedTuple):
    """What a condition says of keys, by equality, and what else it says of the item."""

    keys: Mapping[str, tuple[Constant | Parameter, ...]]
    rest: Condition | None
    test: Test | None
    looked_into: frozenset[str]


def planned_statement(table: OpenTable, bound: Bound, *, returns_old: bool, is_alone: bool) -> PlannedWrite:
    """The write that a statement is; refuses one that does not fit the table."""
    statement, values = bound.statement, bound.values
    if isinstance(statement, Insert):
        item = {name: value_of(value, values) for name, value in statement.item}
        size = accept_item(item)
        return planned_put(table, item, size, _is_absent, returns_old)
    source = statement.select.source if isinstance(statement, Exists) else statement.source
    if source.index is not None:
        raise invalid("This operation is not supported on an index")
    where = where_parts(bound.read, table.key_names)
    refuse_parts_of_keys(where.looked_into, table)
    key = named_key(table, where, values, takes_first=isinstance(statement, Exists))
    match statement:
        case Update():
            update = BoundUpdate(_changes(bound.read), values)
            # Captured: alone, an update is measured without the key and with bytes for each of its changes.
            extra_bytes = update.update.extra_bytes if is_alone else 0
            return planned_update(table, key, update, _present(where.test, values), returns_old, extra_bytes)
        case Delete():
            return planned_delete(table, key, _absent_or(where.test, values), returns_old)
        case Exists():
            return planned_check(table, key, _present(where.test, values), returns_old)
        case Select():
            raise TypeError("a SELECT writes nothing")


def where_parts(read: ReadStatement, key_names: tuple[str, ...]) -> WhereParts:
    """What the condition of a statement says of the key and of the rest, for a table with this key."""
    parts: WhereParts | None = read.kept.get(key_names)
    if parts is None:
        parts = read.kept[key_names] = _taken_apart(read, key_names)
    return parts


def _taken_apart(read: ReadStatement, key_names: tuple[str, ...]) -> WhereParts:
    statement = read.statement
    assert not isinstance(statement, Insert)
    where = (statement.select if isinstance(statement, Exists) else statement).where
    keys: dict[str, list[Constant | Parameter]] = {}
    rest: list[Condition] = []
    for condition in conjuncts(where):
        test = key_test(condition, key_names)
        if test is None or test.operator != "=":
            rest.append(condition)
            continue
        if test.attribute in keys and isinstance(statement, Exists):
            # Captured: the first value names the item, and another one is a condition that it does not meet.
            rest.append(condition)
        keys.setdefault(test.attribute, []).append(test.operands[0])
    whole = None if not rest else rest[0] if len(rest) == 1 else And(tuple(rest))
    looked_into = frozenset(path.attribute for path in paths(where) if len(path.steps) > 1)
    given = {name: tuple(operands) for name, operands in keys.items()}
    return WhereParts(given, whole, None if whole is None else compiled(whole), looked_into)


def named_key(table: OpenTable, where: WhereParts, values: Mapping[str, Any], *, takes_first: bool = False) -> Item:
    """The key that a condition names by equality, one value for every attribute of it."""
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


def refused_write(bound: Bound, write: PlannedWrite, failure: ConditionFailed) -> RequestRefused:
    """The answer to a statement that stands alone and whose condition does not hold."""
    if isinstance(bound.statement, Insert):
        return RequestRefused("DuplicateItemException", DUPLICATE)
    return condition_failed(write, failure)


def returned(bound: Bound, written: Written) -> Raw | Item | None:
    """What the statement returns of the item; None when it returns nothing."""
    statement = bound.statement
    returning = statement.returning if isinstance(statement, Update | Delete) else None
    if returning is None:
        return None
    image = written.before if returning.endswith("OLD") else written.after
    if image is None:
        return None
    if returning.startswith("ALL"):
        return Raw(image.body)
    return _changes(bound.read).updated(image.item) or None


def _changes(read: ReadStatement) -> Changes:
    assert isinstance(read.statement, Update)
    changes: Changes | None = read.kept.get(Changes)
    if changes is None:
        changes = read.kept[Changes] = Changes(read.statement.changes)
    return changes


def _is_absent(item: Item) -> bool:
    return not item


def _present(test: Test | None, values: Mapping[str, Any]) -> Check:
    """That the item is there and as the condition says: an UPDATE makes no new item."""
    return lambda item: bool(item) and (test is None or test(item, values))


def _absent_or(test: Test | None, values: Mapping[str, Any]) -> Check | None:
    """That the item is as the condition says, if it is there: the end of nothing needs no condition (captured)."""
    return None if test is None else lambda item: not item or test(item, values)
