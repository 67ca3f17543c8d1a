"""Plans of bulk writes: the BatchWriteItem entry or the intent of each value, and which intents share a transaction."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from singletable.client.answers import Item
from singletable.client.batch_result import BatchFailure
from singletable.client.key import Key
from singletable.client.reading.by_keys import identity
from singletable.client.write.actions import KeyId, key_id
from singletable.client.write.intent import WriteIntent
from singletable.client.write.plans import EntityWrites
from singletable.client.write.writer import Writer
from singletable.errors import ArgumentRefused
from singletable.model.entity import Entity
from singletable.planner.items import key_of
from singletable.values.accept import accept_item
from singletable.values.limits import BATCH_WRITES_MAX, ITEM_BYTES_MAX, TRANSACTION_ACTIONS_MAX


@dataclass
class IntentWrite:
    """One write that needs conditions or a transaction, and the caller's value."""

    key: Hashable
    intent: WriteIntent
    value: Any


@dataclass
class WriteGroup:
    """Writes that go into one transaction, and the items that it may touch; None if they are not known."""

    writes: list[IntentWrite]
    touched: set[KeyId] | None
    actions: int = 0


def grouped(writer: Writer, writes: Sequence[IntentWrite]) -> Iterator[WriteGroup]:
    """Writes in groups that fit a transaction each; those of one counter are next to each other.

    Writes whose other items only a read can tell are in groups of their own, which run alone.
    """
    reached = [(write, _reach(writer, write)) for write in writes]
    for is_known in (True, False):
        group = WriteGroup([], set() if is_known else None)
        chosen = [each for each in reached if (each[1].touched is not None) == is_known]
        for write, reach in sorted(chosen, key=lambda each: each[1].counters):
            if reach.actions == 1:  # it needs no transaction
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


class Reach(NamedTuple):
    """The items that a write may touch (None if only a read can tell), its counters, and its most actions."""

    touched: set[KeyId] | None
    counters: list[KeyId]
    actions: int


def _reach(writer: Writer, write: IntentWrite) -> Reach:
    intent, keeping = write.intent, writer.preparer.keeping(write.intent.entity)
    own = {key_id(writer.preparer.key(intent))}
    if keeping.why is None or (intent.kind == "update" and not intent.changed & keeping.decisive):
        return Reach(own, [], 1)
    most = 1 + 2 * len(keeping.uniques) + 2 * len(keeping.mirrors) + 2 * len(keeping.counted) + len(keeping.held)
    # An item that is new has no copies; those of another may fill a transaction, which is then split.
    most += 0 if intent.kind in ("create", "delete") else 4 * len(keeping.given)
    if intent.kind in ("put", "create"):
        values = intent.values
    elif intent.kind == "update" or isinstance(intent.target, Key):
        return Reach(None, [], most)
    else:
        values = writer.preparer.writes(intent.entity).encoder.values(intent.target)
    owners = [_owner_key(owner, count.by, values) for count, owner in keeping.counted]
    sources = [_owner_key(source, copy.by, values) for copy, source in keeping.held]
    counters = sorted(key for key in owners if key is not None)
    return Reach(own | {key for key in (*owners, *sources) if key is not None}, counters, most)


def _owner_key(entity: Entity, by: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    found = {theirs: values[ours] for theirs, ours in by.items()}
    return None if None in found.values() else key_id(key_of(entity, found))


def waves(groups: Sequence[WriteGroup]) -> Iterator[list[WriteGroup]]:
    """Groups that may run concurrently: no two of a wave touch one item."""
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
    """One put or delete of BatchWriteItem, and the caller's values that it stands for, of which the last counts."""

    key: Hashable
    request: Mapping[str, Any]
    values: list[Any]
    wire_bytes: int
    company_max: int = BATCH_WRITES_MAX
    """How many writes its request may have: fewer after its request failed."""


Planned = BatchWrite | IntentWrite | BatchFailure[Any]


class Puts:
    """The puts or creates of objects."""

    def __init__(self, writer: Writer, values: Iterable[Any], kind: Any) -> None:
        self._writer, self.targets, self._kind = writer, values, kind
        self._keys = KeyReader(writer)
        self._plain: dict[type, EntityWrites] = {}
        """The entities that BatchWriteItem can put."""

    def check(self, value: Any) -> None:
        """Raises ArgumentRefused for an object that is not of the table."""
        self._writer.intents.entities.of(value)

    def planned(self, value: Any, *, trusted: bool) -> BatchWrite | IntentWrite:
        """The write of one object; raises InvalidValue."""
        plain = self._plain.get(type(value))
        if plain is not None:
            return self._batch_put(plain, value, trusted=trusted)
        writes = self._writer.preparer.writes(self._writer.intents.entities.of(value))
        if self._kind == "put" and writes.is_plain_put:
            self._plain[type(value)] = writes
            return self._batch_put(writes, value, trusted=trusted)
        intent = self._writer.intents.whole(self._kind, value, trusted=trusted)
        return IntentWrite(self._keys.of(self._writer.preparer.key(intent)), intent, value)

    def _batch_put(self, writes: EntityWrites, value: Any, *, trusted: bool) -> BatchWrite:
        if trusted:
            json, key = _encode(writes.validator.item(writes.encoder.values(value))), None
        else:
            json, key, _ = writes.validator.valid_object(value)
        if len(json) > ITEM_BYTES_MAX:  # the JSON of an item is never shorter than its size
            size = accept_item(_decode(json))
            if size > ITEM_BYTES_MAX:
                raise ArgumentRefused(
                    f"{writes.entity.label} has {size} bytes, and an item may have {ITEM_BYTES_MAX}; store less in it"
                )
        return BatchWrite(
            self._keys.of(_decode(json)) if key is None else key,
            {"PutRequest": {"Item": msgspec.Raw(json)}},
            [value],
            len(json) + _PUT_BYTES,
        )


class Deletes:
    """The deletes of keys and objects."""

    def __init__(self, writer: Writer, targets: Iterable[Any]) -> None:
        self._writer, self.targets = writer, targets
        self._keys = KeyReader(writer)

    def check(self, target: Any) -> None:
        """Raises ArgumentRefused for a target that is not of the table."""
        self._writer.intents.entities.named(target)

    def planned(self, target: Any, *, trusted: bool) -> BatchWrite | IntentWrite:
        """The delete of one target."""
        entity, values = self._writer.intents.entities.named(target)
        writes = self._writer.preparer.writes(entity)
        key = writes.encoder.key(values)
        if writes.is_plain_put:
            request = {"DeleteRequest": {"Key": key}}
            return BatchWrite(self._keys.of(key), request, [target], len(_encode(request)) + 1)
        return IntentWrite(self._keys.of(key), self._writer.intents.delete(target, None), target)


class Updates:
    """The same update of many keys or objects."""

    def __init__(self, writer: Writer, targets: Iterable[Any], intent_of: Callable[[Any], WriteIntent]) -> None:
        self._writer, self.targets, self._intent_of = writer, targets, intent_of
        self._keys = KeyReader(writer)

    def check(self, target: Any) -> None:
        """Raises ArgumentRefused for a target or a change that is not of the table."""
        self._intent_of(target)

    def planned(self, target: Any, *, trusted: bool) -> BatchWrite | IntentWrite:
        """The update of one target."""
        intent = self._intent_of(target)
        return IntentWrite(self._keys.of(self._writer.preparer.key(intent)), intent, target)


Source = Puts | Deletes | Updates


class KeyReader:
    """Keys in a form in which equal keys are equal, however their numbers are written."""

    def __init__(self, writer: Writer) -> None:
        table = writer.design.table
        self._names = table.key_attributes
        self._are_texts = all(attribute.type == "S" for attribute in (*table.partition, *table.sort))

    def of(self, item: Item) -> Hashable:
        """The key of an item."""
        if self._are_texts:
            return tuple([item[name]["S"] for name in self._names])
        return identity(item, self._names)
