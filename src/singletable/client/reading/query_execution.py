"""The Queries of one read: several Queries merged by sort key, such as one per shard, or one Query on the fast path."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import field
from decimal import Decimal
from typing import Any

from singletable.client.items.decoder import key_value
from singletable.client.reading.table_reader import ReadOptions, TableReader
from singletable.client.reading.unreadable_items import UnreadableItems
from singletable.client.request_steps import Call, Steps, in_chunks
from singletable.client.responses import Item
from singletable.lazy_dataclass import dataclass
from singletable.planner.plan import EXAMINED_MAX, EXAMINED_MIN, Plan
from singletable.planner.planned_requests import Request

Position = dict[str, Any] | bool | None
"""The position of a Query in reading direction: after a key, at its start (None), or at its end (True)."""


@dataclass
class OpenQuery:
    """One Query: its buffered items, and the position at which it continues."""

    request: Request
    position: Position
    buffer: list[Item] = field(default_factory=list)
    next_key: Position = None
    response: bytes = b""
    """The body of the last response, for reports of unreadable items."""

    @property
    def is_over(self) -> bool:
        """Whether the Query has ended and its buffer is empty."""
        return not self.buffer and self.next_key is True


class MergedQueries:
    """All Queries of a read, merged by sort key. They read forwards or backwards from their positions."""

    def __init__(
        self,
        reader: TableReader,
        plan: Plan,
        requests: Sequence[Request],
        positions: Sequence[Position],
        options: ReadOptions,
        *,
        backwards: bool = False,
        unreadable: UnreadableItems | None = None,
    ) -> None:
        """Store the Queries. `unreadable` collects the items that cannot be decoded."""
        self.unreadable = unreadable
        self._reader, self._plan, self.options, self._backwards = reader, plan, options, backwards
        self._queries = [
            OpenQuery(request, position, next_key=position)
            for request, position in zip(requests, positions, strict=True)
        ]
        self._forward = plan.forward is not backwards
        self._first: list[Item | None] | None = None
        is_thin = plan.filter is not None or bool(plan.other_entities)
        self._examined_min = EXAMINED_MIN if is_thin else 0

    def take(self, count: int | None) -> Steps[list[Item]]:
        """Return the next `count` items in order.

        Without a count, return the items of the next page that is not empty.
        """
        taken: list[Item] = []
        if self.unreadable is not None:
            self.unreadable.responses = [query.response for query in self._queries if query.buffer]
        while count is None or len(taken) < count:
            empty = [query for query in self._queries if not query.buffer and query.next_key is not True]
            if empty:
                # One item more than requested shows whether there is a previous page.
                yield from self._read(empty, None if count is None else count - len(taken) + self._backwards)
                continue
            if self._first is None:
                self._first = [query.buffer[0] if query.buffer else None for query in self._queries]
            ready = [query for query in self._queries if query.buffer]
            if not ready:
                break
            taken += self._merged(ready, None if count is None else count - len(taken))
            if count is None:
                break
        return taken

    def look_ahead(self) -> Steps[None]:
        """Read until an item is available or all Queries have ended."""
        while not any(query.buffer for query in self._queries):
            empty = [query for query in self._queries if query.next_key is not True]
            if not empty:
                return
            yield from self._read(empty, 1)

    def _read(self, queries: list[OpenQuery], limit: int | None) -> Steps[None]:
        hidden, bodies = 0, (yield [self._call(query, limit) for query in queries])
        for query, body in zip(queries, bodies, strict=True):
            response = self._reader.page(body, self._plan, self.options)
            query.next_key = True if response.last_evaluated_key is None else response.last_evaluated_key
            query.buffer = response.items
            if self.unreadable is not None:
                query.response = body
                self.unreadable.responses.append(body)
            hidden += response.count - len(response.items)
            if not query.buffer:
                query.position = query.next_key
        if not any(query.buffer for query in queries):
            self._examined_min = min(max(EXAMINED_MIN, 2 * self._examined_min), EXAMINED_MAX)
        elif hidden > 0:
            self._examined_min = max(EXAMINED_MIN, self._examined_min)

    def _call(self, query: OpenQuery, limit: int | None) -> Any:
        added: dict[str, Any] = {}
        if isinstance(query.next_key, dict):
            added["ExclusiveStartKey"] = query.next_key
        call = self._reader.call(query.request, self._plan, self.options, **added)
        call.parameters.pop("Limit", None)
        call.parameters.pop("ScanIndexForward", None)
        if not self._forward:
            call.parameters["ScanIndexForward"] = False
        if limit is not None:
            call.parameters["Limit"] = max(limit, self._examined_min)
        return call

    def _merged(self, queries: list[OpenQuery], count: int | None) -> list[Item]:
        """Return items in order. Stop when the buffer of an unfinished Query is empty."""
        if len(self._queries) == 1:
            (query,) = queries
            given = query.buffer if count is None else query.buffer[:count]
            self._consume(query, len(given))
            return given
        if self._backwards:
            queries = queries[
                ::-1
            ]  # items with the same sort key follow the order of the Queries, reversed when reading backwards
        order = _order_of(self._plan, self._forward)
        heap = [(order(query.buffer[0]), number, 0) for number, query in enumerate(queries)]
        heapq.heapify(heap)
        taken: list[Item] = []
        counts = [0] * len(queries)
        while heap and (count is None or len(taken) < count):
            _, number, place = heapq.heappop(heap)
            query = queries[number]
            taken.append(query.buffer[place])
            counts[number] = place + 1
            if place + 1 < len(query.buffer):
                heapq.heappush(heap, (order(query.buffer[place + 1]), number, place + 1))
            elif query.next_key is not True:
                break  # the next item of this Query can sort before the buffered items of the other Queries
        for query, places in zip(queries, counts, strict=True):
            self._consume(query, places)
        return taken

    def _consume(self, query: OpenQuery, count: int) -> None:
        if count == len(query.buffer):
            query.buffer, query.position = [], query.next_key
        elif count:
            query.position = self._key(query.buffer[count - 1])
            query.buffer = query.buffer[count:]

    def _key(self, item: Item) -> Position:
        names = (*self._plan.index.key_attributes, *self._reader.design.table.key_attributes)
        return {name: item[name] for name in dict.fromkeys(names)}

    @property
    def reversed_positions(self) -> list[Position]:
        """The positions from which the Queries read in the other direction, starting at the first returned item.

        A Query continues after a key, never at the key. So each Query starts after its first item, even if this item
        was not returned yet. A Query without items starts at its end.
        """
        assert self._first is not None, "`take` must be called first"
        return [None if item is None else self._key(item) for item in self._first]

    @property
    def positions(self) -> list[Position] | None:
        """The current position of each Query; None if all have ended."""
        if all(query.is_over for query in self._queries):
            return None
        return [query.position for query in self._queries]


def _order_of(plan: Plan, forward: bool) -> Callable[[Item], Any]:
    names = [attribute.name for attribute in plan.index.sort]
    sign = 1 if forward else -1

    def order(item: Item) -> Any:
        return tuple(_SortValue(key_value(item[name]), sign) for name in names)

    return order


class _SortValue:
    """A key value that sorts as in DynamoDB, ascending or descending."""

    __slots__ = ("_sign", "_value")

    def __init__(self, value: str | bytes | Decimal, sign: int) -> None:
        self._value = value.encode() if isinstance(value, str) else value
        self._sign = sign

    def __lt__(self, other: _SortValue) -> bool:
        left, right = (self._value, other._value) if self._sign > 0 else (other._value, self._value)
        return bool(left < right)  # type: ignore[operator]  # both are of one key attribute, so of one type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SortValue) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)


class SingleQuery:
    """Fast path: one Query from its start, in which every item matches.

    It does not decode the keys of items, because neither a merge nor a cursor needs them. It decodes the chunks of a
    page one at a time, which keeps memory use low.
    """

    def __init__(
        self,
        reader: TableReader,
        plan: Plan,
        request: Request,
        options: ReadOptions,
        unreadable: UnreadableItems | None,
    ) -> None:
        self._reader, self._plan, self._request, self.options = reader, plan, request, options
        self._unreadable = unreadable
        self._next_key: Item | None = None
        self.is_over = False
        """Whether the Query has ended."""

    def take(self, count: int | None) -> Steps[list[Any]]:
        """Return the next `count` objects in order. Without a count, return the objects of the next nonempty page.

        Unreadable items count too, so the result can have fewer objects.
        """
        taken: list[Any] = []
        unreadable = self._unreadable
        before = 0 if unreadable is None else unreadable.count
        read, enough = 0, 1 if count is None else count
        while not self.is_over and read < enough:
            response = yield from in_chunks(self._call(None if count is None else count - read))
            objects, self._next_key = self._reader.objects(response, self._plan, self.options, unreadable)
            taken = taken + objects if taken else objects
            read = len(taken) if unreadable is None else len(taken) + unreadable.count - before
            self.is_over = self._next_key is None
        return taken

    @property
    def positions(self) -> list[Position] | None:
        """The current position of the Query; None if it has ended."""
        return None if self._next_key is None else [self._next_key]

    def _call(self, limit: int | None) -> Call:
        call = self._reader.call(self._request, self._plan, self.options)
        call.parameters.pop("Limit", None)
        if limit is not None:
            call.parameters["Limit"] = limit
        if self._next_key is not None:
            call.parameters["ExclusiveStartKey"] = self._next_key
        return call
