"""Table scans: iterate over every item, for a stated reason. No other module of the client sends Scan."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from singletable.client.connected_table import ConnectedTable
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.request_session import CONCURRENT_MAX
from singletable.client.request_steps import Call, Steps
from singletable.client.responses import Item, read_page
from singletable.errors import ArgumentRefused
from singletable.model.entity import Entity
from singletable.values.limits import IN_OPERANDS_MAX, SCAN_SEGMENTS_MAX

if TYPE_CHECKING:
    from singletable.client.connected_table import ConnectedTable

T = TypeVar("T")


class TableScan(Generic[T]):
    """All objects of one or all entities, in no order. Each iteration scans the table again."""

    def __init__(
        self,
        opened: ConnectedTable,
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
        self._consistent, self._options = consistent, ReadOptions(expired=expired)

    def __iter__(self) -> Iterator[T]:
        segments = self._segment_requests()
        while segments:
            yield from self._opened.run(self._read(segments))

    async def __aiter__(self) -> AsyncIterator[T]:
        segments = self._segment_requests()
        while segments:
            for each in await self._opened.run_async(self._read(segments)):
                yield each

    def _segment_requests(self) -> list[dict[str, Any]]:
        """Return the parameters of the first request of each segment."""
        reader = self._opened.reader
        shared: dict[str, Any] = {"TableName": reader.name, "ReturnConsumedCapacity": "TOTAL"}
        if self._consistent:
            shared["ConsistentRead"] = True
        if self._entity is not None:
            shared |= _entity_filter(reader, self._entity)
        if self._segments == 1:
            return [shared]
        return [{**shared, "Segment": number, "TotalSegments": self._segments} for number in range(self._segments)]

    def _read(self, segments: list[dict[str, Any]]) -> Steps[list[T]]:
        """Return the objects of the next page of some segments.

        Update `segments`, and remove finished segments from it.
        """
        active, waiting = segments[:CONCURRENT_MAX], segments[CONCURRENT_MAX:]
        bodies = yield [Call("Scan", parameters, source=self._source) for parameters in active]
        found: list[T] = []
        unfinished: list[dict[str, Any]] = []
        for parameters, body in zip(active, bodies, strict=True):
            response = read_page(body)
            capacity = response.consumed_capacity
            self._opened.reader.metrics.read(self._source, 0.0 if capacity is None else capacity.capacity_units)
            found += self._objects(response.items)
            if response.last_evaluated_key is not None:
                unfinished.append({**parameters, "ExclusiveStartKey": response.last_evaluated_key})
        segments[:] = unfinished + waiting
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
            "a scan reads the whole table; pass the reason for it, which is also its name in the metrics: "
            "reason='nightly export'"
        )
    if type(segments) is not int or not 1 <= segments <= SCAN_SEGMENTS_MAX:
        raise ArgumentRefused(f"segments must be an int from 1 to {SCAN_SEGMENTS_MAX}, got {segments!r}")


def _entity_filter(reader: TableReader, entity: Entity) -> dict[str, Any]:
    """Return a filter that excludes items of the other entities. Items of unknown type pass, and cause a warning."""
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


def scan(opened: ConnectedTable, cls: type | None, **settings: Any) -> TableScan[Any]:
    """Return a scan of all objects of a class, or of all classes of the table."""
    return TableScan(opened, None if cls is None else opened.entities.of_class(cls), **settings)
