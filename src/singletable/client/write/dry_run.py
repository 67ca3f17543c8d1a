"""Dry runs of writes: the requests that a write sends, with placeholders for values that only the server has.

A dry run executes the write and answers its reads with sample items. Two more runs, one with other samples and one at
another time, show which values come from a stored item or from the clock: these values differ between the runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

import msgspec

from singletable.client.items.item_types import ItemTypes
from singletable.client.metrics import Metrics
from singletable.client.reading.table_reader import TableReader
from singletable.client.request_steps import Call, CallForChunks, IndependentCalls, Pause, Step, Steps
from singletable.client.responses import Item
from singletable.client.write.table_writer import Writer
from singletable.client.write.update_copies import CopyUpdater
from singletable.errors import ItemRefused, KeyRefused, SingletableError
from singletable.expressions.tree import Constant
from singletable.lazy_dataclass import dataclass
from singletable.model.derived_data import Copy
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.model.parameter_binding import fixed_values
from singletable.planner.planned_requests import Request
from singletable.planner.stored_items import item_of, values_of
from singletable.sample_rows.sample_values import expiry_of, sample_field, value_of

_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.decode
_WRITES = frozenset(("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"))
_REQUESTS_MAX = 50
_FIRST_TIME, _SECOND_TIME = 1_700_000_000.0, 1_800_000_000.0
TOKEN = "<new token>"  # noqa: S105  # a placeholder

StoredItems = Callable[[Item], Item | None]
"""A function that returns the stored item with a key, or None."""


class DryRun:
    """A write that runs without a server, to record its requests."""

    def __init__(
        self, design: Design, table: str, write: Callable[[Writer], Steps[Any]], *, is_sample: bool = False
    ) -> None:
        """Store the write. `is_sample` is True if the objects to write are samples, which need not be valid."""
        self._design, self._table, self._write = design, table, write
        self._is_sample = is_sample

    def requests(self) -> tuple[Request, ...]:
        """Return the requests, with placeholders for values from stored items, the clock or a token."""
        samples = [SampleItems(self._design, number) for number in (1, 2)]
        times = ((samples[0], _FIRST_TIME), (samples[1], _FIRST_TIME), (samples[0], _SECOND_TIME))
        first, other_item, other_time = (self._record(sample, now) for sample, now in times)
        return _merged(first, other_item, other_time)

    def requests_for(self, entity: Entity, stored: Any, now: float) -> tuple[Request, ...]:
        """Return the requests that the write sends at a time if the table contains this object (None: no item).

        Values of other items, such as the source of a copy, remain placeholders.
        """
        item = None if stored is None else item_of(self._design, entity, values_of(entity, stored))
        first, second = (self._record(SampleItems(self._design, number, (entity, item)), now) for number in (1, 2))
        return _merged(first, second, first)

    def _record(self, stored: SampleItems, now: float) -> list[Request]:
        """Run the write once and return its requests."""
        design = self._design
        reader = TableReader(design, self._table, ItemTypes(design), None, Metrics(), lambda: now)  # type: ignore[arg-type]  # writes need no cursors
        writer = Writer(reader, returns_items=True, skips_validation=self._is_sample, is_sample=stored.is_sample)
        writer.executor.copies = SampleCopyUpdater(reader, writer.preparer, samples=stored)
        steps = self._write(writer)
        recorded: list[Request] = []
        with suppress(StopIteration):
            step = next(steps)
            while len(recorded) < _REQUESTS_MAX:
                calls = _calls(step)
                recorded += [Request(call.operation, _decode(_encode(call.parameters))) for call in calls]
                try:
                    step = steps.send([_response(call, stored.at) for call in calls])
                except ItemRefused:
                    if any(call.operation in _WRITES for call in calls):
                        break  # a sample may not form a valid object, which the write would return
                    raise
        steps.close()
        return recorded


class SampleItems:
    """Sample items of a design, one for each key of an entity.

    Two instances with a different `number` return items that differ in most fields. These items have the same key
    fields, and the same values in the fields that the condition of a counter reads. A field that this condition
    compares with a constant has the value of the constant, so that the counter includes the item.
    """

    def __init__(self, design: Design, number: int, given: tuple[Entity, Item | None] | None = None) -> None:
        """Store the parts. `given` is an entity with its stored item (None for no item), which replaces the samples."""
        self._design, self._number, self._given = design, number, given

    def is_sample(self, entity: Entity) -> bool:
        """Return whether the items of an entity are samples."""
        return self._given is None or self._given[0] is not entity

    def at(self, key: Item) -> Item | None:
        """Return the item at a key. Return None if no entity has such a key."""
        if self._given is not None and (item := self._given[1]) is not None and key.items() <= item.items():
            return item
        texts = {name: next(iter(value.values())) for name, value in key.items()}
        for entity in self._design.entities:
            try:
                known = entity.base.decode(texts)
            except KeyRefused:
                continue
            if not self.is_sample(entity):
                return None
            with suppress(SingletableError, ValueError, TypeError, LookupError):
                return item_of(self._design, entity, {**self.values(entity), **known})
        return None

    def values(self, entity: Entity) -> dict[str, Any]:
        """Return the fields of a sample."""
        values: dict[str, Any] = {}
        position = self._design.entities.index(entity)
        tested = frozenset[str]().union(*(count.condition_fields for count in entity.declaration.counted))
        for name, declared in entity.fields.items():
            number = 1 if name in tested else self._number
            if name == entity.declaration.ttl:
                values[name] = expiry_of(declared.type, sample_field(entity, name, position), number)
            elif declared.type is int:
                values[name] = number
            else:
                values[name] = value_of(declared.type, sample_field(entity, name, position), number)
        for count in entity.declaration.counted:
            fixed = fixed_values(count.condition).items()
            values |= {name: source.value for name, source in fixed if isinstance(source, Constant)}
        return values


@dataclass
class SampleCopyUpdater(CopyUpdater):
    """Finds one sample for each copy of a source, so that the explanation shows how copies change."""

    samples: SampleItems = field(kw_only=True)
    _is_new: bool = False

    def _holders(
        self, source: Entity, old: Mapping[str, Any] | None, new: Mapping[str, Any]
    ) -> Steps[list[tuple[Entity, Mapping[str, Any], dict[str, Any]]]]:
        self._is_new = old is None  # no item copies a new item
        return (yield from super()._holders(source, old, new))

    def find_copies(self, copy: Copy, holder: Entity, source: Mapping[str, Any]) -> Steps[list[dict[str, Any]]]:
        """Return the fields of one item that copies the source."""
        yield from super().find_copies(copy, holder, source)
        if self._is_new:
            return []
        return [{**self.samples.values(holder), **{ours: source[theirs] for theirs, ours in copy.by.items()}}]


class _Placeholders:
    """Replaces each value that differs between two requests with a placeholder."""

    def __init__(self, source: str | None) -> None:
        self._source = source
        self._request: Mapping[str, Any] = {}

    def merged(self, one: Any, other: Any, path: tuple[str, ...] = ()) -> Any:
        """Return the first request, with a placeholder for every value that differs in the other request."""
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
        """Return the attribute that an expression compares with a value, or sets to the value."""
        names = self._request.get("ExpressionAttributeNames", {})
        for member in ("UpdateExpression", "ConditionExpression"):
            text = self._request.get(member, "")
            found = re.search(rf"(#n\d+)[^#]*?{placeholder}\b", text)
            if found is not None:
                return str(names.get(found[1], found[1]))
        return "value"

    @staticmethod
    def both(one: Any, other: Any) -> Any:
        """Combine two forms of one request, and keep the placeholders of both."""
        if isinstance(one, dict):
            return {name: _Placeholders.both(value, other[name]) for name, value in one.items()}
        if isinstance(one, list) and isinstance(other, list):
            return [_Placeholders.both(a, b) for a, b in zip(one, other, strict=True)]
        return other if other in ("<now>", TOKEN) else one


def _merged(
    first: Sequence[Request], other_item: Sequence[Request], other_time: Sequence[Request]
) -> tuple[Request, ...]:
    """Return the requests of the first run, with placeholders for values that differ in the other runs."""
    runs = ([request.parameters for request in run] for run in (first, other_item, other_time))
    requests, with_other_item, at_other_time = runs
    named = [_Placeholders("computed from the stored item").merged(a, b) for a, b in _pairs(requests, with_other_item)]
    timed = [_Placeholders(None).merged(a, b) for a, b in _pairs(requests, at_other_time)]
    return tuple(
        Request(request.operation, _Placeholders.both(item, time))
        for request, item, time in zip(first, named, timed, strict=True)
    )


def _pairs(first: Sequence[Any], other: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Return pairs of requests of two runs.

    If the runs have different numbers of requests, pair each first request with itself.
    """
    if len(first) != len(other):
        return ((each, each) for each in first)
    return zip(first, other, strict=True)


def _calls(step: Step) -> Sequence[Call]:
    if isinstance(step, IndependentCalls):
        return step.calls
    return (step.call,) if isinstance(step, CallForChunks) else () if isinstance(step, Pause) else step


def _response(call: Call, stored: StoredItems) -> bytes:
    """Return the response of a server whose table contains only these stored items."""
    if call.operation == "GetItem":
        item = stored(call.parameters["Key"])
        return _encode({} if item is None else {"Item": item})
    if call.operation == "UpdateItem":
        return _encode({"Attributes": stored(call.parameters["Key"]) or {}})
    return b"{}"
