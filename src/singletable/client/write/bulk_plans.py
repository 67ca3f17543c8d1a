"""Plans of bulk writes: the BatchWriteItem entry or the intent of each value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from singletable.client.answers import Item
from singletable.client.batch_result import BatchFailure
from singletable.client.reading.by_keys import identity
from singletable.client.write.intent import WriteIntent
from singletable.client.write.plans import EntityWrites
from singletable.client.write.write_groups import IntentWrite
from singletable.client.write.writer import Writer
from singletable.errors import ArgumentRefused
from singletable.values.accept import accept_item
from singletable.values.limits import BATCH_WRITES_MAX, ITEM_BYTES_MAX

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
