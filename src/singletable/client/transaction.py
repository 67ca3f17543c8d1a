"""Transactions: writes and condition checks that commit together at the end of a block."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from singletable.client.key import Key
from singletable.client.request_steps import Steps
from singletable.client.write.token_markers import token_marker
from singletable.client.write.write_intents import WriteIntent
from singletable.errors import ArgumentRefused
from singletable.lazy_dataclass import replace
from singletable.model.reserved_place import reserved_place
from singletable.model.update_changes import FieldChange
from singletable.model.validation.value_rules import Validation

if TYPE_CHECKING:
    from singletable.client.connected_table import ConnectedTable
    from singletable.client.write.table_writer import Writer
    from singletable.client.write.write_execution import CommitResult
    from singletable.planner.planned_requests import Request

E = TypeVar("E")


class Transaction:
    """A transaction of up to 100 actions, including those on derived data; each action is on a different item.

    The end of the block sends the transaction, unless it ends with an exception. You can add actions only inside the
    block. After the block, `results` has an entry for each action: the written object, or None for updates, deletes and
    checks. If an earlier transaction with the same token was committed, `is_replay` is True, nothing is written, and
    `results` contains the current objects.
    """

    def __init__(self, opened: ConnectedTable, token: str | None) -> None:
        self._opened = opened
        self._token = token
        self._intents: list[WriteIntent] = []
        self._entered = self._ended = False
        self.is_replay = False
        self.results: tuple[Any, ...] = ()

    def put(self, value: object) -> None:
        """Write an object, replacing the stored one with the same key."""
        self._add(self._opened.writer.intents.whole("put", value))

    def create(self, value: object) -> None:
        """Write a new object, whose key must not exist."""
        self._add(self._opened.writer.intents.whole("create", value))

    def upsert(self, value: object) -> None:
        """Write all fields of an object and keep other stored attributes."""
        self._add(self._opened.writer.intents.whole("upsert", value))

    def update(
        self,
        target: E | Key[E],
        *changes: FieldChange[E],
        where: Callable[[E], bool] | None = None,
        validate: Validation = "whole",
    ) -> None:
        """Change fields of an existing item."""
        self._add(self._opened.writer.intents.update(target, changes, where, validate))

    @overload
    def delete(self, target: Key[E], *, where: Callable[[E], bool] | None = None) -> None: ...
    @overload
    def delete(self, target: E, *, where: Callable[[E], bool] | None = None) -> None: ...
    def delete(self, target: Any, *, where: Callable[[Any], bool] | None = None) -> None:
        """Delete an item if the condition holds."""
        self._add(self._opened.writer.intents.delete(target, where))

    @overload
    def check(self, target: Key[E], *, where: Callable[[E], bool] | None = None, absent: bool = False) -> None: ...
    @overload
    def check(self, target: E, *, where: Callable[[E], bool] | None = None, absent: bool = False) -> None: ...
    def check(self, target: Any, *, where: Callable[[Any], bool] | None = None, absent: bool = False) -> None:
        """Check that an item exists, meets a condition, or does not exist, without writing it."""
        self._add(self._opened.writer.intents.check(target, where, absent=absent))

    def move(self, old: E, new: E) -> None:
        """Replace `old` with `new`, which has another key, if the stored object still equals `old`."""
        for each in self._opened.writer.move_intents(old, new):
            self._add(each)

    def explain(self) -> tuple[Request, ...]:
        """Return the requests for the actions so far, including the marker of a token, without sending them.

        Values from stored items, the clock or a token are placeholders.
        """
        from singletable.client.write.dry_run import DryRun

        reader = self._opened.reader
        return DryRun(reader.design, reader.name, self._commit).requests()

    def _commit(self, writer: Writer) -> Steps[CommitResult]:
        design, now = writer.design, writer.reader.now
        # A migration may have changed the keys of the entities since the caller added the actions.
        intents = [replace(each, entity=design.entity_of(each.entity.cls)) for each in self._intents]
        place = reserved_place(design, writer.reader.name)
        token = None if self._token is None else token_marker(design, place, self._token, intents, now)
        return writer.executor.commit(intents, source="transaction", is_transaction=True, token=token)

    def _add(self, intent: WriteIntent) -> None:
        if self._ended:
            raise ArgumentRefused("the transaction has ended; start a new transaction")
        if not self._entered:
            raise ArgumentRefused(
                "the transaction has not started, so its writes would be lost.\n"
                "  Add actions inside its block: with shop.transaction() as tx: (or async with)."
            )
        self._intents.append(intent)

    def __enter__(self) -> Self:
        return self._start()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._end(kind):
            self._opened.run(self._steps())

    async def __aenter__(self) -> Self:
        return self._start()

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._end(kind):
            await self._opened.run_async(self._steps())

    def _start(self) -> Self:
        if self._entered:
            raise ArgumentRefused("the transaction has already started; start a new transaction")
        self._entered = True
        return self

    def __del__(self) -> None:
        if self._ended or (self._entered and not self._intents):
            return
        state = "was not ended and has unsent actions" if self._entered else "was never entered"
        message = f"a transaction {state} and wrote nothing; use it as a block: with shop.transaction() as tx:"
        warnings.warn(message, ResourceWarning, source=self, stacklevel=2)

    def _steps(self) -> Steps[None]:
        return self._opened.write_steps(lambda table: self._commit_and_read(table.writer))

    def _commit_and_read(self, writer: Writer) -> Steps[None]:
        done = yield from self._commit(writer)
        self.is_replay = done.is_replay
        if done.is_replay:
            self.results = yield from writer.current_objects(self._intents, "transaction")
        else:
            self.results = tuple(each.result for each in done.prepared) if done.prepared else done.result

    def _end(self, kind: type[BaseException] | None) -> bool:
        """End the transaction, and return whether to commit it."""
        if self._ended:
            raise ArgumentRefused("the transaction has ended; start a new transaction")
        self._ended = True
        return kind is None and bool(self._intents)
