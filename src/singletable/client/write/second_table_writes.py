"""Writes of new code while a second table replaces a table: each transaction writes an item and its copy.

The transaction requires that the item is as it was read. So the copy is always that of the stored item, and a copy
never outlives its item.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from singletable.client.items.moved_keys import check_size
from singletable.client.items.table_copies import TableCopies
from singletable.client.request_steps import (
    Call,
    CallForChunks,
    IndependentCalls,
    Pause,
    Step,
    Steps,
    concurrently,
    pause,
    with_responses,
)
from singletable.client.responses import Item, read_get, read_transaction
from singletable.client.retries import RETRYABLE, is_retryable_cancellation
from singletable.client.write.item_actions import ItemAction
from singletable.client.write.item_moves import ATTRIBUTES_MAX
from singletable.client.write.requested_writes import CANCELLED, ITEM_WRITES, RequestedWrites, read_request
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.errors import ArgumentRefused, ConditionFailed, RequestRefused, SingletableError
from singletable.expressions.tree import Condition
from singletable.model.reserved_place import CONTROL_KEY

R = TypeVar("R")
ATTEMPTS_MAX, ATTEMPT_SECONDS = 20, 0.05
_encode, _decode = msgspec.json.encode, msgspec.json.decode
Entry = Mapping[str, Mapping[str, Any]]


class SecondTableWrites:
    """Translates the writes of one table into writes of this table and of its copy."""

    def __init__(self, table: str, copy: str, copies: TableCopies) -> None:
        self._table, self._copy, self._copies = table, copy, copies
        self._partition, *_ = copies.key_names

    def translated(self, steps: Steps[R]) -> Steps[R]:
        """Run steps, and also write the copies of the items that they write."""
        return with_responses(steps, self._responses)

    def _responses(self, step: Step) -> Steps[Any]:
        if isinstance(step, Pause | CallForChunks):
            return (yield step)
        calls: Sequence[Call] = step.calls if isinstance(step, IndependentCalls) else step
        if all(call.operation not in ITEM_WRITES for call in calls):
            return (yield step)
        steps = [self._write(call) if call.operation in ITEM_WRITES else _sent(call) for call in calls]
        if len(steps) == 1 and not isinstance(step, IndependentCalls):
            return [(yield from steps[0])]
        results = yield from concurrently(steps)
        if isinstance(step, IndependentCalls):
            if step.meanwhile is not None:
                step.meanwhile()
            return results
        failed = next((each for each in results if isinstance(each, SingletableError)), None)
        if failed is not None:
            raise failed
        return results

    def _write(self, call: Call) -> Steps[bytes]:
        parameters = _decode(_encode(call.parameters))  # the items can be encoded already
        if call.operation == "BatchWriteItem":
            return (yield from self._write_batch(call, parameters))
        request = read_request(call.operation, parameters, {self._table: self._copies.key_names})
        return _encode((yield from self._commit(request, call.source)))

    def _write_batch(self, call: Call, parameters: Mapping[str, Any]) -> Steps[bytes]:
        """Write each item of a batch in a transaction of its own."""
        requests = parameters["RequestItems"][self._table]
        singles = []
        for each in requests:
            ((kind, given),) = each.items()
            made = {"TableName": self._table, **given, "ReturnConsumedCapacity": "TOTAL"}
            singles.append(Call("PutItem" if kind == "PutRequest" else "DeleteItem", made, source=call.source))
        results = yield from concurrently([self._write(each) for each in singles])
        unprocessed: list[Any] = []
        units = 0.0
        for given, result in zip(requests, results, strict=True):
            if isinstance(result, RequestRefused) and (result.code in RETRYABLE or result.code == CANCELLED):
                unprocessed.append(given)
            elif isinstance(result, SingletableError):
                raise result
            else:
                units += _decode(result)["ConsumedCapacity"]["CapacityUnits"]
        left = {self._table: unprocessed} if unprocessed else {}
        capacity = [{"TableName": self._table, "CapacityUnits": units}]
        return _encode({"UnprocessedItems": left, "ConsumedCapacity": capacity})

    def _commit(self, request: RequestedWrites, source: str | None) -> Steps[dict[str, Any]]:
        units = 0.0
        for attempt in range(ATTEMPTS_MAX):
            if attempt > 1:  # the first retry is immediate
                yield from pause(ATTEMPT_SECONDS * attempt)
            befores = yield from self._read([each.key for each in request.writes], source)
            if not all(each.holds(before) for each, before in zip(request.writes, befores, strict=True)):
                others = yield from self._reasons_of_others(request, source)
                raise request.rejection(befores, others)
            afters = [each.after(before) for each, before in zip(request.writes, befores, strict=True)]
            entries: list[Entry] = []
            for write, before in zip(request.writes, befores, strict=True):
                entries.append(write.action(before, self._guards(before, write.read)).entry(self._table))
            entries += request.others
            for write, before, after in zip(request.writes, befores, afters, strict=True):
                entries += [] if write.kind == "ConditionCheck" else self._copied(write.key, before, after)
            check_size(entries)
            try:
                (body,) = yield (_transaction(entries, source),)
            except RequestRefused as problem:
                self._raise_unless_changed(request, befores, problem)
            else:
                units += sum(each.capacity_units for each in read_transaction(body).consumed_capacity)
                return request.response(befores, afters, {self._table: units})
        raise ConditionFailed(
            f"table {self._table!r}: other writers changed the items in each of {ATTEMPTS_MAX} attempts; try the write "
            "again later"
        )

    def _raise_unless_changed(
        self, request: RequestedWrites, befores: Sequence[Item | None], problem: RequestRefused
    ) -> None:
        """Raise the error of a transaction, unless another writer has changed an item, or may have done so."""
        if problem.code != CANCELLED:
            raise problem
        reasons = problem.fields.get("CancellationReasons") or ()
        own, others = reasons[: len(request.writes)], reasons[len(request.writes) :][: len(request.others)]
        if any(each.get("Code") == "ConditionalCheckFailed" for each in own):
            return
        if any(each.get("Code") == "ConditionalCheckFailed" for each in others):
            raise request.rejection(befores, others)
        if not is_retryable_cancellation(problem):
            raise problem

    def _reasons_of_others(self, request: RequestedWrites, source: str | None) -> Steps[Sequence[Mapping[str, Any]]]:
        """Return the cancellation reasons of the entries for other tables, such as a token.

        A transaction that only checks the conditions of these entries finds the reasons.
        """
        if not request.others:
            return ()
        entries = [{"ConditionCheck": _check_of(each)} for each in request.others]
        try:
            yield (_transaction(entries, source),)
        except RequestRefused as problem:
            if problem.code != CANCELLED:
                raise
            found: Sequence[Mapping[str, Any]] = problem.fields.get("CancellationReasons") or ()
            return found
        return ()

    def _guards(self, before: Item | None, read: frozenset[str]) -> list[Condition]:
        """Return the conditions that an item is as it was read, and has no attribute that it did not have."""
        if before is None:
            return [missing(self._partition)]
        names = self._copies.names(before) | (read - {*self._copies.key_names})
        if len(names) > ATTRIBUTES_MAX:
            raise ArgumentRefused(
                f"an item of table {self._table!r} has more than {ATTRIBUTES_MAX} attributes, so a transaction cannot "
                "compare them; it cannot be written while a second table replaces this one"
            )
        return [exists(self._partition), *(attribute_equals(name, before.get(name)) for name in sorted(names))]

    def _copied(self, key: Item, before: Item | None, after: Item | None) -> list[Entry]:
        """Return the write of the copy of an item."""
        if after is not None:
            copied = self._copies.item(after)
            target = {name: copied[name] for name in self._copies.target_key_names}
            return [ItemAction("Put", target, 0, copied).entry(self._copy)]
        found = self._copies.key(key)
        return [] if found is None else [ItemAction("Delete", found, 0).entry(self._copy)]

    def _read(self, keys: Sequence[Item], source: str | None) -> Steps[list[Item | None]]:
        calls = [
            Call("GetItem", {"TableName": self._table, "Key": key, "ConsistentRead": True}, source=source)
            for key in keys
        ]
        return [read_get(body).item for body in (yield calls)]


def _check_of(entry: Entry) -> dict[str, Any]:
    """Return the condition of an entry as a check without a write."""
    ((kind, given),) = entry.items()
    kept = {name: value for name, value in given.items() if name not in ("Item", "UpdateExpression")}
    if kind == "Put":  # the entry of a token in a control table
        kept["Key"] = {name: value for name, value in given["Item"].items() if name == CONTROL_KEY}
    return kept


def _transaction(entries: Sequence[Entry], source: str | None) -> Call:
    token = uuid.uuid4().hex
    request = {"TransactItems": entries, "ClientRequestToken": token, "ReturnConsumedCapacity": "TOTAL"}
    return Call("TransactWriteItems", request, source=source)


def _sent(call: Call) -> Steps[bytes]:
    (body,) = yield (call,)
    return body
