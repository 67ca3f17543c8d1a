"""Scan of a table: all stored items, or a sample spread over the table, each with its JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from singletable.client.items.decoder import Item
from singletable.client.request_session import Session
from singletable.client.request_steps import Call
from singletable.client.responses import PageResponse, read_page
from singletable.client.transport import in_process
from singletable.wire.api_types import decoder_of

SAMPLE_SEGMENTS = 16
ENGINE_PAGE_ITEMS_MAX = 2_000
"""A page size below 1 MB, for an engine in this process.

Such pages need less memory, and a request to this engine costs little.
"""

_read_json = decoder_of(PageResponse[msgspec.Raw]).decode


class StoredItem(NamedTuple):
    """An item, and its JSON as the server sent it, or None if the item does not come from a server."""

    item: Item
    json: bytes | None = None


class ItemScan:
    """Scans one table, and counts requests and read units."""

    def __init__(self, session: Session, table_name: str, items_max: int | None = None) -> None:
        """Store the settings.

        With `items_max`, the scan reads at most this number of items, a share from each of several segments.
        """
        self._session, self._name, self._items_max = session, table_name, items_max
        self._engine = in_process(session.transport)
        self.requests = 0
        self.read_units = 0.0
        self.items = 0
        self.is_whole = False
        """Whether the scan has returned all items of the table."""

    def pages(self) -> Iterator[list[StoredItem]]:
        """Yield the items page by page."""
        waiting = self._first_requests()
        while waiting:
            if self._items_max is not None and self.items >= self._items_max:
                return
            request = waiting.pop(0)
            page, last = self._page(request)
            self.items += len(page)
            if last is not None:
                waiting.append({**request, "ExclusiveStartKey": last})
            yield page
        self.is_whole = True

    def _first_requests(self) -> list[dict[str, Any]]:
        """Return the first request of each segment. A scan of the whole table has one segment."""
        shared: dict[str, Any] = {"TableName": self._name, "ReturnConsumedCapacity": "TOTAL"}
        if self._items_max is None:
            return [shared if self._engine is None else {**shared, "Limit": ENGINE_PAGE_ITEMS_MAX}]
        segments = min(SAMPLE_SEGMENTS, self._items_max)
        shared |= {"TotalSegments": segments, "Limit": -(-self._items_max // segments)}
        return [{**shared, "Segment": number} for number in range(segments)]

    def _page(self, request: dict[str, Any]) -> tuple[list[StoredItem], Item | None]:
        if self._items_max is not None:
            request = {**request, "Limit": min(request["Limit"], self._items_max - self.items)}
        body = self._session.send(Call("Scan", request))
        if self._engine is not None:
            self._engine.release_memory()
        page, json = read_page(body), _read_json(body).items
        self.requests += 1
        self.read_units += 0.0 if page.consumed_capacity is None else page.consumed_capacity.capacity_units
        return list(map(StoredItem, page.items, map(bytes, json))), page.last_evaluated_key
