"""Sources of items: a segmented Scan of a table with a rate limit, which can continue after an interruption."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Call
from singletable.client.responses import Item, read_page

Position = Any
"""The progress of a source, as JSON. None is the start."""
SOURCE = "export"


class SourcePage(NamedTuple):
    """Some items, and the progress after them."""

    items: list[Item]
    position: Position
    read_units: float = 0.0
    requests: int = 0


class ItemSource(Protocol):
    """Yields the items of a table, from a position on."""

    name: str

    def pages(self, position: Position) -> Iterator[SourcePage]:
        """Yield the pages after a position."""
        ...


class ScanSource:
    """A Scan of a table in several segments."""

    def __init__(
        self,
        opened: ConnectedTable,
        *,
        segments: int = 4,
        rate: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """`rate` is the maximum number of read units per second."""
        self.name = opened.session.transport.name
        self._opened, self._segments, self._rate, self._clock, self._wait = opened, segments, rate, clock, wait

    def pages(self, position: Position) -> Iterator[SourcePage]:
        """Yield one page per round, with the items of the next page of every segment."""
        starts: list[Any] = [{} for _ in range(self._segments)] if position is None else list(position)
        total, started_at = 0.0, self._clock()
        while active := [number for number, start in enumerate(starts) if start is not None]:
            calls = [self._scan(number, starts[number], len(starts)) for number in active]
            items: list[Item] = []
            units = 0.0
            for number, body in zip(active, self._opened.session.send_all(calls), strict=True):
                page = read_page(body)
                items += page.items
                starts[number] = page.last_evaluated_key
                units += 0.0 if page.consumed_capacity is None else page.consumed_capacity.capacity_units
            total += units
            yield SourcePage(items, list(starts), units, len(calls))
            if self._rate is not None and (ahead := total / self._rate - (self._clock() - started_at)) > 0:
                self._wait(ahead)

    def _scan(self, segment: int, start: Item, segments: int) -> Call:
        request: dict[str, Any] = {"TableName": self._opened.reader.name, "ReturnConsumedCapacity": "TOTAL"}
        if segments > 1:
            request |= {"Segment": segment, "TotalSegments": segments}
        return Call("Scan", request | ({"ExclusiveStartKey": start} if start else {}), source=SOURCE)
