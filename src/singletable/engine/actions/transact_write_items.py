"""TransactWriteItems: performs up to 100 writes and condition checks atomically."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET

from singletable.engine.items.consumed_capacity import collection_metrics
from singletable.engine.items.item_keys import exact_key, item_key
from singletable.engine.items.item_writes import (
    PlannedWrite,
    planned_check,
    planned_delete,
    planned_put,
    planned_update,
)
from singletable.engine.items.request_expressions import ItemPredicate, update_expressions, write_condition
from singletable.engine.items.transaction_execution import (
    NO_REASON,
    actions_fingerprint,
    cancelled_error,
    conflict_reason,
    find_replay,
    invalid_action_reason,
    perform_transaction,
    reject_large_payload,
    remember_token,
    replay_capacity,
    replay_record,
    transaction_capacity,
)
from singletable.engine.tables.stored_table import EmptyKeyValue, Item, StoredTable
from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import BoundUpdate
from singletable.values.item_size import item_size
from singletable.values.item_validation import ITEM_TOO_LARGE, accept_item
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.item_requests import (
    ConditionCheck,
    Delete,
    Put,
    TransactWriteItem,
    TransactWriteItems,
    TransactWriteItemsResult,
    Update,
)

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


class ParsedAction(NamedTuple):
    """One action with its parsed expressions, before it is checked with the definition of its table."""

    action: ConditionCheck | Put | Delete | Update
    item: Item
    size: int
    condition: ItemPredicate | None
    update: BoundUpdate | None


def transact_write_items(engine: Engine, request: TransactWriteItems) -> TransactWriteItemsResult:
    """Perform all actions in one transaction of the store."""
    actions = [_parse(each) for each in request.transact_items]
    reject_large_payload(action.size for action in actions)
    writes = _plan_all(engine, actions)
    token, detail = request.client_request_token, request.return_consumed_capacity
    fingerprint = actions_fingerprint(request.transact_items) if token is not None else b""
    metrics: dict[str, list[dict[str, Any]]] = {}
    with engine.store.writing() as connection:
        if engine.faults.conflict():
            raise cancelled_error([conflict_reason(), *[NO_REASON] * (len(writes) - 1)])
        if token is not None:
            replay = find_replay(connection, token, fingerprint, engine.token_now())
            if replay is not None:
                return TransactWriteItemsResult(consumed_capacity=replay_capacity(replay, detail))
        # The old items are needed only to compute consumed capacity.
        counts = token is not None or (detail or "NONE") != "NONE"
        done = perform_transaction(connection, writes, counts=counts)
        if token is not None:
            remember_token(connection, token, fingerprint, engine.token_now(), replay_record(writes, done))
        if request.return_item_collection_metrics == "SIZE":
            for write in writes:
                if write.table.has_local_indexes:
                    of_table = metrics.setdefault(write.table.name, [])
                    of_table.append(collection_metrics(connection, write.table, write.item))
    return TransactWriteItemsResult(
        item_collection_metrics=metrics or UNSET, consumed_capacity=transaction_capacity(writes, done, detail)
    )


def _parse(each: TransactWriteItem) -> ParsedAction:
    """Parse one action, and run the checks that do not need its table."""
    action = each.put or each.update or each.condition_check or each.delete
    others = (each.put, each.update, each.condition_check, each.delete).count(None)
    if action is None or others != 3:
        raise invalid("TransactItems can only contain one of Check, Put, Update or Delete")
    if isinstance(action, Put):
        size = accept_item(action.item)
        if size > ITEM_BYTES_MAX:
            raise invalid(ITEM_TOO_LARGE)
        return ParsedAction(action, action.item, size, write_condition(action), None)
    item = action.key
    size = accept_item(item)
    if isinstance(action, Update):
        update, condition = update_expressions(action)
        size += item_size(action.expression_attribute_values or {})
        return ParsedAction(action, item, size, condition, update)
    return ParsedAction(action, item, size, write_condition(action), None)


def _plan_all(engine: Engine, actions: list[ParsedAction]) -> list[PlannedWrite]:
    """Plan every action. The first action that is invalid for its table cancels the transaction with a reason.

    DynamoDB gives no reason for later actions, even if they are invalid too (tests of Alternator, run on DynamoDB).
    """
    tables = [engine.catalog.require(parsed.action.table_name) for parsed in actions]
    writes, reasons, keys = [], [], []
    for table, parsed in zip(tables, actions, strict=True):
        try:
            write = _plan(table, parsed)
            writes.append(write)
            reasons.append(NO_REASON)
            keys.append((table.name, write.key))
        except EmptyKeyValue:
            raise
        except RequestRefused as error:
            reasons.append(invalid_action_reason(error) if len(writes) == len(reasons) else NO_REASON)
            with suppress(RequestRefused):
                keys.append((table.name, _key(table, parsed)))
    if len(set(keys)) < len(keys):
        raise invalid("Transaction request cannot include multiple operations on one item")
    if len(writes) < len(reasons):
        raise cancelled_error(reasons)
    return writes


def _key(table: StoredTable, parsed: ParsedAction) -> bytes:
    """Return the key of an invalid action, to detect duplicate keys. Raise an error if the key itself is invalid."""
    return item_key(table, parsed.item) if isinstance(parsed.action, Put) else exact_key(table, parsed.item)


def _plan(table: StoredTable, parsed: ParsedAction) -> PlannedWrite:
    action, condition = parsed.action, parsed.condition
    returns_old = action.return_values_on_condition_check_failure == "ALL_OLD"
    match action:
        case Put():
            return planned_put(table, action.item, parsed.size, condition, returns_old)
        case Update():
            return planned_update(table, action.key, parsed.update, condition, returns_old)
        case Delete():
            return planned_delete(table, action.key, condition, returns_old)
        case ConditionCheck():
            assert condition is not None
            return planned_check(table, action.key, condition, returns_old)
