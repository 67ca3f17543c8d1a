"""The Queries of one read: one, or one for each shard or cell, side by side, merged in the order of their sort keys."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from singletable.client.answers import Item
from singletable.client.items.decoder import key_value
from singletable.client.options import Options
from singletable.client.reading.reader import Reader
from singletable.client.reading.unreadable import UnreadableItems
from singletable.client.steps import Steps
from singletable.planner.bind import Request
from singletable.planner.plan import Plan

Position = dict[str, Any] | bool | None
"""Where a Query stands, as it is read: behind this key, at its beginning (None), or at its end (True)."""

# Where a filter, other entities or expired items thin out what is read, asking for a few items at a time would be many
# requests. So at least as many are examined, and twice as many each time that nothing was among them, up to more
# than the megabyte of a page holds.
EXAMINED_MIN = 100
EXAMINED_MAX = 100_000


@dataclass
class Lane:
    """One Query: what it has read and not yet given, and where it goes on."""

    request: Request
    position: Position
    read: list[Item] = field(default_factory=list)
    next_key: Position = None
    answer: bytes = b""
    """The body of the last answer, kept for reports of unreadable items."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return not self.read and self.next_key is True


class Range:
    """All Queries of a read, from their positions on, or backwards from there."""

    def __init__(
        self,
        reader: Reader,
        plan: Plan,
        requests: Sequence[Request],
        positions: Sequence[Position],
        options: Options,
        *,
        backwards: bool = False,
        unreadable: UnreadableItems | None = None,
    ) -> None:
        """`unreadable` collects the taken items that cannot be decoded."""
        self.unreadable = unreadable
        self._reader, self._plan, self._options, self._backwards = reader, plan, options, backwards
        self._lanes = [
            Lane(request, position, next_key=position) for request, position in zip(requests, positions, strict=True)
        ]
        self._forward = plan.forward is not backwards
        self._first: list[Item | None] | None = None
        is_thin = plan.filter is not None or bool(plan.foreign)
        self._examined_min = EXAMINED_MIN if is_thin else 0

    def take(self, count: int | None) -> Steps[list[Item]]:
        """The next items in order, so many of them; without a count, those of the next page that has any."""
        taken: list[Item] = []
        if self.unreadable is not None:
            self.unreadable.answers = [lane.answer for lane in self._lanes if lane.read]
        while count is None or len(taken) < count:
            hungry = [lane for lane in self._lanes if not lane.read and lane.next_key is not True]
            if hungry:
                # One more than is wanted tells whether anything is before it.
                yield from self._read(hungry, None if count is None else count - len(taken) + self._backwards)
                continue
            if self._first is None:
                self._first = [lane.read[0] if lane.read else None for lane in self._lanes]
            ready = [lane for lane in self._lanes if lane.read]
            if not ready:
                break
            taken += self._merged(ready, None if count is None else count - len(taken))
            if count is None:
                break
        return taken

    def look_ahead(self) -> Steps[None]:
        """Reads on until it is known whether anything more will come."""
        while not any(lane.read for lane in self._lanes):
            hungry = [lane for lane in self._lanes if lane.next_key is not True]
            if not hungry:
                return
            yield from self._read(hungry, 1)

    def _read(self, lanes: list[Lane], wanted: int | None) -> Steps[None]:
        hidden, bodies = 0, (yield [self._call(lane, wanted) for lane in lanes])
        for lane, body in zip(lanes, bodies, strict=True):
            answer = self._reader.page(body, self._plan, self._options)
            lane.next_key = True if answer.last_evaluated_key is None else answer.last_evaluated_key
            lane.read = answer.items
            if self.unreadable is not None:
                lane.answer = body
                self.unreadable.answers.append(body)
            hidden += answer.count - len(answer.items)
            if not lane.read:
                lane.position = lane.next_key
        if not any(lane.read for lane in lanes):
            self._examined_min = min(max(EXAMINED_MIN, 2 * self._examined_min), EXAMINED_MAX)
        elif hidden > 0:
            self._examined_min = max(EXAMINED_MIN, self._examined_min)

    def _call(self, lane: Lane, wanted: int | None) -> Any:
        added: dict[str, Any] = {}
        if isinstance(lane.next_key, dict):
            added["ExclusiveStartKey"] = lane.next_key
        call = self._reader.call(lane.request, self._plan, self._options, **added)
        call.parameters.pop("Limit", None)
        call.parameters.pop("ScanIndexForward", None)
        if not self._forward:
            call.parameters["ScanIndexForward"] = False
        if wanted is not None:
            call.parameters["Limit"] = max(wanted, self._examined_min)
        return call

    def _merged(self, lanes: list[Lane], count: int | None) -> list[Item]:
        """Items in order, as long as no lane that may go on has run dry."""
        if len(self._lanes) == 1:
            (lane,) = lanes
            given = lane.read if count is None else lane.read[:count]
            self._give(lane, len(given))
            return given
        if self._backwards:
            lanes = lanes[::-1]  # items of one sort key come in the order of the lanes, and back in the other
        order = _order_of(self._plan, self._forward)
        heap = [(order(lane.read[0]), number, 0) for number, lane in enumerate(lanes)]
        heapq.heapify(heap)
        taken: list[Item] = []
        counts = [0] * len(lanes)
        while heap and (count is None or len(taken) < count):
            _, number, place = heapq.heappop(heap)
            lane = lanes[number]
            taken.append(lane.read[place])
            counts[number] = place + 1
            if place + 1 < len(lane.read):
                heapq.heappush(heap, (order(lane.read[place + 1]), number, place + 1))
            elif lane.next_key is not True:
                break  # what comes next in this lane may come before what is ready in the others
        for lane, places in zip(lanes, counts, strict=True):
            self._give(lane, places)
        return taken

    def _give(self, lane: Lane, count: int) -> None:
        if count == len(lane.read):
            lane.read, lane.position = [], lane.next_key
        elif count:
            lane.position = self._key(lane.read[count - 1])
            lane.read = lane.read[count:]

    def _key(self, item: Item) -> Position:
        names = (*self._plan.index.key_attributes, *self._reader.design.table.key_attributes)
        return {name: item[name] for name in dict.fromkeys(names)}

    @property
    def turned(self) -> list[Position]:
        """Where every Query would start to read the other way, over what came before the first item taken.

        A Query goes on behind a key, and never at it. So the way back starts behind the first item that came from each
        Query, also where it was not taken yet; and at the very end of a Query from which none came.
        """
        assert self._first is not None, "something was taken"
        return [None if item is None else self._key(item) for item in self._first]

    @property
    def positions(self) -> list[Position] | None:
        """Where every Query stands now; None when all of them have ended."""
        if all(lane.is_over for lane in self._lanes):
            return None
        return [lane.position for lane in self._lanes]


def _order_of(plan: Plan, forward: bool) -> Callable[[Item], Any]:
    names = [attribute.name for attribute in plan.index.sort]
    sign = 1 if forward else -1

    def order(item: Item) -> Any:
        return tuple(_Sorted(key_value(item[name]), sign) for name in names)

    return order


class _Sorted:
    """A key's value as DynamoDB sorts it, from either end."""

    __slots__ = ("_sign", "_value")

    def __init__(self, value: str | bytes | Decimal, sign: int) -> None:
        self._value = value.encode() if isinstance(value, str) else value
        self._sign = sign

    def __lt__(self, other: _Sorted) -> bool:
        left, right = (self._value, other._value) if self._sign > 0 else (other._value, self._value)
        return bool(left < right)  # type: ignore[operator]  # both are of one key attribute, and so of one type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sorted) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)
