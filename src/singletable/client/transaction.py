"""Transactions: writes and checks that happen together or not at all, when their block ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from singletable.client.key import Key
from singletable.client.steps import Steps
from singletable.client.write.intent import WriteIntent
from singletable.client.write.tokens import token_marker
from singletable.errors import ArgumentRefused
from singletable.model.changes import FieldChange
from singletable.model.rules.value_rules import Validation

if TYPE_CHECKING:
    from singletable.client.open_table import OpenTable
    from singletable.client.write.execute import Done
    from singletable.client.write.writer import Writer
    from singletable.planner.bind import Request

E = TypeVar("E")


class Transaction:
    """Up to 100 actions, including those of derived data; each item is named once.

    Nothing is sent before the block ends, and nothing at all when it ends with an exception. Actions are accepted
    inside the block only, since nothing would ever send the others. After the block, `results` has an object for each
    action: the one that was written, and None for updates, deletes and checks. When a token's transaction had happened
    before, `is_replay` is True, nothing was written, and `results` has the current objects.
    """

    def __init__(self, opened: OpenTable, token: str | None) -> None:
        self._opened = opened
        self._token = token
        self._intents: list[WriteIntent] = []
        self._entered = self._ended = False
        self.is_replay = False
        self.results: tuple[Any, ...] = ()

    def put(self, value: object) -> None:
        """Writes an object in place of the one with its key."""
        self._add(self._opened.writer.intents.whole("put", value))

    def create(self, value: object) -> None:
        """Writes an object that must not be there yet."""
        self._add(self._opened.writer.intents.whole("create", value))

    def upsert(self, value: object) -> None:
        """Writes every field of an object, and leaves what else the item has."""
        self._add(self._opened.writer.intents.whole("upsert", value))

    def update(
        self,
        target: E | Key[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
    ) -> None:
        """Changes fields of an item that is there."""
        self._add(self._opened.writer.intents.update(target, changes, where, validate))

    @overload
    def delete(self, target: Key[E], *, where: Callable[[E], bool] | None = None) -> None: ...
    @overload
    def delete(self, target: E, *, where: Callable[[E], bool] | None = None) -> None: ...
    def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None) -> None:
        """Takes an item away, if the condition holds."""
        self._add(self._opened.writer.intents.delete(target, where))

    @overload
    def check(self, target: Key[E], *, where: Callable[[E], bool] | None = None, absent: bool = False) -> None: ...
    @overload
    def check(self, target: E, *, where: Callable[[E], bool] | None = None, absent: bool = False) -> None: ...
    def check(self, target: Any, *, where: Callable[[Any], bool] | None = None, absent: bool = False) -> None:
        """Looks at an item without writing it: that it is there, that a condition holds, or that it is absent."""
        self._add(self._opened.writer.intents.check(target, where, absent=absent))

    def move(self, old: E, new: E) -> None:
        """Writes an object under another key in place of one that nobody has changed since it was read."""
        for each in self._opened.writer.moved(old, new):
            self._add(each)

    def explain(self) -> tuple[Request, ...]:
        """The requests that the actions so far would send, the marker of a token included; nothing is sent.

        Values that come from stored items, the clock or a token are placeholders.
        """
        from singletable.client.write.dry_run import DryRun

        reader = self._opened.reader
        return DryRun(reader.design, reader.name, self._committed).requests()

    def _committed(self, writer: Writer) -> Steps[Done]:
        design, now = writer.design, writer.reader.now
        token = None if self._token is None else token_marker(design, self._token, self._intents, now)
        return writer.executor.commit(self._intents, source="transaction", is_transaction=True, token=token)

    def _add(self, intent: WriteIntent) -> None:
        if self._ended:
            raise ArgumentRefused("the transaction is over; begin another")
        if not self._entered:
            raise ArgumentRefused(
                "the transaction has not begun, so its writes would be lost.\n"
                "  Add actions inside its block: with shop.transaction() as tx: (or async with)."
            )
        self._intents.append(intent)

    def __enter__(self) -> Self:
        return self._begun()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_wanted(kind):
            self._opened.run(self._steps())

    async def __aenter__(self) -> Self:
        return self._begun()

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_wanted(kind):
            await self._opened.run_async(self._steps())

    def _begun(self) -> Self:
        if self._entered:
            raise ArgumentRefused("the transaction has begun already; begin another")
        self._entered = True
        return self

    def __del__(self) -> None:
        if self._ended or (self._entered and not self._intents):
            return
        state = "was left open with unsent actions" if self._entered else "was never entered"
        message = f"a transaction {state} and wrote nothing; use it as a block: with shop.transaction() as tx:"
        warnings.warn(message, ResourceWarning, source=self, stacklevel=2)

    def _steps(self) -> Steps[None]:
        writer = self._opened.writer
        done = yield from self._committed(writer)
        self.is_replay = done.is_replay
        if done.is_replay:
            self.results = yield from writer.current(self._intents, "transaction")
        else:
            self.results = tuple(each.result for each in done.prepared) if done.prepared else done.result

    def _is_wanted(self, kind: type[BaseException] | None) -> bool:
        if self._ended:
            raise ArgumentRefused("the transaction is over; begin another")
        self._ended = True
        return kind is None and bool(self._intents)
