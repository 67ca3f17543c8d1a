"""Transactions: writes and checks that happen together or not at all, when their block ends."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from singletable.client import work
from singletable.client.key import Key
from singletable.client.steps import Steps
from singletable.client.writing.committing import Done
from singletable.client.writing.wanted import Wanted
from singletable.errors import ArgumentRefused
from singletable.model.changes import FieldChange

if TYPE_CHECKING:
    from singletable.client.open_table import OpenTable

E = TypeVar("E")


class Transaction:
    """Up to 100 actions, those included that keep other items right; each item is named once.

    Nothing is sent before the block ends, and nothing at all when it ends with an exception.
    """

    def __init__(self, opened: OpenTable, token: str | None) -> None:
        self._opened = opened
        self._token = token
        self._wanted: list[Wanted] = []
        self._ended = False

    def put(self, value: object) -> None:
        """Writes an object in place of the one with its key."""
        self._add(self._opened.writer.whole("put", value))

    def create(self, value: object) -> None:
        """Writes an object that must not be there yet."""
        self._add(self._opened.writer.whole("create", value))

    def upsert(self, value: object) -> None:
        """Writes every field of an object, and leaves what else the item has."""
        self._add(self._opened.writer.whole("upsert", value))

    def update(self, target: E | Key[E], *changes: FieldChange[E], where: Callable[[E], bool] | None = None) -> None:
        """Changes fields of an item that is there."""
        self._add(work.update(self._opened, target, changes, where))

    @overload
    def delete(self, target: Key[E], *, where: Callable[[E], bool] | None = None) -> None: ...
    @overload
    def delete(self, target: E, *, where: Callable[[E], bool] | None = None) -> None: ...
    def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None) -> None:
        """Takes an item away, if the condition holds."""
        self._add(work.delete(self._opened, target, where))

    @overload
    def check(self, target: Key[E], *, where: Callable[[E], bool] | None = None, absent: bool = False) -> None: ...
    @overload
    def check(self, target: E, *, where: Callable[[E], bool] | None = None, absent: bool = False) -> None: ...
    def check(self, target: Any, *, where: Callable[[Any], bool] | None = None, absent: bool = False) -> None:
        """Looks at an item without writing it: that it is there, that a condition holds, or that it is absent."""
        self._add(work.check(self._opened, target, where, absent=absent))

    def move(self, old: E, new: E) -> None:
        """Writes an object under another key in place of one that nobody has changed since it was read."""
        for each in self._opened.writer.moved(old, new):
            self._add(each)

    def _add(self, wanted: Wanted) -> None:
        if self._ended:
            raise ArgumentRefused("the transaction is over; begin another")
        self._wanted.append(wanted)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_wanted(kind):
            self._opened.run(self._steps())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_wanted(kind):
            await self._opened.run_async(self._steps())

    def _steps(self) -> Steps[Done]:
        committing = self._opened.writer.committing
        return committing.commit(self._wanted, source="transaction", together=True, token=self._token)

    def _is_wanted(self, kind: type[BaseException] | None) -> bool:
        if self._ended:
            raise ArgumentRefused("the transaction is over; begin another")
        self._ended = True
        return kind is None and bool(self._wanted)
