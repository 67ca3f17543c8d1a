"""Actions by the names under which clients ask for them, with the shapes of their requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from singletable.engine.actions.batch_execute_statement import batch_execute_statement
from singletable.engine.actions.batch_get_item import batch_get_item
from singletable.engine.actions.batch_write_item import batch_write_item
from singletable.engine.actions.create_table import create_table
from singletable.engine.actions.delete_item import delete_item
from singletable.engine.actions.delete_table import delete_table
from singletable.engine.actions.describe_table import describe_table
from singletable.engine.actions.execute_statement import execute_statement
from singletable.engine.actions.execute_transaction import execute_transaction
from singletable.engine.actions.get_item import get_item
from singletable.engine.actions.list_tables import list_tables
from singletable.engine.actions.put_item import put_item
from singletable.engine.actions.query import query
from singletable.engine.actions.scan import scan
from singletable.engine.actions.transact_get_items import transact_get_items
from singletable.engine.actions.transact_write_items import transact_write_items
from singletable.engine.actions.update_item import update_item
from singletable.engine.actions.update_table import update_table
from singletable.wire import batches, items, pages, statements, tables, transactions
from singletable.wire.shape import Result, Shape

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


class Action(NamedTuple):
    """One action: the shape of its requests, what it does, and whether it writes."""

    shape: type[Shape]
    decode: Callable[[bytes], Any]
    run: Callable[[Engine, Any], Result]
    writes: bool


def _action(shape: type[Shape], run: Callable[[Engine, Any], Result], *, writes: bool = False) -> Action:
    return Action(shape, msgspec.json.Decoder(shape).decode, run, writes)


ACTIONS = {
    f"DynamoDB_20120810.{action.shape.__name__}": action
    for action in (
        _action(tables.CreateTable, create_table, writes=True),
        _action(tables.DescribeTable, describe_table),
        _action(tables.UpdateTable, update_table, writes=True),
        _action(tables.DeleteTable, delete_table, writes=True),
        _action(tables.ListTables, list_tables),
        _action(items.PutItem, put_item, writes=True),
        _action(items.GetItem, get_item),
        _action(items.UpdateItem, update_item, writes=True),
        _action(items.DeleteItem, delete_item, writes=True),
        _action(pages.Query, query),
        _action(pages.Scan, scan),
        _action(batches.BatchGetItem, batch_get_item),
        _action(batches.BatchWriteItem, batch_write_item, writes=True),
        _action(transactions.TransactGetItems, transact_get_items),
        _action(transactions.TransactWriteItems, transact_write_items, writes=True),
        _action(statements.ExecuteStatement, execute_statement, writes=True),
        _action(statements.BatchExecuteStatement, batch_execute_statement, writes=True),
        _action(statements.ExecuteTransaction, execute_transaction, writes=True),
    )
}
