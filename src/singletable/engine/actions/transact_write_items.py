"""TransactWriteItems: up to a hundred writes and checks, all or none."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET

from singletable.engine.asked import Check, condition_of, update_of
from singletable.engine.cancellation import NO_REASON, cancelled, in_conflict, invalid_action
from singletable.engine.collection_metrics import collection_metrics
from singletable.engine.idempotency import fingerprint_of, remember, replay_of
from singletable.engine.item_write import (
    PlannedWrite,
    planned_check,
    planned_delete,
    planned_put,
    planned_update,
)
from singletable.engine.keys import exact_key, item_key
from singletable.engine.table import EmptyKeyValue, Item, OpenTable
from singletable.engine.transaction import consumed_by_all, consumed_by_replay, performed, replay_kept
from singletable.errors import RequestRefused, invalid
from singletable.expressions.request import BoundUpdate
from singletable.values.accept import ITEM_TOO_LARGE, accept_item
from singletable.values.item_size import item_size
from singletable.values.limits import ITEM_BYTES_MAX, TRANSACTION_BYTES_MAX
from singletable.wire.transactions import (
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


class Accepted(NamedTuple):
    """One action with its expressions read, before its table is looked at."""

    action: ConditionCheck | Put | Delete | Update
    item: Item
    size: int
    condition: Check | None
    update: BoundUpdate | None


def transact_write_items(engine: Engine, request: TransactWriteItems) -> TransactWriteItemsResult:
    """Runs every action in one transaction of the store."""
    actions = [_accepted(each) for each in request.transact_items]
    if sum(action.size for action in actions) > TRANSACTION_BYTES_MAX:
        raise invalid("Transaction request size exceeded the maximum allowed size of 4 MB")
    writes = _planned(engine, actions)
    token, detail = request.client_request_token, request.return_consumed_capacity
    fingerprint = fingerprint_of(request.transact_items) if token is not None else b""
    if engine.faults.conflict():
        raise cancelled([in_conflict(), *[NO_REASON] * (len(writes) - 1)])
    metrics: dict[str, list[dict[str, Any]]] = {}
    with engine.store.writing() as connection:
        if token is not None:
            replay = replay_of(connection, token, fingerprint, engine.now())
            if replay is not None:
                return TransactWriteItemsResult(consumed_capacity=consumed_by_replay(replay, detail))
        # What was there before is counted, and needed for nothing else.
        counts = token is not None or (detail or "NONE") != "NONE"
        done = performed(connection, writes, counts=counts)
        if token is not None:
            remember(connection, token, fingerprint, engine.now(), replay_kept(writes, done))
        if request.return_item_collection_metrics == "SIZE":
            for write in writes:
                if write.table.has_local_indexes:
                    of_table = metrics.setdefault(write.table.name, [])
                    of_table.append(collection_metrics(connection, write.table, write.item))
    return TransactWriteItemsResult(
        item_collection_metrics=metrics or UNSET, consumed_capacity=consumed_by_all(writes, done, detail)
    )


def _accepted(each: TransactWriteItem) -> Accepted:
    """Checks one action as far as that needs no table."""
    action = each.put or each.update or each.condition_check or each.delete
    others = (each.put, each.update, each.condition_check, each.delete).count(None)
    if action is None or others != 3:
        raise invalid("TransactItems can only contain one of Check, Put, Update or Delete")
    if isinstance(action, Put):
        size = accept_item(action.item)
        if size > ITEM_BYTES_MAX:
            raise invalid(ITEM_TOO_LARGE)
        return Accepted(action, action.item, size, condition_of(action), None)
    item = action.key
    size = accept_item(item)
    if isinstance(action, Update):
        update, condition = update_of(action)
        size += item_size(action.expression_attribute_values or {})
        return Accepted(action, item, size, condition, update)
    return Accepted(action, item, size, condition_of(action), None)


def _planned(engine: Engine, actions: list[Accepted]) -> list[PlannedWrite]:
    """Plans every action; one that does not fit its table cancels the transaction and is its reason."""
    tables = [engine.catalog.require(accepted.action.table_name) for accepted in actions]
    writes, reasons, places = [], [], []
    for table, accepted in zip(tables, actions, strict=True):
        try:
            write = _plan(table, accepted)
            writes.append(write)
            reasons.append(NO_REASON)
            places.append((table.name, write.key))
        except EmptyKeyValue:
            raise
        except RequestRefused as refusal:
            reasons.append(invalid_action(refusal))
            with suppress(RequestRefused):
                places.append((table.name, _key(table, accepted)))
    if len(set(places)) < len(places):
        raise invalid("Transaction request cannot include multiple operations on one item")
    if len(writes) < len(reasons):
        raise cancelled(reasons)
    return writes


def _key(table: OpenTable, accepted: Accepted) -> bytes:
    """The key of an action that does not fit its table, where the key itself does."""
    return item_key(table, accepted.item) if isinstance(accepted.action, Put) else exact_key(table, accepted.item)


def _plan(table: OpenTable, accepted: Accepted) -> PlannedWrite:
    action, condition = accepted.action, accepted.condition
    returns_old = action.return_values_on_condition_check_failure == "ALL_OLD"
    match action:
        case Put():
            return planned_put(table, action.item, accepted.size, condition, returns_old)
        case Update():
            return planned_update(table, action.key, accepted.update, condition, returns_old)
        case Delete():
            return planned_delete(table, action.key, condition, returns_old)
        case ConditionCheck():
            assert condition is not None
            return planned_check(table, action.key, condition, returns_old)
