"""Translates INSERT, UPDATE, DELETE and EXISTS into writes of one item, and handles their RETURNING clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from singletable.engine.items.item_writes import (
    BeforeAndAfter,
    ConditionNotMet,
    PlannedWrite,
    condition_failed_error,
    planned_check,
    planned_delete,
    planned_put,
    planned_update,
)
from singletable.engine.items.request_expressions import ItemPredicate, reject_nested_keys
from singletable.engine.partiql.bound_statement import BoundStatement, value_of
from singletable.engine.partiql.where_clause import named_key, where_parts
from singletable.engine.tables.stored_table import Item, StoredTable
from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import BoundUpdate
from singletable.expressions.evaluate import Test
from singletable.expressions.update_expression import ItemUpdate as Changes
from singletable.partiql.statements import (
    DeleteStatement,
    ExistsStatement,
    InsertStatement,
    ParsedStatement,
    SelectStatement,
    UpdateStatement,
)
from singletable.values.item_validation import accept_item

DUPLICATE = "Duplicate primary key exists in table"


def planned_statement(table: StoredTable, bound: BoundStatement, *, returns_old: bool, is_alone: bool) -> PlannedWrite:
    """Return the planned write for a statement. Raise an error if the statement is invalid for the table."""
    statement, values = bound.statement, bound.values
    if isinstance(statement, InsertStatement):
        item = {name: value_of(value, values) for name, value in statement.item}
        size = accept_item(item)
        return planned_put(table, item, size, _is_absent, returns_old)
    source = statement.select.source if isinstance(statement, ExistsStatement) else statement.source
    if source.index is not None:
        raise invalid("This operation is not supported on an index")
    where = where_parts(bound.parsed, table.key_names)
    reject_nested_keys(where.nested_attributes, table)
    key = named_key(table, where, values, takes_first=isinstance(statement, ExistsStatement))
    match statement:
        case UpdateStatement():
            update = BoundUpdate(_changes(bound.parsed), values)
            # Outside transactions, the size limit ignores the key, but adds bytes for every change (captured from AWS).
            extra_bytes = update.update.extra_bytes if is_alone else 0
            return planned_update(table, key, update, _present(where.test, values), returns_old, extra_bytes)
        case DeleteStatement():
            return planned_delete(table, key, _absent_or(where.test, values), returns_old)
        case ExistsStatement():
            return planned_check(table, key, _present(where.test, values), returns_old)
        case SelectStatement():
            raise TypeError("a SELECT writes nothing")


def condition_error(bound: BoundStatement, write: PlannedWrite, failure: ConditionNotMet) -> RequestRefused:
    """Return the error for a statement outside a transaction whose condition failed."""
    if isinstance(bound.statement, InsertStatement):
        return RequestRefused("DuplicateItemException", DUPLICATE)
    return condition_failed_error(write, failure)


def returned(bound: BoundStatement, written: BeforeAndAfter) -> Raw | Item | None:
    """Return the item or attributes that the RETURNING clause requests, or None if there is no such clause."""
    statement = bound.statement
    returning = statement.returning if isinstance(statement, UpdateStatement | DeleteStatement) else None
    if returning is None:
        return None
    image = written.before if returning.endswith("OLD") else written.after
    if image is None:
        return None
    if returning.startswith("ALL"):
        return Raw(image.body)
    return _changes(bound.parsed).updated(image.item) or None


def _changes(parsed: ParsedStatement) -> Changes:
    assert isinstance(parsed.statement, UpdateStatement)
    changes: Changes | None = parsed.cache.get(Changes)
    if changes is None:
        changes = parsed.cache[Changes] = Changes(parsed.statement.changes)
    return changes


def _is_absent(item: Item) -> bool:
    return not item


def _present(test: Test | None, values: Mapping[str, Any]) -> ItemPredicate:
    """Return a condition that the item exists and meets the test, because UPDATE never creates an item."""
    return lambda item: bool(item) and (test is None or test(item, values))


def _absent_or(test: Test | None, values: Mapping[str, Any]) -> ItemPredicate | None:
    """Return a condition that also accepts a missing item, because its deletion succeeds (captured from AWS)."""
    return None if test is None else lambda item: not item or test(item, values)
