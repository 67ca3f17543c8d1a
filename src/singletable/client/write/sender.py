"""Sends the requests of writes, reads stored items, and finds the actions whose conditions failed."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from singletable.client.answers import NO_ATTRIBUTES, Item, read_get, read_transaction, read_write
from singletable.client.reading.reader import Reader
from singletable.client.steps import Call, Steps, pause
from singletable.client.write.actions import Action, key_id
from singletable.client.write.direct import DirectRequest
from singletable.client.write.failures import cancelled, token_reused
from singletable.errors import OutcomeUnknown, RequestRefused, Unreachable

CONDITION_FAILED = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
TOKEN_REUSED = "IdempotentParameterMismatchException"  # noqa: S105  # the name of an error


@dataclass
class Sender:
    """Sends the requests of one table's writes."""

    reader: Reader
    returns_items: bool
    """Whether the server returns the item for which a condition failed, as DynamoDB does and not all others do."""

    def send_request(self, direct: DirectRequest, source: str) -> Steps[msgspec.Raw | None]:
        """Sends one request; returns the attributes in its answer."""
        call = Call(direct.operation, direct.parameters, direct.is_repeatable)
        if direct.operation == "DeleteItem":
            (body,) = yield from self._send_delete(call)
        else:
            (body,) = yield (call,)
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            self.reader.metrics.write(source, answer.consumed_capacity.capacity_units)
        return None if answer.attributes is NO_ATTRIBUTES else answer.attributes

    def _send_delete(self, call: Call) -> Steps[Sequence[bytes]]:
        """A DeleteItem that is sent again if its answer was lost and it has not happened.

        A delete that has happened cannot be asked for what it deleted, and must not report that nothing was there.
        """
        for attempt in range(1, self.reader.retries.attempts + 1):
            try:
                return (yield (call,))
            except Unreachable as problem:
                if not problem.sent or attempt == self.reader.retries.attempts:
                    raise
                yield from pause(self.reader.retries.pause(attempt))
                if (yield from self.item(call.parameters["Key"], "delete")) is None:
                    raise OutcomeUnknown(
                        "the answer to a delete was lost, and the item does not exist now: this delete or another one "
                        "has deleted it, and the item as it was cannot be returned"
                    ) from problem
        raise AssertionError("the last attempt returns or raises")

    def item(self, key: Item, source: str) -> Steps[Item | None]:
        """A stored item."""
        (found,) = yield from self.items([key], source)
        return found

    def items(self, keys: Sequence[Item], source: str) -> Steps[list[Item | None]]:
        """The stored items of keys, in order."""
        always = {"ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL"}
        calls = [Call("GetItem", {"TableName": self.reader.name, "Key": key, **always}) for key in keys]
        items: list[Item | None] = []
        for body in (yield calls):
            answer = read_get(body)
            if answer.consumed_capacity is not None:
                self.reader.metrics.read(source, answer.consumed_capacity.capacity_units)
            items.append(answer.item)
        return items

    def send(
        self, actions: Sequence[Action], source: str, is_transaction: bool
    ) -> Steps[tuple[msgspec.Raw | None, bool]]:
        """Sends actions in one request or one transaction; returns the attributes of a single one, and which it was."""
        name = self.reader.name
        if len(actions) == 1 and not is_transaction and actions[0].kind != "ConditionCheck":
            action = actions[0]
            sent = {"TableName": name, **action.parameters(), "ReturnConsumedCapacity": "TOTAL"}
            # A lost answer leaves open whether it happened, so only what may happen twice is sent again.
            is_repeatable = action.kind == "Put" and action.condition is None
            direct = DirectRequest(action.operation, sent, is_repeatable)
            return (yield from self.send_request(direct, source)), False
        yield from self.send_transaction([action.entry(name) for action in actions], source)
        return None, True

    def send_transaction(self, entries: Sequence[Mapping[str, Any]], source: str) -> Steps[None]:
        """Sends a transaction."""
        request = {
            "TransactItems": entries,
            "ClientRequestToken": uuid.uuid4().hex,
            "ReturnConsumedCapacity": "TOTAL",
        }
        (body,) = yield (Call("TransactWriteItems", request),)
        units = sum([each.capacity_units for each in read_transaction(body).consumed_capacity])
        self.reader.metrics.write(source, units)

    def failed(
        self, actions: Sequence[Action], refusal: RequestRefused, source: str
    ) -> Steps[list[tuple[Action, Item | None]]]:
        """The actions whose conditions failed, each with its stored item."""
        if refusal.code == CONDITION_FAILED:
            found = [(actions[0], refusal.fields.get("Item"))]
        elif refusal.code == CANCELLED:
            reasons: list[dict[str, Any]] = refusal.fields.get("CancellationReasons") or []
            if any(each.get("Code") not in ("None", None, "ConditionalCheckFailed") for each in reasons):
                raise cancelled(actions, refusal, reasons)
            found = [
                (action, reason.get("Item"))
                for action, reason in zip(actions, reasons, strict=True)
                if reason.get("Code") == "ConditionalCheckFailed"
            ]
        elif refusal.code == TOKEN_REUSED:
            raise token_reused() from refusal
        else:
            raise refusal
        self.returns_items = self.returns_items or any(item is not None for _, item in found)
        unseen = [action.key for action, item in found if item is None]
        if unseen and not self.returns_items:
            items = {
                key_id(key): item for key, item in zip(unseen, (yield from self.items(unseen, source)), strict=True)
            }
            found = [(action, item or items.get(key_id(action.key))) for action, item in found]
        return found
