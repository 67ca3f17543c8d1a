"""Request sender: sends write requests, reads stored items, and turns failed conditions into errors."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from singletable.client.reading.table_reader import TableReader
from singletable.client.request_steps import Call, Steps, pause
from singletable.client.responses import NO_ATTRIBUTES, Item, read_get, read_transaction, read_write, with_remedy
from singletable.client.write.direct_requests import DirectRequest
from singletable.client.write.item_actions import ItemAction, Requirement, key_id
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import (
    ArgumentRefused,
    CancellationReason,
    ConditionFailed,
    OutcomeUnknown,
    RequestRefused,
    TransactionCancelled,
    Unreachable,
)
from singletable.lazy_dataclass import dataclass


def requirement_error(
    intents: Sequence[WriteIntent], failures: Sequence[tuple[Requirement, Item | None]], *, is_transaction: bool
) -> Exception:
    """Return the error for requirements that do not hold."""
    first, item = failures[0]
    if not is_transaction:
        return first.error(item)
    reasons = [CancellationReason("None", "", each.target) for each in intents]
    for requirement, found in reversed(failures):
        error = requirement.error(found)
        target = intents[requirement.intent].target
        there = getattr(error, "item", None)
        reasons[requirement.intent] = CancellationReason("ConditionalCheckFailed", str(error), target, there, error)
    listed = "; ".join(f"action {n + 1}: {each.message}" for n, each in enumerate(reasons) if each.error)
    return TransactionCancelled(f"nothing was written: {listed}", tuple(reasons))


def cancellation_error(
    actions: Sequence[ItemAction], rejection: RequestRefused, reasons: Sequence[Mapping[str, Any]]
) -> TransactionCancelled:
    """Return the error for a transaction that DynamoDB cancelled for a reason other than a condition."""
    listed = [CancellationReason("None", "")] * (max(action.intent for action in actions) + 1)
    for action, reason in zip(actions, reasons, strict=False):
        if reason.get("Code") not in ("None", None):
            message = with_remedy(str(reason.get("Message") or ""))
            listed[action.intent] = CancellationReason(str(reason["Code"]), message)
    text = "; ".join(
        f"action {n + 1}: {each.code} {each.message}" for n, each in enumerate(listed) if each.code != "None"
    )
    return TransactionCancelled(f"nothing was written: {text or rejection.message}", tuple(listed))


def attempts_exhausted(intents: Sequence[WriteIntent], attempts: int, *, is_transaction: bool) -> Exception:
    """Return the error for a write that failed in every attempt because of other writers."""
    if not is_transaction:
        return ConditionFailed(
            f"other writers changed {intents[0].label} during each of {attempts} attempts to write it; try the write "
            "again later"
        )
    message = (
        f"nothing was written: other writers changed the items in each of {attempts} attempts; try the "
        "transaction again later"
    )
    return TransactionCancelled(message, tuple(CancellationReason("None", "", each.target) for each in intents))


def token_reused_error() -> ArgumentRefused:
    """Return the error for a token that was used before for a different request."""
    return ArgumentRefused(
        "the idempotency token was already used with different parameters within ten minutes: either by another "
        "transaction, or by this transaction, which succeeded before its items changed.\n  Read the items to find "
        "out whether they were written, or use a new token."
    )


CONDITION_FAILED = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
TOKEN_REUSED = "IdempotentParameterMismatchException"  # noqa: S105  # an error code


@dataclass
class Sender:
    """Sends the write requests of one table."""

    reader: TableReader
    returns_items: bool
    """Whether the server returns the item of a failed condition. DynamoDB does; some other servers do not."""

    def send_request(self, direct: DirectRequest, source: str) -> Steps[msgspec.Raw | None]:
        """Send one request, and return the attributes in its response."""
        call = Call(direct.operation, direct.parameters, direct.is_repeatable, source)
        if direct.operation == "DeleteItem":
            (body,) = yield from self._send_delete(call)
        else:
            (body,) = yield (call,)
        answer = read_write(body)
        if answer.consumed_capacity is not None:
            self.reader.metrics.write(source, answer.consumed_capacity.capacity_units)
        return None if answer.attributes is NO_ATTRIBUTES else answer.attributes

    def _send_delete(self, call: Call) -> Steps[Sequence[bytes]]:
        """Send a DeleteItem. Retry it if the response was lost and the item still exists.

        A retry cannot return the item that the first request deleted, and it must not report that there was no item.
        """
        for attempt in range(1, self.reader.retries.attempts + 1):
            try:
                return (yield (call,))
            except Unreachable as problem:
                if not problem.sent or attempt == self.reader.retries.attempts:
                    raise
                yield from pause(self.reader.retries.pause(attempt))
                if (yield from self.read_item(call.parameters["Key"], "delete")) is None:
                    raise OutcomeUnknown(
                        "the response to a delete was lost, and the item no longer exists: this delete or another one "
                        "deleted it, so the deleted item cannot be returned"
                    ) from problem
        raise AssertionError("the last attempt returns or raises")

    def read_item(self, key: Item, source: str, table: str | None = None) -> Steps[Item | None]:
        """Read a stored item, by default of the table of the model. Return None if the item does not exist."""
        (found,) = yield from self.read_items([key], source, table)
        return found

    def read_items(self, keys: Sequence[Item], source: str, table: str | None = None) -> Steps[list[Item | None]]:
        """Read the stored items of keys, in order."""
        always = {"ConsistentRead": True, "ReturnConsumedCapacity": "TOTAL"}
        name = table or self.reader.name
        calls = [Call("GetItem", {"TableName": name, "Key": key, **always}, source=source) for key in keys]
        items: list[Item | None] = []
        for body in (yield calls):
            answer = read_get(body)
            if answer.consumed_capacity is not None:
                self.reader.metrics.read(source, answer.consumed_capacity.capacity_units)
            items.append(answer.item)
        return items

    def send(
        self, actions: Sequence[ItemAction], source: str, is_transaction: bool
    ) -> Steps[tuple[msgspec.Raw | None, bool]]:
        """Send actions. Return the attributes of a single request, and whether the request was a transaction."""
        name = self.reader.name
        if len(actions) == 1 and not is_transaction and actions[0].kind != "ConditionCheck":
            action = actions[0]
            sent = {"TableName": name, **action.parameters(), "ReturnConsumedCapacity": "TOTAL"}
            # After a lost response, the result is unknown. So only requests that may run twice are retried.
            is_repeatable = action.kind == "Put" and action.condition is None
            direct = DirectRequest(action.operation, sent, is_repeatable)
            return (yield from self.send_request(direct, source)), False
        yield from self.send_transaction([action.entry(name) for action in actions], source)
        return None, True

    def send_transaction(self, entries: Sequence[Mapping[str, Any]], source: str) -> Steps[None]:
        """Send a transaction."""
        request = {
            "TransactItems": entries,
            "ClientRequestToken": uuid.uuid4().hex,
            "ReturnConsumedCapacity": "TOTAL",
        }
        (body,) = yield (Call("TransactWriteItems", request, source=source),)
        units = sum([each.capacity_units for each in read_transaction(body).consumed_capacity])
        self.reader.metrics.write(source, units)

    def failed_actions(
        self, actions: Sequence[ItemAction], rejection: RequestRefused, source: str
    ) -> Steps[list[tuple[ItemAction, Item | None]]]:
        """Return the actions whose conditions failed, each with its stored item."""
        if rejection.code == CONDITION_FAILED:
            found = [(actions[0], rejection.fields.get("Item"))]
        elif rejection.code == CANCELLED:
            reasons: list[dict[str, Any]] = rejection.fields.get("CancellationReasons") or []
            if any(each.get("Code") not in ("None", None, "ConditionalCheckFailed") for each in reasons):
                raise cancellation_error(actions, rejection, reasons)
            found = [
                (action, reason.get("Item"))
                for action, reason in zip(actions, reasons, strict=False)
                if reason.get("Code") == "ConditionalCheckFailed"
            ]
            if len(reasons) != len(actions) or not found:  # DynamoDB returns one reason per action
                raise rejection
        elif rejection.code == TOKEN_REUSED:
            raise token_reused_error() from rejection
        else:
            raise rejection
        self.returns_items = self.returns_items or any(item is not None for _, item in found)
        missing_keys = [action.key for action, item in found if item is None]
        if missing_keys and not self.returns_items:
            items = {
                key_id(key): item
                for key, item in zip(missing_keys, (yield from self.read_items(missing_keys, source)), strict=True)
            }
            found = [(action, item or items.get(key_id(action.key))) for action, item in found]
        return found
