"""Reads by key: get one or many items, by GetItem, by BatchGetItem with retries, or in one transaction."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singletable.client.items.decoder import key_identity
from singletable.client.key import Key
from singletable.client.reading.table_reader import ReadOptions
from singletable.client.request_steps import Call, Steps, pause
from singletable.client.responses import Capacity, Item, read_batch_get, read_get, read_transaction_get
from singletable.errors import ArgumentRefused, CancellationReason, RequestRefused, Throttled, TransactionCancelled
from singletable.model.entity import Entity
from singletable.planner.stored_items import key_of
from singletable.values.limits import BATCH_GET_KEYS_MAX, TRANSACTION_ACTIONS_MAX

if TYPE_CHECKING:
    from singletable.client.connected_table import ConnectedTable
    from singletable.client.reading.table_reader import TableReader

Found = dict[Hashable, Item]
"""Items by `key_identity`."""


def batch_get(
    reader: TableReader, keys: Iterable[Item], source: str, settings: Mapping[str, Any] | None = None
) -> Steps[Found]:
    """Return the items with these distinct keys. `settings` are further parameters of BatchGetItem for the table.

    The function retries unprocessed keys. The retry settings limit only the attempts in which DynamoDB processes no
    keys.
    """
    names = reader.design.table.key_attributes
    waiting, found, fruitless = list(keys), Found(), 0
    while waiting:
        bodies = yield [_batch(reader, chunk, settings or {}, source) for chunk in _chunks(waiting)]
        requested, waiting = len(waiting), []
        for body in bodies:
            response = read_batch_get(body)
            _count(reader, source, response.consumed_capacity)
            found |= {key_identity(item, names): item for item in response.responses.get(reader.name, ())}
            waiting += response.unprocessed_keys.get(reader.name, {}).get("Keys", ())
        if waiting:
            fruitless = 0 if len(waiting) < requested else fruitless + 1
            if fruitless >= reader.retries.attempts:
                raise Throttled(
                    "ProvisionedThroughputExceededException",
                    f"throughput exceeded: {len(waiting)} keys of a batch were still unprocessed after all retries",
                )
            yield from pause(reader.retries.pause(fruitless + 1))
    return found


def transaction_get(reader: TableReader, keys: Sequence[Item], source: str, targets: Sequence[Any]) -> Steps[Found]:
    """Return the items with these distinct keys, read in one transaction.

    Error messages show `targets` in place of the keys.
    """
    if len(keys) > TRANSACTION_ACTIONS_MAX:
        raise ArgumentRefused(
            f"{source}: a transaction reads at most {TRANSACTION_ACTIONS_MAX} keys, got {len(keys)}; pass fewer keys, "
            "or remove transaction=True, because other reads have no such limit"
        )
    if not keys:
        return {}
    gets = [{"Get": {"TableName": reader.name, "Key": key}} for key in keys]
    call = Call("TransactGetItems", {"TransactItems": gets, "ReturnConsumedCapacity": "TOTAL"}, source=source)
    try:
        (body,) = yield (call,)
    except RequestRefused as error:
        raise _cancelled(error, source, targets) from None
    response = read_transaction_get(body)
    _count(reader, source, response.consumed_capacity)
    names = reader.design.table.key_attributes
    return {key_identity(each.item, names): each.item for each in response.responses if each.item}


def _chunks(keys: Sequence[Item]) -> Iterable[Sequence[Item]]:
    return (keys[start : start + BATCH_GET_KEYS_MAX] for start in range(0, len(keys), BATCH_GET_KEYS_MAX))


def _batch(reader: TableReader, keys: Sequence[Item], settings: Mapping[str, Any], source: str) -> Call:
    request = {reader.name: {"Keys": keys, **settings}}
    return Call("BatchGetItem", {"RequestItems": request, "ReturnConsumedCapacity": "TOTAL"}, source=source)


def _count(reader: TableReader, source: str, consumed: Sequence[Capacity]) -> None:
    """Count one request, and its consumed capacity if the response contains it."""
    reader.metrics.read(source, sum(capacity.capacity_units for capacity in consumed))


def _cancelled(error: RequestRefused, source: str, targets: Sequence[Any]) -> RequestRefused | TransactionCancelled:
    if error.code != "TransactionCanceledException":
        return error
    given: Sequence[Mapping[str, Any]] = error.fields.get("CancellationReasons") or ()
    reasons = tuple(
        CancellationReason(reason.get("Code") or "None", reason.get("Message") or "", target)
        for reason, target in zip(given, targets, strict=False)
    )
    shown = "; ".join(f"{each.code} at {each.target}" for each in reasons if each.code != "None")
    return TransactionCancelled(f"{source} was cancelled: {shown or error.message}", reasons)


_ALIVE = ReadOptions()


def get(opened: ConnectedTable, key: Key[Any], *, consistent: bool, expired: bool) -> Steps[Any]:
    """Return the object with this key, or None."""
    entity = opened.entities.of_key(key)
    parameters: dict[str, Any] = {
        "TableName": opened.reader.name,
        "Key": key_of(entity, key.values),
        "ReturnConsumedCapacity": "TOTAL",
    }
    if consistent:
        parameters["ConsistentRead"] = True
    (body,) = yield (Call("GetItem", parameters, source="get"),)
    response = read_get(body)
    if response.consumed_capacity is not None:
        opened.reader.metrics.read("get", response.consumed_capacity.capacity_units)
    if response.item is None or not opened.reader.is_alive(response.item, ReadOptions(expired=expired)):
        return None
    if not opened.reader.is_of(response.item, entity, "get"):
        return None
    return _if_same_time(entity, key.values, opened.reader.item_types.decoder(entity).read(response.item))


def _if_same_time(entity: Entity, values: Mapping[str, Any], found: Any) -> Any:
    """Return an object, or None if its exact time differs from the requested one.

    The key contains only the unit of the time.
    """
    truncated = entity.base.truncated_fields
    if not truncated or found is None:
        return found
    return found if all(getattr(found, name) == values[name] for name in truncated) else None


def get_many(
    opened: ConnectedTable, keys: Iterable[Key[Any]], *, consistent: bool, transaction: bool
) -> Steps[list[Any]]:
    """Return the objects in the order of the keys, with None for missing and expired items."""
    reader = opened.reader
    names = reader.design.table.key_attributes
    if isinstance(keys, Key):
        raise ArgumentRefused("get_many takes a list of keys, got one key; use get(key) for a single key")
    requested: list[tuple[Entity, Hashable, Mapping[str, Any]]] = []
    by_identity: dict[Hashable, tuple[Item, Key[Any]]] = {}
    for each in keys:
        entity = opened.entities.of_key(each)
        key = key_of(entity, each.values)
        identity = key_identity(key, names)
        requested.append((entity, identity, each.values))
        by_identity.setdefault(identity, (key, each))
    distinct = [key for key, _ in by_identity.values()]
    if transaction:
        found = yield from transaction_get(reader, distinct, "get_many", [target for _, target in by_identity.values()])
    else:
        found = yield from batch_get(reader, distinct, "get_many", {"ConsistentRead": True} if consistent else {})
    alive = {identity: item for identity, item in found.items() if reader.is_alive(item, _ALIVE)}

    def read(entity: Entity, identity: Hashable, values: Mapping[str, Any]) -> Any:
        item = alive.get(identity)
        if item is None or not reader.is_of(item, entity, "get_many"):
            return None
        return _if_same_time(entity, values, reader.read(item, entity, "get_many"))

    return [read(entity, identity, values) for entity, identity, values in requested]
