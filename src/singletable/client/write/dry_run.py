"""Dry runs of writes: the requests that a pattern sends, without a server; what they depend on are named placeholders.

The write itself runs, and its reads are answered with sample items. Two runs with different samples, and one at another
time, show which values come from a stored item or from the clock: those that differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from singletable.client.answers import Item
from singletable.client.items.kinds import Kinds
from singletable.client.metrics import Metrics
from singletable.client.reading.reader import Reader
from singletable.client.steps import Asked, Call, Each, InPieces, Pause, Steps
from singletable.client.write.copies import CopyHolders
from singletable.client.write.writer import Writer
from singletable.errors import ItemRefused, KeyRefused, SingletableError
from singletable.expressions.tree import Constant
from singletable.model.binding import held_values
from singletable.model.copies import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.bind import Request
from singletable.planner.items import item_of, values_of
from singletable.sample_rows.values import expiry_of, value_of, wanted_for

_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.decode
_WRITES = frozenset(("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"))
_REQUESTS_MAX = 50
_FIRST_TIME, _SECOND_TIME = 1_700_000_000.0, 1_800_000_000.0
TOKEN = "<new token>"  # noqa: S105  # a placeholder

StoredItems = Callable[[Item], Item | None]
"""Answers a read of a key with a stored item."""


class DryRun:
    """A write of a table, which is run without a server."""

    def __init__(
        self, design: Design, table: str, write: Callable[[Writer], Steps[Any]], *, is_sample: bool = False
    ) -> None:
        """`is_sample`: whether the objects to write are samples, which the user's classes need not accept."""
        self._design, self._table, self._write = design, table, write
        self._is_sample = is_sample

    def requests(self) -> tuple[Request, ...]:
        """The requests, with placeholders for values that come from stored items, from the clock or from a token."""
        samples = [SampleItems(self._design, number) for number in (1, 2)]
        times = ((samples[0], _FIRST_TIME), (samples[1], _FIRST_TIME), (samples[0], _SECOND_TIME))
        first, other_item, other_time = (self._recorded(sample, now) for sample, now in times)
        return _merged(first, other_item, other_time)

    def requests_for(self, entity: Entity, stored: Any, now: float) -> tuple[Request, ...]:
        """The requests if this object of an entity (None for no item) is stored, at this time.

        Placeholders are left for values of other items, such as the source of a copy.
        """
        item = None if stored is None else item_of(self._design, entity, values_of(entity, stored))
        first, second = (self._recorded(SampleItems(self._design, number, (entity, item)), now) for number in (1, 2))
        return _merged(first, second, first)

    def _recorded(self, stored: SampleItems, now: float) -> list[Request]:
        """The requests of one run; it ends after its writes, whatever their answers would be."""
        design = self._design
        reader = Reader(design, self._table, Kinds(design), None, Metrics(), lambda: now)  # type: ignore[arg-type]  # writes need no cursors
        writer = Writer(reader, returns_items=True, trusts_objects=self._is_sample, trusts=stored.is_made_up)
        writer.executor.copies = SampleHolders(reader, writer.preparer, samples=stored)
        steps = self._write(writer)
        recorded: list[Request] = []
        with suppress(StopIteration):
            asked = next(steps)
            while len(recorded) < _REQUESTS_MAX:
                calls = _calls(asked)
                recorded += [Request(call.operation, _decode(_encode(call.parameters))) for call in calls]
                try:
                    asked = steps.send([_answer(call, stored.at) for call in calls])
                except ItemRefused:
                    if any(call.operation in _WRITES for call in calls):
                        break  # the object that the write would return cannot be made of a sample
                    raise
        steps.close()
        return recorded


class SampleItems:
    """Items of a design, made up for any key; those of another number differ in every field but some.

    The fields of the key are the same, and so are those that the condition of a counter reads: a field that the
    condition compares with a constant has that value, so that the item is counted.
    """

    def __init__(self, design: Design, number: int, given: tuple[Entity, Item | None] | None = None) -> None:
        """`given` is the item that is stored of an entity, None for no item; its items are not made up then."""
        self._design, self._number, self._given = design, number, given

    def is_made_up(self, entity: Entity) -> bool:
        """Whether the items of an entity are samples."""
        return self._given is None or self._given[0] is not entity

    def at(self, key: Item) -> Item | None:
        """The item at a key; None where no entity has such a key."""
        if self._given is not None and (item := self._given[1]) is not None and key.items() <= item.items():
            return item
        texts = {name: next(iter(value.values())) for name, value in key.items()}
        for entity in self._design.entities:
            try:
                known = entity.base.decode(texts)
            except KeyRefused:
                continue
            if not self.is_made_up(entity):
                return None
            with suppress(SingletableError, ValueError, TypeError, LookupError):
                return item_of(self._design, entity, {**self.values(entity), **known})
        return None

    def values(self, entity: Entity) -> dict[str, Any]:
        """The fields of a sample."""
        values: dict[str, Any] = {}
        place = self._design.entities.index(entity)
        tested = frozenset[str]().union(*(count.tested for count in entity.declaration.counted))
        for name, declared in entity.fields.items():
            number = 1 if name in tested else self._number
            if name == entity.declaration.ttl:
                values[name] = expiry_of(declared.type, wanted_for(entity, name, place), number)
            elif declared.type is int:
                values[name] = number
            else:
                values[name] = value_of(declared.type, wanted_for(entity, name, place), number)
        for count in entity.declaration.counted:
            held = held_values(count.condition).items()
            values |= {name: source.value for name, source in held if isinstance(source, Constant)}
        return values


@dataclass
class SampleHolders(CopyHolders):
    """Finds one sample for each copy of a source, so that the explanation shows how copies follow."""

    samples: SampleItems = field(kw_only=True)
    _is_new: bool = False

    def _holders(
        self, source: Entity, old: Mapping[str, Any] | None, new: Mapping[str, Any]
    ) -> Steps[list[tuple[Entity, Mapping[str, Any], dict[str, Any]]]]:
        self._is_new = old is None  # nothing copies an item that did not exist
        return (yield from super()._holders(source, old, new))

    def found(self, copy: Copy, holder: Entity, source: Mapping[str, Any]) -> Steps[list[dict[str, Any]]]:
        """The fields of one item that copies the source."""
        yield from super().found(copy, holder, source)
        if self._is_new:
            return []
        return [{**self.samples.values(holder), **{ours: source[theirs] for theirs, ours in copy.by.items()}}]


class _Placeholders:
    """Puts placeholders into a request where it differs from another."""

    def __init__(self, source: str | None) -> None:
        self._source = source
        self._request: Mapping[str, Any] = {}

    def merged(self, one: Any, other: Any, path: tuple[str, ...] = ()) -> Any:
        """The first request, with a placeholder for every value in which the other differs."""
        if isinstance(one, dict) and isinstance(other, dict):
            if "ExpressionAttributeValues" in one:
                self._request = one
            return {name: self.merged(value, other.get(name), (*path, name)) for name, value in one.items()}
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            return [self.merged(a, b, path) for a, b in zip(one, other, strict=True)]
        return one if one == other else self._placeholder(path)

    def _placeholder(self, path: tuple[str, ...]) -> str:
        if path[-1:] == ("ClientRequestToken",):
            return TOKEN
        if self._source is None:
            return "<now>"
        name = next((step for step in reversed(path) if step.startswith(":")), None)
        attribute = path[-2] if name is None and len(path) > 1 else self._attribute(name or "")
        return f"<{attribute} {self._source}>"

    def _attribute(self, placeholder: str) -> str:
        """The attribute that an expression compares with a value, or sets to it."""
        names = self._request.get("ExpressionAttributeNames", {})
        for member in ("UpdateExpression", "ConditionExpression"):
            text = self._request.get(member, "")
            found = re.search(rf"(#n\d+)[^#]*?{placeholder}\b", text)
            if found is not None:
                return str(names.get(found[1], found[1]))
        return "value"

    @staticmethod
    def both(one: Any, other: Any) -> Any:
        """Two forms of one request with the placeholders of both."""
        if isinstance(one, dict):
            return {name: _Placeholders.both(value, other[name]) for name, value in one.items()}
        if isinstance(one, list) and isinstance(other, list):
            return [_Placeholders.both(a, b) for a, b in zip(one, other, strict=True)]
        return other if other in ("<now>", TOKEN) else one


def _merged(
    first: Sequence[Request], other_item: Sequence[Request], other_time: Sequence[Request]
) -> tuple[Request, ...]:
    """The requests of the first run, with placeholders for what differs in the others."""
    runs = ([request.parameters for request in run] for run in (first, other_item, other_time))
    requests, with_other_item, at_other_time = runs
    named = [_Placeholders("computed from the stored item").merged(a, b) for a, b in _pairs(requests, with_other_item)]
    timed = [_Placeholders(None).merged(a, b) for a, b in _pairs(requests, at_other_time)]
    return tuple(
        Request(request.operation, _Placeholders.both(item, time))
        for request, item, time in zip(first, named, timed, strict=True)
    )


def _pairs(first: Sequence[Any], other: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """The requests of two runs side by side; of a run that took another way, those of the first alone."""
    if len(first) != len(other):
        return ((each, each) for each in first)
    return zip(first, other, strict=True)


def _calls(asked: Asked) -> Sequence[Call]:
    if isinstance(asked, Each):
        return asked.calls
    return (asked.call,) if isinstance(asked, InPieces) else () if isinstance(asked, Pause) else asked


def _answer(call: Call, stored: StoredItems) -> bytes:
    """An answer as a server gives it, for a table that holds the stored items and no others."""
    if call.operation == "GetItem":
        item = stored(call.parameters["Key"])
        return _encode({} if item is None else {"Item": item})
    if call.operation == "UpdateItem":
        return _encode({"Attributes": stored(call.parameters["Key"]) or {}})
    return b"{}"
