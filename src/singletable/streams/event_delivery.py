"""Delivery of stream records to handlers: order per item, counted attempts, and records that are set aside."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from singletable.client.connected_table import ConnectedTable
from singletable.client.request_steps import Steps
from singletable.client.table import Table
from singletable.client.transaction import Transaction
from singletable.client.write.item_actions import ItemAction
from singletable.client.write.table_writer import Writer
from singletable.client.write.token_markers import token_marker
from singletable.client.write.write_execution import CommitResult
from singletable.errors import ItemRefused, StreamRefused, UnknownItemWarning
from singletable.model.reserved_place import reserved_place
from singletable.model.stream_handlers import ChangeEvent, StreamHandler
from singletable.streams.reserved_items import ReservedItems
from singletable.streams.set_aside import AsideIndex, AsideRecord, SetAside
from singletable.streams.stream_records import RecordReader, StreamRecord

R = TypeVar("R")
Handler = StreamHandler[..., Any]
ONCE_SECONDS = 30 * 86_400
"""The lifetime of the marker of `ChangeEvent.transaction`, if the table has a time to live."""
ONCE_DIGEST = "stream change"
ATTEMPTS = 5
REPORTED_MAX = 20


@dataclass
class DeliveryReport:
    """What happened to the records so far."""

    records: int = 0
    delivered: int = 0
    """The records that at least one handler received."""
    internal: int = 0
    """The records of reserved items and unique markers."""
    failed: int = 0
    """The failed attempts."""
    set_aside: int = 0
    """The records that were set aside."""
    unknown: dict[str, int] = field(default_factory=dict)
    """The number of records that belong to no entity, by type attribute or key."""


class HandlerFailed(Exception):
    """A handler failed, or an image cannot be read. The runner retries the record."""

    def __init__(self, name: str, problem: Exception) -> None:
        self.reason = f"{name}: {type(problem).__name__}: {problem}"
        super().__init__(self.reason)


@dataclass
class TransactionsOfEvent:
    """Begins the transaction of one change for one handler."""

    opened: ConnectedTable
    is_committed: bool = False

    def __call__(self, token: str) -> Transaction:
        """Return a transaction.

        Raise StreamRefused if the handler has already committed a transaction for this change.
        """
        if self.is_committed:
            raise StreamRefused(
                "a handler can commit only one event.transaction() for a change, because a repetition could not "
                "distinguish two.\n  Put all writes into one transaction, or use two handlers."
            )
        return OnceTransaction(self, token)


class OnceTransaction(Transaction):
    """A transaction whose effect occurs once for a token, even if a repetition would write something else."""

    def __init__(self, event: TransactionsOfEvent, token: str) -> None:
        super().__init__(event.opened, f"change#{token}")
        self._event = event

    def _commit(self, writer: Writer) -> Steps[CommitResult]:
        design, now = writer.design, writer.reader.now
        intents = [replace(each, entity=design.entity_of(each.entity.cls)) for each in self._intents]
        place = reserved_place(design, writer.reader.name)
        token: ItemAction = token_marker(
            design, place, self._token, intents, now, digest=ONCE_DIGEST, seconds=ONCE_SECONDS
        )
        result = yield from writer.executor.commit(intents, source="transaction", is_transaction=True, token=token)
        self._event.is_committed = True
        return result


@dataclass
class _Pending:
    """A record of a page, the handlers that have handled it, and its events for batch handlers."""

    record: StreamRecord
    handled: list[str]
    events: dict[str, list[ChangeEvent[Any]]]


class Delivery:
    """Delivers the records of one table to its handlers."""

    def __init__(self, table: Table, *, attempts: int = ATTEMPTS, report: DeliveryReport | None = None) -> None:
        opened = table._opened()
        self.table, self.opened, self.attempts = table, opened, attempts
        self.report = report or DeliveryReport()
        self.handlers: tuple[Handler, ...] = opened.reader.design.settings.handlers
        if not self.handlers:
            name = type(table).__name__
            raise StreamRefused(
                f"{name} has no stream handlers.\n  Decorate functions with @on(Entity, kinds), and list them: "
                f"class {name}(Table, entities=[...], handlers=[...])."
            )
        design = opened.reader.design
        self.reader = RecordReader(design)
        place = reserved_place(design, opened.reader.name)
        self.aside = None if place is None else SetAside(ReservedItems(place))
        self.index = AsideIndex()
        self._handled: dict[str, list[str]] = {}
        self._loop: asyncio.Runner | None = None

    def run(self, steps: Steps[R]) -> R:
        """Run steps on the session of the table."""
        return self.opened.run(steps)

    def refresh(self) -> None:
        """Read which items have failed records.

        Call this method before you deliver the records of a shard that another runner has read.
        """
        if self.aside is not None:
            self.index = self.run(self.aside.index())

    def deliver(self, records: Sequence[StreamRecord]) -> StreamRecord | None:
        """Deliver records in order. Return the first record to deliver again because it failed, or None.

        A record that failed too often is set aside, with the later records of its item.
        """
        waiting: list[_Pending] = []
        for record in records:
            self.report.records += 1
            if self.reader.is_internal(record):
                self.report.internal += 1
                continue
            self._report_unknown(record)
            if record.item_id in self.index.aside and self._append(record, ()):
                continue
            pending = _Pending(record, list(self._handled.pop(record.sequence, ())), {})
            try:
                self._deliver_single(pending)
            except HandlerFailed as problem:
                # A failure counts only if all handlers have handled the earlier records of the item.
                stopped, waiting = self._deliver_batches(waiting), []
                self._handled[record.sequence] = pending.handled
                if stopped is not None or not self._fail(pending, problem):
                    return stopped or record
                continue
            waiting.append(pending)
        return self._deliver_batches(waiting)

    def retry(self, aside: AsideRecord) -> None:
        """Deliver one record that was set aside. Raise HandlerFailed if it fails again."""
        pending = _Pending(aside.record, list(aside.handled), {})
        self._deliver_single(pending)
        for handler in self.handlers:
            if events := pending.events.get(handler.name):
                self._call(handler, events)

    def close(self) -> None:
        """Close the event loop of async handlers."""
        if self._loop is not None:
            _outside_of_loops(self._loop.close)
            self._loop = None

    def __del__(self) -> None:  # a Lambda function is never closed
        if getattr(self, "_loop", None) is not None:
            self.close()

    def _deliver_single(self, pending: _Pending) -> None:
        """Call the handlers without batches, and collect the events for the others."""
        record, is_delivered = pending.record, False
        try:
            changes = list(self.reader.changes(record))
        except ItemRefused as problem:
            raise HandlerFailed("the item", problem) from problem
        for change in changes:
            for handler in self.handlers:
                if change.kind not in handler.kinds or change.entity.cls not in handler.entities:
                    continue
                if handler.name in pending.handled:
                    continue
                event: ChangeEvent[Any] = ChangeEvent(
                    *(change.kind, change.old, change.new, change.changed, record.sequence, change.at),
                    *(f"{record.sequence}.{record.item_id[:8]}.{handler.name}", self.table),
                    TransactionsOfEvent(self.opened),
                )
                is_delivered = self._take(handler, event, pending) or is_delivered
        self.report.delivered += is_delivered

    def _take(self, handler: Handler, event: ChangeEvent[Any], pending: _Pending) -> bool:
        try:
            if not handler.accepts(event):
                return False
        except Exception as problem:
            raise HandlerFailed(f"the condition of {handler.name}", problem) from problem
        if handler.is_batch:
            pending.events.setdefault(handler.name, []).append(event)
        else:
            self._call(handler, [event])
            pending.handled.append(handler.name)
        return True

    def _deliver_batches(self, waiting: list[_Pending]) -> StreamRecord | None:
        """Call the batch handlers. If a batch fails, deliver the records one by one.

        Return the record at which the delivery stops, or None.
        """
        for handler in self.handlers:
            chosen = [each for each in waiting if handler.name in each.events]
            if not chosen:
                continue
            try:
                self._call(handler, [event for each in chosen for event in each.events[handler.name]])
            except HandlerFailed:
                return self._deliver_one_by_one(waiting)
            for each in chosen:
                each.handled.append(handler.name)
        self._finish(waiting)
        return None

    def _deliver_one_by_one(self, waiting: list[_Pending]) -> StreamRecord | None:
        """Call the remaining batch handlers for each record, in order."""
        for place, each in enumerate(waiting):
            if each.record.item_id in self.index.aside and self._append(each.record, tuple(each.handled)):
                continue
            try:
                for handler in self.handlers:
                    if handler.name in each.events and handler.name not in each.handled:
                        self._call(handler, each.events[handler.name])
                        each.handled.append(handler.name)
            except HandlerFailed as problem:
                if not self._fail(each, problem):
                    self._handled |= {later.record.sequence: later.handled for later in waiting[place:]}
                    return each.record
            else:
                self._finish([each])
        return None

    def _finish(self, done: list[_Pending]) -> None:
        """Forget the failed attempts of records that were handled."""
        for each in done:
            if each.record.item_id in self.index.failing and self.aside is not None:
                self.run(self.aside.succeeded(each.record))
                self.index = replace(self.index, failing=self.index.failing - {each.record.item_id})

    def _fail(self, pending: _Pending, problem: HandlerFailed) -> bool:
        """Count a failed attempt. Return whether the record was set aside, so that the next record follows."""
        record = pending.record
        if record.item_id in self.index.aside and self._append(record, tuple(pending.handled)):
            return True
        self.report.failed += 1
        self._handled[record.sequence] = pending.handled
        if self.aside is None:
            warnings.warn(f"record {record.sequence} failed: {problem.reason}", RuntimeWarning, stacklevel=2)
            return False
        attempts = self.run(self.aside.failed(record, problem.reason))
        self.index = replace(self.index, failing=self.index.failing | {record.item_id})
        if attempts < self.attempts:
            return False
        self.run(self.aside.start(AsideRecord(record, tuple(pending.handled)), self.index))
        self._handled.pop(record.sequence, None)
        self.report.set_aside += 1
        item_id = record.item_id
        self.index = AsideIndex(self.index.aside | {item_id}, self.index.failing - {item_id})
        return True

    def _append(self, record: StreamRecord, handled: tuple[str, ...]) -> bool:
        """Set aside a later record of an item. Return False if its records were retried successfully meanwhile."""
        assert self.aside is not None, "only a table with reserved items sets records aside"
        if self.run(self.aside.append(AsideRecord(record, handled))):
            self.report.set_aside += 1
            return True
        self.index = replace(self.index, aside=self.index.aside - {record.item_id})
        return False

    def _call(self, handler: Handler, events: list[ChangeEvent[Any]]) -> None:
        events = [replace(each, begin=TransactionsOfEvent(self.opened)) for each in events]  # new for each attempt
        try:
            result = handler.deliver(events)
            if inspect.isawaitable(result):
                self._loop = self._loop or asyncio.Runner()
                _outside_of_loops(self._loop.run, _awaited(result))
        except Exception as problem:
            raise HandlerFailed(handler.name, problem) from problem

    def _report_unknown(self, record: StreamRecord) -> None:
        item = self.reader.unknown(record)
        if item is None:
            return
        name = self.opened.reader.design.settings.type_attribute
        named = None if name is None else item.get(name, {}).get("S")
        what = f"{name} {named!r}" if named is not None else f"key {record.key}"
        if what not in self.report.unknown and len(self.report.unknown) < REPORTED_MAX:
            model = self.opened.reader.design.name
            message = f"the stream contains an item that belongs to no entity of {model}: {what}"
            warnings.warn(message, UnknownItemWarning, stacklevel=2)
        self.report.unknown[what] = self.report.unknown.get(what, 0) + 1


def _outside_of_loops(call: Callable[..., object], *arguments: object) -> None:
    """Call a function that runs an event loop.

    If this thread already runs a loop, as in an async test, use another thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        call(*arguments)
    else:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(call, *arguments).result()


async def _awaited(result: Awaitable[R]) -> R:
    return await result
