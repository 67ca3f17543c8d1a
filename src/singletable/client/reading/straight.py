"""Straight reads: one Query from its beginning, all of whose items are wanted, made into objects as they come.

Neither a merge nor a cursor looks at its items, so their keys are not decoded; and where they come in pieces, each one
becomes objects before the next is decoded, in memory that is still at hand.
"""

from __future__ import annotations

from typing import Any

from singletable.client.answers import Item
from singletable.client.options import Options
from singletable.client.reading.ranges import Position
from singletable.client.reading.reader import Reader
from singletable.client.reading.unreadable import UnreadableItems
from singletable.client.steps import Call, Steps, in_pieces
from singletable.planner.bind import Request
from singletable.planner.plan import Plan


class Straight:
    """One Query, to be taken piece by piece."""

    def __init__(
        self, reader: Reader, plan: Plan, request: Request, options: Options, unreadable: UnreadableItems | None
    ) -> None:
        self._reader, self._plan, self._request, self._options = reader, plan, request, options
        self._unreadable = unreadable
        self._next_key: Item | None = None
        self.is_over = False
        """Whether the Query has ended."""

    def take(self, count: int | None) -> Steps[list[Any]]:
        """The next objects in order, so many of them; without a count, those of the next page that has any.

        Unreadable items count too, so it can return fewer objects.
        """
        taken: list[Any] = []
        unreadable = self._unreadable
        before = 0 if unreadable is None else unreadable.count
        read, enough = 0, 1 if count is None else count
        while not self.is_over and read < enough:
            answer = yield from in_pieces(self._call(None if count is None else count - read))
            objects, self._next_key = self._reader.objects(answer, self._plan, self._options, unreadable)
            taken = taken + objects if taken else objects
            read = len(taken) if unreadable is None else len(taken) + unreadable.count - before
            self.is_over = self._next_key is None
        return taken

    @property
    def positions(self) -> list[Position] | None:
        """Where the Query stands now; None when it has ended."""
        return None if self._next_key is None else [self._next_key]

    def _call(self, wanted: int | None) -> Call:
        call = self._reader.call(self._request, self._plan, self._options)
        call.parameters.pop("Limit", None)
        if wanted is not None:
            call.parameters["Limit"] = wanted
        if self._next_key is not None:
            call.parameters["ExclusiveStartKey"] = self._next_key
        return call
