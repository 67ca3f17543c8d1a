"""Plans of bulk writes: the BatchWriteItem entry or the write intent of each value, and the groups for transactions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from singletable.client.batch_result import BatchFailure
from singletable.client.items.decoder import key_identity
from singletable.client.key import Key
from singletable.client.responses import Item
from singletable.client.write.item_actions import KeyId, key_id
from singletable.client.write.table_writer import Writer
from singletable.client.write.write_intents import WriteIntent
from singletable.client.write.write_plans import EntityWrites
from singletable.errors import ArgumentRefused
from singletable.lazy_dataclass import dataclass
from singletable.model.entity import Entity
from singletable.planner.stored_items import key_of
from singletable.values.item_validation import accept_item
from singletable.values.limits import BATCH_WRITES_MAX, ITEM_BYTES_MAX, TRANSACTION_ACTIONS_MAX


@dataclass
class IntentWrite:
    """One write that needs a condition or a transaction, with the caller's value."""

    key: Hashable
    intent: WriteIntent
    value: Any


@dataclass
class WriteGroup:
    """Writes that share one transaction, and the keys of the items that they may change (None if unknown)."""

    writes: list[IntentWrite]
    touched: set[KeyId] | None
    actions: int = 0


def group_writes(writer: Writer, writes: Sequence[IntentWrite]) -> Iterator[WriteGroup]:
    """Yield groups of writes that each fit into a transaction. Writes that change the same counter are adjacent.

    Some writes must first read, to find the other items that they change. A group that contains such writes runs alone.
    """
    with_reach = [(write, _reach(writer, write)) for write in writes]
    for is_known in (True, False):
        group = WriteGroup([], set() if is_known else None)
        selected = [each for each in with_reach if (each[1].touched is not None) == is_known]
        for write, reach in sorted(selected, key=lambda each: each[1].counters):
            if reach.actions == 1:  # a single action needs no transaction
                yield WriteGroup([write], reach.touched)
                continue
            if group.writes and group.actions + reach.actions > TRANSACTION_ACTIONS_MAX:
                yield group
                group = WriteGroup([], set() if is_known else None)
            group.writes.append(write)
            group.actions += reach.actions
            if group.touched is not None and reach.touched is not None:
                group.touched |= reach.touched
        if group.writes:
            yield group


class WriteReach(NamedTuple):
    """The items that a write may change (None if unknown before a read), its counters, and its number of actions."""

    touched: set[KeyId] | None
    counters: list[KeyId]
    actions: int


def _reach(writer: Writer, write: IntentWrite) -> WriteReach:
    intent, derived_data = write.intent, writer.preparer.derived_data(write.intent.entity)
    own = {key_id(writer.preparer.key(intent))}
    if derived_data.reason is None or (intent.kind == "update" and not intent.changed & derived_data.tracked_fields):
        return WriteReach(own, [], 1)
    actions_max = (
        1
        + 2 * len(derived_data.uniques)
        + 2 * len(derived_data.mirrors)
        + 2 * len(derived_data.counted)
        + len(derived_data.copies)
    )
    # No item copies a new item. If an existing item has more copies than the limit, the client splits the transaction.
    actions_max += 0 if intent.kind in ("create", "delete") else 4 * len(derived_data.copied_by)
    if intent.kind in ("put", "create"):
        values = intent.values
    elif intent.kind == "update" or isinstance(intent.target, Key):
        return WriteReach(None, [], actions_max)
    else:
        values = writer.preparer.writes(intent.entity).encoder.values(intent.target)
    owners = [_owner_key(owner, count.by, values) for count, owner in derived_data.counted]
    sources = [_owner_key(source, copy.by, values) for copy, source in derived_data.copies]
    counters = sorted(key for key in owners if key is not None)
    return WriteReach(own | {key for key in (*owners, *sources) if key is not None}, counters, actions_max)


def _owner_key(entity: Entity, by: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    found = {theirs: values[ours] for theirs, ours in by.items()}
    return None if None in found.values() else key_id(key_of(entity, found))


def waves(groups: Sequence[WriteGroup]) -> Iterator[list[WriteGroup]]:
    """Yield lists of groups that may run concurrently. No two groups of a list change the same item."""
    waiting = list(groups)
    while waiting:
        wave: list[WriteGroup] = []
        later: list[WriteGroup] = []
        touched: set[KeyId] = set()
        for group in waiting:
            is_exclusive = group.touched is None
            if (is_exclusive and wave) or (wave and wave[0].touched is None) or touched & (group.touched or set()):
                later.append(group)
            else:
                wave.append(group)
            touched |= group.touched or set()
        yield wave
        waiting = later


_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.decode
_PUT_BYTES = len('{"PutRequest":{"Item":}},')


@dataclass(slots=True)
class BatchWrite:
    """One put or delete in BatchWriteItem, with all values that the caller passed for its key.

    The last value is written.
    """

    key: Hashable
    request: Mapping[str, Any]
    values: list[Any]
    wire_bytes: int
    batch_size_max: int = BATCH_WRITES_MAX
    """The maximum number of writes in the request that contains this write. It decreases after a failure."""


PlannedBulkWrite = BatchWrite | IntentWrite | BatchFailure[Any]


class BulkPuts:
    """Plans puts or creates of objects."""

    def __init__(self, writer: Writer, values: Iterable[Any], kind: Any) -> None:
        self._writer, self.targets, self._kind = writer, values, kind
        self._keys = KeyReader(writer)
        self._unconditional: dict[type, EntityWrites] = {}
        """The writes of each entity whose objects BatchWriteItem can put, by class."""

    def check(self, value: Any) -> None:
        """Raise ArgumentRefused if the object is not an entity of the table."""
        self._writer.intents.entities.of(value)

    def plan(self, value: Any, *, trusted: bool) -> BatchWrite | IntentWrite:
        """Return the write of one object; raise InvalidValue if it is invalid."""
        writes = self._unconditional.get(type(value))
        if writes is not None:
            return self._batch_put(writes, value, trusted=trusted)
        writes = self._writer.preparer.writes(self._writer.intents.entities.of(value))
        if self._kind == "put" and writes.is_unconditional_put:
            self._unconditional[type(value)] = writes
            return self._batch_put(writes, value, trusted=trusted)
        intent = self._writer.intents.whole(self._kind, value, trusted=trusted)
        return IntentWrite(self._keys.of(self._writer.preparer.key(intent)), intent, value)

    def _batch_put(self, writes: EntityWrites, value: Any, *, trusted: bool) -> BatchWrite:
        if trusted:
            json, key = _encode(writes.validator.item(writes.encoder.values(value))), None
        else:
            json, key, _ = writes.validator.valid_object(value)
        # the item is never larger than its JSON, so most items need no exact measurement
        if len(json) > ITEM_BYTES_MAX:
            size = accept_item(_decode(json))
            if size > ITEM_BYTES_MAX:
                raise ArgumentRefused(
                    f"{writes.entity.label} has {size} bytes, but the limit is {ITEM_BYTES_MAX}; reduce the size of "
                    "the item"
                )
        return BatchWrite(
            self._keys.of(_decode(json)) if key is None else key,
            {"PutRequest": {"Item": msgspec.Raw(json)}},
            [value],
            len(json) + _PUT_BYTES,
        )


class BulkDeletes:
    """Plans deletes by keys or objects."""

    def __init__(self, writer: Writer, targets: Iterable[Any]) -> None:
        self._writer, self.targets = writer, targets
        self._keys = KeyReader(writer)

    def check(self, target: Any) -> None:
        """Raise ArgumentRefused if the target is not an entity or key of the table."""
        self._writer.intents.entities.named(target)

    def plan(self, target: Any, *, trusted: bool) -> BatchWrite | IntentWrite:
        """Return the delete of one target."""
        entity, values = self._writer.intents.entities.named(target)
        writes = self._writer.preparer.writes(entity)
        key = writes.encoder.key(values)
        if writes.is_unconditional_put and not writes.exact_times:
            request = {"DeleteRequest": {"Key": key}}
            return BatchWrite(self._keys.of(key), request, [target], len(_encode(request)) + 1)
        return IntentWrite(self._keys.of(key), self._writer.intents.delete(target, None), target)


class BulkUpdates:
    """Plans the same update for many keys or objects."""

    def __init__(self, writer: Writer, targets: Iterable[Any], intent_of: Callable[[Any], WriteIntent]) -> None:
        self._writer, self.targets, self._intent_of = writer, targets, intent_of
        self._keys = KeyReader(writer)

    def check(self, target: Any) -> None:
        """Raise ArgumentRefused if the target or a change does not belong to the table."""
        self._intent_of(target)

    def plan(self, target: Any, *, trusted: bool) -> BatchWrite | IntentWrite:
        """Return the update of one target."""
        intent = self._intent_of(target)
        return IntentWrite(self._keys.of(self._writer.preparer.key(intent)), intent, target)


BulkSource = BulkPuts | BulkDeletes | BulkUpdates


class KeyReader:
    """Returns keys in hashable form. Equal numbers, such as 1 and 1.0, produce equal keys."""

    def __init__(self, writer: Writer) -> None:
        table = writer.design.table
        self._names = table.key_attributes
        self._are_texts = all(attribute.type == "S" for attribute in (*table.partition, *table.sort))

    def of(self, item: Item) -> Hashable:
        """Return the key of an item."""
        if self._are_texts:
            return tuple([item[name]["S"] for name in self._names])
        return key_identity(item, self._names)
