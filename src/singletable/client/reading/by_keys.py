"""Reads of many items by their keys: in batches that are asked again for what they left over, or in one transaction."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singletable.client.answers import Capacity, Item, read_batch_get, read_transaction_get
from singletable.client.items.decoder import key_value
from singletable.client.items.rows import Row
from singletable.client.steps import Call, Steps, pause
from singletable.errors import ArgumentRefused, CancellationReason, RequestRefused, Throttled, TransactionCancelled
from singletable.values.limits import BATCH_GET_KEYS_MAX, TRANSACTION_ACTIONS_MAX

if TYPE_CHECKING:
    from singletable.client.reading.reader import Reader

Found = dict[Hashable, Item]
"""Items by their keys."""


def identity(item: Mapping[str, Any] | Row, names: Sequence[str]) -> Hashable:
    """What two items with one key have in common, however their numbers are written."""
    return tuple(key_value(item[name]) for name in names)


def batch_get(
    reader: Reader, keys: Iterable[Item], source: str, settings: Mapping[str, Any] | None = None
) -> Steps[Found]:
    """The items of keys that all differ; `settings` are those of BatchGetItem for one table.

    What a batch leaves over is asked for again, as long as every round brings something, and for as many rounds that
    bring nothing as the retries allow.
    """
    names = reader.design.table.key_attributes
    waiting, found, fruitless = list(keys), Found(), 0
    while waiting:
        bodies = yield [_batch(reader, chunk, settings or {}) for chunk in _chunks(waiting)]
        asked, waiting = len(waiting), []
        for body in bodies:
            answer = read_batch_get(body)
            _count(reader, source, answer.consumed_capacity)
            found |= {identity(item, names): item for item in answer.responses.get(reader.name, ())}
            waiting += answer.unprocessed_keys.get(reader.name, {}).get("Keys", ())
        if waiting:
            fruitless = 0 if len(waiting) < asked else fruitless + 1
            if fruitless >= reader.retries.attempts:
                raise Throttled(
                    "ProvisionedThroughputExceededException",
                    f"{len(waiting)} keys of a batch were left over {fruitless} times; the table has no capacity left",
                )
            yield from pause(reader.retries.pause(fruitless + 1))
    return found


def transaction_get(reader: Reader, keys: Sequence[Item], source: str, targets: Sequence[Any]) -> Steps[Found]:
    """The items of keys that all differ, as they were at one moment; `targets` are the user's words for the keys."""
    if len(keys) > TRANSACTION_ACTIONS_MAX:
        raise ArgumentRefused(
            f"{source} with transaction=True was given {len(keys)} keys, and a transaction reads at most "
            f"{TRANSACTION_ACTIONS_MAX}; ask for fewer, or without transaction=True, which has no such limit"
        )
    if not keys:
        return {}
    gets = [{"Get": {"TableName": reader.name, "Key": key}} for key in keys]
    call = Call("TransactGetItems", {"TransactItems": gets, "ReturnConsumedCapacity": "TOTAL"})
    try:
        (body,) = yield (call,)
    except RequestRefused as refusal:
        raise _cancelled(refusal, source, targets) from None
    answer = read_transaction_get(body)
    _count(reader, source, answer.consumed_capacity)
    names = reader.design.table.key_attributes
    return {identity(each.item, names): each.item for each in answer.responses if each.item}


def _chunks(keys: Sequence[Item]) -> Iterable[Sequence[Item]]:
    return (keys[start : start + BATCH_GET_KEYS_MAX] for start in range(0, len(keys), BATCH_GET_KEYS_MAX))


def _batch(reader: Reader, keys: Sequence[Item], settings: Mapping[str, Any]) -> Call:
    asked = {reader.name: {"Keys": keys, **settings}}
    return Call("BatchGetItem", {"RequestItems": asked, "ReturnConsumedCapacity": "TOTAL"})


def _count(reader: Reader, source: str, consumed: Sequence[Capacity]) -> None:
    """A request to one table says what it consumed once; what is not told is still a request."""
    reader.metrics.read(source, sum(capacity.capacity_units for capacity in consumed))


def _cancelled(refusal: RequestRefused, source: str, targets: Sequence[Any]) -> RequestRefused | TransactionCancelled:
    if refusal.code != "TransactionCanceledException":
        return refusal
    told: Sequence[Mapping[str, Any]] = refusal.fields.get("CancellationReasons") or ()
    reasons = tuple(
        CancellationReason(reason.get("Code") or "None", reason.get("Message") or "", target)
        for reason, target in zip(told, targets, strict=False)
    )
    shown = "; ".join(f"{each.code} at {each.target}" for each in reasons if each.code != "None")
    return TransactionCancelled(f"{source} was cancelled: {shown or refusal.message}", reasons)
