"""Reads of the whole table, for a reason: the one place of the data layer that asks for a Scan."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from singletable.client.answers import Item, read_page
from singletable.client.options import Options
from singletable.client.reading.reader import Reader
from singletable.client.session import CONCURRENT_MAX
from singletable.client.steps import Call, Steps
from singletable.errors import ArgumentRefused
from singletable.model.entity import Entity
from singletable.values.limits import IN_OPERANDS_MAX, SCAN_SEGMENTS_MAX

if TYPE_CHECKING:
    from singletable.client.open_table import OpenTable

T = TypeVar("T")


class Scan(Generic[T]):
    """Every object of an entity, or of all of them, in no order; each loop over it reads the table anew."""

    def __init__(
        self,
        opened: OpenTable,
        entity: Entity | None,
        *,
        reason: str,
        segments: int,
        consistent: bool,
        expired: bool,
    ) -> None:
        _check(reason, segments)
        self._opened, self._entity, self._segments = opened, entity, segments
        self._source = f"scan: {reason.strip()}"
        self._consistent, self._options = consistent, Options(expired=expired)

    def __iter__(self) -> Iterator[T]:
        segments = self._parts()
        while segments:
            yield from self._opened.run(self._read(segments))

    async def __aiter__(self) -> AsyncIterator[T]:
        segments = self._parts()
        while segments:
            for each in await self._opened.run_async(self._read(segments)):
                yield each

    def _parts(self) -> list[dict[str, Any]]:
        """The parameters of each segment's next request."""
        reader = self._opened.reader
        shared: dict[str, Any] = {"TableName": reader.name, "ReturnConsumedCapacity": "TOTAL"}
        if self._consistent:
            shared["ConsistentRead"] = True
        if self._entity is not None:
            shared |= _without_others(reader, self._entity)
        if self._segments == 1:
            return [shared]
        return [{**shared, "Segment": number, "TotalSegments": self._segments} for number in range(self._segments)]

    def _read(self, segments: list[dict[str, Any]]) -> Steps[list[T]]:
        """The objects of the next page of some segments; notes where each goes on, and drops it at its end."""
        asked, waiting = segments[:CONCURRENT_MAX], segments[CONCURRENT_MAX:]
        bodies = yield [Call("Scan", parameters) for parameters in asked]
        found: list[T] = []
        following: list[dict[str, Any]] = []
        for parameters, body in zip(asked, bodies, strict=True):
            answer = read_page(body)
            capacity = answer.consumed_capacity
            self._opened.reader.metrics.read(self._source, 0.0 if capacity is None else capacity.capacity_units)
            found += self._objects(answer.items)
            if answer.last_evaluated_key is not None:
                following.append({**parameters, "ExclusiveStartKey": answer.last_evaluated_key})
        segments[:] = following + waiting
        return found

    def _objects(self, items: list[Item]) -> Iterator[T]:
        reader = self._opened.reader
        for item in items:
            entity = reader.entity_of(item, self._source)
            if entity is not None and self._entity in (None, entity) and reader.is_alive(item, self._options):
                made: T | None = reader.read(item, entity, self._source)
                if made is not None:
                    yield made


def _check(reason: Any, segments: Any) -> None:
    if not isinstance(reason, str) or not reason.strip():
        raise ArgumentRefused(
            "a scan reads the whole table and says why: reason='nightly export'; metrics count it by these words"
        )
    if type(segments) is not int or not 1 <= segments <= SCAN_SEGMENTS_MAX:
        raise ArgumentRefused(f"segments is {segments!r}; a scan has from 1 to {SCAN_SEGMENTS_MAX} of them")


def _without_others(reader: Reader, entity: Entity) -> dict[str, Any]:
    """A filter that keeps the items of other entities from travelling, and lets those that nobody knows be met."""
    attribute = reader.design.settings.type_attribute
    others = [other.name for other in reader.design.entities if other is not entity]
    if attribute is None or not 0 < len(others) <= IN_OPERANDS_MAX:
        return {}
    values = {f":other{number}": {"S": name} for number, name in enumerate(others)}
    return {
        "FilterExpression": f"NOT #type IN ({', '.join(values)})",
        "ExpressionAttributeNames": {"#type": attribute},
        "ExpressionAttributeValues": values,
    }
