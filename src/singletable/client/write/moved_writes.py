"""Writes while a migration moves items: transactions that check that an item does not exist under its other key.

If it does, the client moves the item first, as the runner of the migration does, and repeats the write.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from singletable.client.items.moved_keys import BothKeys, MovedKeys, check_size, with_key, with_reasons
from singletable.client.request_steps import Call, Steps, concurrently, pause
from singletable.client.responses import Item, read_get, read_transaction
from singletable.client.retries import RETRYABLE
from singletable.client.write.derived_actions import OWNER
from singletable.client.write.item_actions import ItemAction
from singletable.client.write.item_moves import ATTRIBUTES_MAX, marker_keys, move_actions
from singletable.client.write.prepare_actions import Preparer
from singletable.client.write.request_sender import CANCELLED, CONDITION_FAILED
from singletable.client.write.stored_expressions import missing
from singletable.errors import ArgumentRefused, ConditionFailed, RequestRefused, SingletableError
from singletable.evolve.phases import FormUse, ItemForm
from singletable.expressions.bound_expressions import Expressions

ATTEMPTS_MAX = 20
ATTEMPT_SECONDS = 0.05
MOVE = "move"
"""The source of the requests that move an item, in metrics and logs."""
_SINGLE = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}
_OPTIONS = frozenset(("ReturnValues", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics"))
_encode, _decode = msgspec.json.encode, msgspec.json.decode
Entry = dict[str, dict[str, Any]]
"""One action of a transaction: `{"Put": {...}}`."""


class MovedWrites:
    """Translates the writes of one table."""

    def __init__(self, preparer: Preparer, keys: MovedKeys) -> None:
        self._preparer, self._table, self._keys = preparer, preparer.table, keys

    def translation(self, call: Call, form: ItemForm) -> Steps[bytes] | None:
        """Return the steps that replace a write, or None if it concerns no moved item."""
        match call.operation:
            case "PutItem" | "UpdateItem" | "DeleteItem":
                entries = [{_SINGLE[call.operation]: _without_raw(call.parameters)}]
            case "TransactWriteItems":
                entries = [_without_raw_entry(each) for each in call.parameters["TransactItems"]]
            case "BatchWriteItem":
                return self._write_batch(call, form) if self._concerns(_batch_entries(call, self._table)) else None
            case _:
                return None
        return self._write_one(call, entries, form) if self._concerns(entries) else None

    def _concerns(self, entries: Sequence[Entry]) -> bool:
        return any(self._both_keys(each) is not None for each in entries)

    def _both_keys(self, entry: Entry) -> BothKeys | None:
        """Return both keys of the item of an action; None if the item does not move or is in a control table."""
        ((_, parameters),) = entry.items()
        return None if parameters["TableName"] != self._table else self._keys.keys_of(self._key(entry))

    def _key(self, entry: Entry) -> Item:
        ((kind, parameters),) = entry.items()
        subject = parameters["Item"] if kind == "Put" else parameters["Key"]
        return {name: subject[name] for name in self._keys.names}

    def _write_one(self, call: Call, entries: Sequence[Entry], form: ItemForm) -> Steps[bytes]:
        """Send a write as a transaction, with a check that no item exists under its other key."""
        moves, units = form.writes is FormUse.WRITES_MOVING, 0.0
        for number in range(ATTEMPTS_MAX):
            if number > 1:
                yield from pause(ATTEMPT_SECONDS * number)
            before = yield from self._item_before(call, moves)
            sent = [each if moves else self._with_old_key(each) for each in entries]
            if _returns_item(call):
                sent = [_unchanged(sent[0], before, self._keys.names[0])]
            checked = list(self._other_keys(entries, moves))
            checks = [ItemAction("ConditionCheck", key, 0, guards=(missing(self._keys.names[0]),)) for key in checked]
            transaction = [*sent, *(each.entry(self._table) for each in checks)]
            check_size(transaction)
            try:
                (body,) = yield (self._transaction(transaction, call.source),)
            except RequestRefused as problem:
                reasons: Sequence[Mapping[str, Any]] = problem.fields.get("CancellationReasons") or ()
                if problem.code != CANCELLED or len(reasons) != len(transaction):
                    raise
                occupied = [
                    key
                    for key, reason in zip(checked, reasons[len(sent) :], strict=True)
                    if reason.get("Code") == "ConditionalCheckFailed"
                ]
                if occupied and not moves:
                    moves = True  # an item has moved, so the phase `backfill` has begun, and no client writes old keys
                elif occupied:
                    for key in occupied:
                        yield from self._move(key)
                elif not (yield from self._has_changed(call, before, reasons, moves)):
                    raise self._rejection(call, problem, entries, reasons, moves) from None
            else:
                units += sum(each.capacity_units for each in read_transaction(body).consumed_capacity)
                return self._answer(call, body, units, before)
        raise ConditionFailed(
            f"table {self._table!r}: other writers changed the items in each of {ATTEMPTS_MAX} attempts while a "
            "migration moves them; try the write again later"
        )

    def _other_keys(self, entries: Sequence[Entry], moves: bool) -> Iterator[Item]:
        """Yield the keys under which the items of a write must not exist."""
        for entry in entries:
            keys = self._both_keys(entry)
            if keys is not None:
                yield keys.old if moves else keys.new

    def _with_old_key(self, entry: Entry) -> Entry:
        """Return an action of a transaction on the old key of its item. Unique markers contain old keys too."""
        ((kind, parameters),) = entry.items()
        keys = self._both_keys(entry)
        if keys is not None:
            subject = {"Item": {**parameters["Item"], **keys.old}} if kind == "Put" else {"Key": keys.old}
            return {kind: {**parameters, **subject}}
        if parameters["TableName"] != self._table or not self._keys.is_marker(self._key(entry)):
            return entry
        changed = dict[str, Any]()
        if kind == "Put":
            changed["Item"] = {**parameters["Item"], OWNER: self._keys.owner(parameters["Item"][OWNER], is_old=True)}
        if "ExpressionAttributeValues" in parameters:
            values = parameters["ExpressionAttributeValues"]
            changed["ExpressionAttributeValues"] = {
                n: self._keys.owner(each, is_old=True) for n, each in values.items()
            }
        return {kind: {**parameters, **changed}}

    def _transaction(self, entries: Sequence[Entry], source: str | None) -> Call:
        request = {
            "TransactItems": entries,
            "ClientRequestToken": uuid.uuid4().hex,
            "ReturnConsumedCapacity": "TOTAL",
        }
        return Call("TransactWriteItems", request, source=source)

    def _item_before(self, call: Call, moves: bool) -> Steps[Item | None]:
        """Return the item before a write that must return it or its new values: a transaction returns no item."""
        if not _returns_item(call):
            return None
        return (yield from self._read(self._target(call.parameters["Key"], moves), call.source))

    def _target(self, key: Item, moves: bool) -> Item:
        keys = self._keys.keys_of(key)
        return key if keys is None else keys.new if moves else keys.old

    def _read(self, key: Item, source: str | None) -> Steps[Item | None]:
        (body,) = yield (
            Call("GetItem", {"TableName": self._table, "Key": key, "ConsistentRead": True}, source=source),
        )
        return read_get(body).item

    def _has_changed(
        self, call: Call, before: Item | None, reasons: Sequence[Mapping[str, Any]], moves: bool
    ) -> Steps[bool]:
        """Return whether a write failed because the item has changed since it was read."""
        if not _returns_item(call) or reasons[0].get("Code") != "ConditionalCheckFailed":
            return False
        return (yield from self._item_before(call, moves)) != before

    def _answer(self, call: Call, body: bytes, units: float, before: Item | None) -> bytes:
        """Return the response to the requested operation after its transaction."""
        if call.operation == "TransactWriteItems":
            return body
        document: dict[str, Any] = {"ConsumedCapacity": {"CapacityUnits": units}}
        returned, key = call.parameters.get("ReturnValues"), call.parameters.get("Key") or {}
        if returned == "ALL_OLD" and before is not None:
            document["Attributes"] = with_key(before, key)
        if returned == "ALL_NEW":  # the transaction has checked that nobody changed the item before the update
            names, values = (call.parameters.get(f"ExpressionAttribute{each}") for each in ("Names", "Values"))
            update = Expressions(names, values).update(call.parameters["UpdateExpression"])
            document["Attributes"] = update.apply({**(before or {}), **key})
        return _encode(document)

    def _rejection(
        self,
        call: Call,
        problem: RequestRefused,
        entries: Sequence[Entry],
        reasons: Sequence[Mapping[str, Any]],
        moves: bool,
    ) -> RequestRefused:
        """Return the error of the requested operation for the error of its transaction."""
        shown = []
        for entry, reason in zip(entries, reasons, strict=False):
            item = reason.get("Item")
            shown.append(reason if item is None else {**reason, "Item": self._as_requested(entry, item, moves)})
        first = shown[0]
        if call.operation == "TransactWriteItems" or first.get("Code") != "ConditionalCheckFailed":
            return with_reasons(problem, shown)
        item = {} if first.get("Item") is None else {"Item": first["Item"]}
        return RequestRefused(CONDITION_FAILED, str(first.get("Message") or "The conditional request failed"), **item)

    def _as_requested(self, entry: Entry, item: Item, moves: bool) -> Item:
        ((_, parameters),) = entry.items()
        if parameters["TableName"] != self._table:
            return item
        key = self._key(entry)
        if self._keys.keys_of(key) is not None:
            return with_key(item, key)
        if not moves and OWNER in item and self._keys.is_marker(key):
            return {**item, OWNER: self._keys.owner(item[OWNER], is_old=False)}
        return item

    def _write_batch(self, call: Call, form: ItemForm) -> Steps[bytes]:
        """Write the moved items of a batch in a transaction each, and the others as a batch."""
        requests = call.parameters["RequestItems"][self._table]
        entries = _batch_entries(call, self._table)
        is_moved = [self._concerns([entry]) for entry in entries]
        plain = [each for each, moved in zip(requests, is_moved, strict=True) if not moved]
        given = [(each, entry) for each, entry, moved in zip(requests, entries, is_moved, strict=True) if moved]
        singles = (
            Call(f"{next(iter(entry))}Item", next(iter(entry.values())), source=call.source) for _, entry in given
        )
        steps = [self._write_one(one, [entry], form) for one, (_, entry) in zip(singles, given, strict=True)]
        if plain:
            parameters = {**call.parameters, "RequestItems": {self._table: plain}}
            steps.append(send_one(call._replace(parameters=parameters)))
        results = yield from concurrently(steps)
        unprocessed: list[Any] = []
        units = 0.0
        for number, result in enumerate(results):
            if isinstance(result, RequestRefused) and (result.code in RETRYABLE or result.code == CANCELLED):
                unprocessed += [given[number][0]] if number < len(given) else plain
            elif isinstance(result, SingletableError):
                raise result
            else:
                document = _decode(result)
                capacities = document.get("ConsumedCapacity") or []
                each_of = capacities if isinstance(capacities, list) else [capacities]
                units += sum(each.get("CapacityUnits", 0.0) for each in each_of)
                unprocessed += document.get("UnprocessedItems", {}).get(self._table, ())
        left = {self._table: unprocessed} if unprocessed else {}
        return _encode({"UnprocessedItems": left, "ConsumedCapacity": [{"CapacityUnits": units}]})

    def _move(self, key: Item) -> Steps[None]:
        """Move the item with an old key to its new key. Do nothing if another client has moved or changed it."""
        item = yield from self._read(key, MOVE)
        moved = next((each for each in self._keys.moved if each.keys_of(key) is not None), None)
        if item is None or moved is None:
            return
        if len(item) > ATTRIBUTES_MAX:
            raise ArgumentRefused(f"the item {key} has more than {ATTRIBUTES_MAX} attributes, so it cannot move")
        found = moved.keys_of(key)
        assert found is not None, "the key is one of a moved item"
        markers: list[Item] = []
        if moved.new.uniques:
            values = self._preparer.read_fields(moved.new, item)
            for each in marker_keys(self._preparer, moved.new, values):
                marker = yield from self._read(each, MOVE)
                markers += [] if marker is None else [marker]
        actions = move_actions(item, *found, markers)
        try:
            yield (self._transaction([each.entry(self._table) for each in actions], MOVE),)
        except RequestRefused as problem:
            if problem.code != CANCELLED:
                raise


def _without_raw(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a write for an action of a transaction. An item in the form of JSON bytes is decoded."""
    kept = {name: value for name, value in parameters.items() if name not in _OPTIONS}
    if isinstance(kept.get("Item"), msgspec.Raw):
        kept["Item"] = _decode(kept["Item"])
    return kept


def _without_raw_entry(entry: Mapping[str, Mapping[str, Any]]) -> Entry:
    ((kind, parameters),) = entry.items()
    return {kind: _without_raw(parameters)}


def _batch_entries(call: Call, table: str) -> list[Entry]:
    """Return the puts and deletes of a batch as actions of a transaction."""
    entries: list[Entry] = []
    for request in call.parameters["RequestItems"][table]:
        document = _decode(_encode(request))  # the items can be encoded already
        if "PutRequest" in document:
            entries.append({"Put": {"TableName": table, "Item": document["PutRequest"]["Item"]}})
        else:
            entries.append({"Delete": {"TableName": table, "Key": document["DeleteRequest"]["Key"]}})
    return entries


def _returns_item(call: Call) -> bool:
    """Return whether the response to a write contains the deleted or the updated item."""
    return call.operation == "DeleteItem" or call.parameters.get("ReturnValues") == "ALL_NEW"


def _unchanged(entry: Entry, before: Item | None, partition: str) -> Entry:
    """Return a delete or an update that also requires that the item has not changed since it was read."""
    ((kind, parameters),) = entry.items()
    if before is None:
        guard, names, values = "attribute_not_exists(#moved)", {"#moved": partition}, dict[str, Any]()
    else:
        others = [name for name in before if name not in parameters["Key"]][:ATTRIBUTES_MAX]
        guard = " AND ".join(["attribute_exists(#moved)", *(f"#moved{n} = :moved{n}" for n in range(len(others)))])
        names = {"#moved": partition, **{f"#moved{n}": name for n, name in enumerate(others)}}
        values = {f":moved{n}": before[name] for n, name in enumerate(others)}
    condition = parameters.get("ConditionExpression")
    made = {**parameters, "ConditionExpression": guard if condition is None else f"({condition}) AND {guard}"}
    made["ExpressionAttributeNames"] = {**parameters.get("ExpressionAttributeNames", {}), **names}
    values = {**parameters.get("ExpressionAttributeValues", {}), **values}
    return {kind: {**made, **({"ExpressionAttributeValues": values} if values else {})}}


def send_one(call: Call) -> Steps[bytes]:
    """Send one request and return the body of its response."""
    (body,) = yield (call,)
    return body
