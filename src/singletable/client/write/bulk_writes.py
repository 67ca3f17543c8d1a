"""Bulk writes of any size: rounds of concurrent requests with bounded memory.

BatchWriteItem writes items that have neither a version nor derived data. Other writes are grouped into transactions, in
which all changes of one counter become one ADD. A failed transaction is split in half repeatedly, until the failing
write is alone in its transaction. Writes of the same item take effect in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.connected_table import ConnectedTable
from singletable.client.key import Key
from singletable.client.request_steps import Call, Steps, concurrently, pause, send_each
from singletable.client.responses import read_batch_write
from singletable.client.retries import RETRYABLE
from singletable.client.transport import SendResult
from singletable.client.write.bulk_plans import (
    BatchWrite,
    BulkDeletes,
    BulkPuts,
    BulkSource,
    BulkUpdates,
    IntentWrite,
    KeyReader,
    PlannedBulkWrite,
    group_writes,
    waves,
)
from singletable.client.write.table_writer import Writer
from singletable.errors import (
    ArgumentRefused,
    RequestRefused,
    SingletableError,
    Throttled,
    Unreachable,
)
from singletable.model.update_changes import FieldChange
from singletable.model.validation.value_rules import Validation
from singletable.values.limits import (
    BATCH_WRITES_MAX,
    REQUEST_BYTES_MAX,
)

REQUESTS_AT_ONCE = 8
VALUES_AT_ONCE = REQUESTS_AT_ONCE * BATCH_WRITES_MAX
# The reserved bytes are for the table name and the JSON keys of the request.
CHUNK_BYTES_MAX = REQUEST_BYTES_MAX - 65_536
# Error codes for a whole BatchWriteItem request that one invalid write can cause.
ERRORS_OF_ONE_WRITE = frozenset(
    (
        "ItemCollectionSizeLimitExceededException",
        "RequestEntityTooLarge",
        "RequestTooLargeException",
        "SerializationException",
        "ValidationException",
    )
)
# The plan of the next round stops at a large write, to limit the memory that planned writes use.
LARGE_BYTES = 65_536
_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.decode
Progress = Callable[[BatchProgress], None]


def put_many(
    opened: ConnectedTable, values: Iterable[Any], progress: Progress | None, *, trusted: bool = False
) -> Steps[BatchResult[Any]]:
    """Write objects, replacing stored ones."""

    def make(table: ConnectedTable) -> Steps[BatchResult[Any]]:
        puts = BulkPuts(table.writer, values, "put")
        return BulkWrite(table.writer, "put_many", progress, trusted=trusted).write(puts)

    return opened.write_steps(make)


def create_many(opened: ConnectedTable, values: Iterable[Any], progress: Progress | None) -> Steps[BatchResult[Any]]:
    """Write objects that must not exist yet."""

    def make(table: ConnectedTable) -> Steps[BatchResult[Any]]:
        return BulkWrite(table.writer, "create_many", progress).write(BulkPuts(table.writer, values, "create"))

    return opened.write_steps(make)


def update_many(
    opened: ConnectedTable,
    targets: Iterable[Any],
    changes: Sequence[FieldChange[Any]],
    where: Callable[[Any], bool] | None,
    validate: Validation,
    progress: Progress | None,
) -> Steps[BatchResult[Any]]:
    """Apply the same changes to the items of many keys or objects."""

    def make(table: ConnectedTable) -> Steps[BatchResult[Any]]:
        intents = table.writer.intents
        return BulkWrite(table.writer, "update_many", progress).write(
            BulkUpdates(table.writer, targets, lambda target: intents.update(target, changes, where, validate))
        )

    return opened.write_steps(make)


def delete_many(opened: ConnectedTable, targets: Iterable[Any], progress: Progress | None) -> Steps[BatchResult[Any]]:
    """Delete the items of many keys or objects."""

    def make(table: ConnectedTable) -> Steps[BatchResult[Any]]:
        return BulkWrite(table.writer, "delete_many", progress).write(BulkDeletes(table.writer, targets))

    return opened.write_steps(make)


class BulkWrite:
    """One bulk write, which runs in rounds of requests."""

    def __init__(self, writer: Writer, name: str, progress: Progress | None, *, trusted: bool = False) -> None:
        self._writer, self._name, self._progress, self._trusted = writer, name, progress, trusted
        self._table, self._metrics = writer.reader.name, writer.reader.metrics
        self._retries = writer.reader.retries
        self._keys = KeyReader(writer)
        self._waiting: dict[Hashable, BatchWrite] = {}
        self._intents: dict[Hashable, IntentWrite] = {}
        self._postponed: IntentWrite | None = None
        """A write of an item that this round writes already. It waits for the next round."""
        self._planned_ahead: deque[PlannedBulkWrite] = deque()
        """Writes planned while requests were in flight."""
        self._iterable_error: BaseException | None = None
        """The exception that the caller's iterable raised. It is raised again after the current round."""
        self._planned: Iterator[PlannedBulkWrite] = iter(())
        self._failed: list[BatchFailure[Any]] = []
        self._written = 0
        self._reported = 0

    def write(self, source: BulkSource) -> Steps[BatchResult[Any]]:
        """Run all writes. Return when each write has succeeded or failed."""
        targets = source.targets
        if not hasattr(targets, "__iter__"):
            raise ArgumentRefused(f"{self._name} takes a list or another iterable, got {type(targets).__name__}")
        if self._writer.intents.entities.has(targets):  # a pydantic model is iterable
            raise ArgumentRefused(f"{self._name} takes a list, got one value; pass [{type(targets).__name__}(...)]")
        if isinstance(targets, Sequence | set | frozenset):  # report wrong arguments before the first request
            checked: set[type] = set()
            for target in targets:
                if type(target) not in checked or isinstance(target, Key):
                    source.check(target)
                    checked.add(type(target))
            self._planned = self._plan_writes(source, iter(targets), are_checked=True)
        else:
            self._planned = self._plan_writes(source, iter(targets), are_checked=False)
        return self._rounds()

    def _plan_writes(
        self, source: BulkSource, targets: Iterator[Any], *, are_checked: bool
    ) -> Iterator[PlannedBulkWrite]:
        for target in targets:
            if not are_checked:
                source.check(target)
            try:
                yield source.plan(target, trusted=self._trusted)
            except SingletableError as problem:
                yield BatchFailure(target, problem)

    def _plan_ahead(self, count: int = VALUES_AT_ONCE) -> None:
        """Plan the writes of the next round."""
        try:
            while len(self._planned_ahead) < count and (write := next(self._planned, None)) is not None:
                self._planned_ahead.append(write)
                if isinstance(write, BatchWrite) and write.wire_bytes > LARGE_BYTES:
                    return
        except BaseException as problem:  # raised again after this round
            self._iterable_error = problem

    def _next_planned(self) -> PlannedBulkWrite | None:
        """Return the next write. Return None at the end, or after an error in the caller's iterable."""
        if not self._planned_ahead and self._iterable_error is None:
            self._plan_ahead(1)
        return self._planned_ahead.popleft() if self._planned_ahead else None

    def _rounds(self) -> Steps[BatchResult[Any]]:
        fruitless_rounds = 0
        while self._fill():
            before, is_split = self._finished, False
            if self._waiting:
                is_split = yield from self._batch_round(is_last_attempt=fruitless_rounds + 1 >= self._retries.attempts)
            if self._intents:
                yield from self._intent_round()
            fruitless_rounds = 0 if self._finished > before or is_split else fruitless_rounds + 1
            self._report()
            if self._waiting and not is_split:
                yield from pause(self._retries.pause(fruitless_rounds + 1))
        if self._reported != self._finished:
            self._report()
        if self._iterable_error is not None:
            self._iterable_error.add_note(f"{self._name} wrote {self._written} values before this error.")
            raise self._iterable_error
        return BatchResult(self._written, tuple(self._failed))

    @property
    def _finished(self) -> int:
        return self._written + len(self._failed)

    def _fill(self) -> bool:
        """Add new writes to the round while there is room. Return whether any writes remain."""
        room = VALUES_AT_ONCE - sum(len(write.values) for write in self._waiting.values())
        room_bytes = REQUESTS_AT_ONCE * CHUNK_BYTES_MAX - sum(write.wire_bytes for write in self._waiting.values())
        if self._postponed is not None:
            self._intents[self._postponed.key] = self._postponed
            self._postponed = None
            room -= 1
        while room > 0 and room_bytes > 0 and self._postponed is None:
            write = self._next_planned()
            if write is None:
                break
            if isinstance(write, BatchFailure):
                self._failed.append(write)
            elif isinstance(write, IntentWrite):
                room -= 1
                if write.key in self._intents:
                    self._postponed = write  # waits for the next round, to preserve the order
                else:
                    self._intents[write.key] = write
            else:
                room -= 1
                room_bytes -= write.wire_bytes
                earlier = self._waiting.pop(write.key, None)
                if earlier is not None:
                    write.values[:0] = earlier.values
                self._waiting[write.key] = write
        return bool(self._waiting or self._intents)

    # BatchWriteItem

    def _batch_round(self, *, is_last_attempt: bool) -> Steps[bool]:
        """Run one round of BatchWriteItem. Return whether failed requests must be split and retried immediately."""
        chunks = self._chunks()
        outcomes = yield from send_each([self._call(chunk) for chunk in chunks], self._plan_ahead)
        before = self._finished
        splits = [self._apply_outcome(chunk, outcome) for chunk, outcome in zip(chunks, outcomes, strict=True)]
        self._raise_if_unreachable(outcomes)
        if self._finished == before and not any(splits) and is_last_attempt:
            self._give_up(chunks, outcomes)
        return any(splits)

    def _chunks(self) -> list[list[BatchWrite]]:
        """Return the writes of each request of a round. Writes of a failed request go into smaller requests."""
        chunks: list[list[BatchWrite]] = []
        size = 0
        for write in self._waiting.values():
            chunk = chunks[-1] if chunks else None
            fits = chunk is not None and chunk[0].batch_size_max == write.batch_size_max > len(chunk)
            if chunk is None or not fits or size + write.wire_bytes > CHUNK_BYTES_MAX:
                if len(chunks) == REQUESTS_AT_ONCE:
                    break
                chunks.append([write])
                size = write.wire_bytes
            else:
                chunk.append(write)
                size += write.wire_bytes
        return chunks

    def _call(self, chunk: list[BatchWrite]) -> Call:
        requests = {self._table: [write.request for write in chunk]}
        return Call("BatchWriteItem", {"RequestItems": requests, "ReturnConsumedCapacity": "TOTAL"}, source=self._name)

    def _apply_outcome(self, chunk: list[BatchWrite], outcome: SendResult) -> bool:
        """Record the result of a request. Return whether to retry its writes immediately, split into two halves."""
        if isinstance(outcome, bytes):
            answer = read_batch_write(outcome)
            self._metrics.write(self._name, sum([capacity.capacity_units for capacity in answer.consumed_capacity]))
            left = {self._unprocessed(request) for request in answer.unprocessed_items.get(self._table, ())}
            for write in chunk:
                if write.key not in left:
                    self._written += len(self._waiting.pop(write.key).values)
            return False
        if isinstance(outcome, RequestRefused) and outcome.code in ERRORS_OF_ONE_WRITE:
            if len(chunk) == 1:
                self._fail(chunk[0], outcome)
            for write in chunk:
                write.batch_size_max = -(-len(chunk) // 2)
            return len(chunk) > 1
        if isinstance(outcome, RequestRefused) and outcome.code not in RETRYABLE:
            raise self._with_progress_note(outcome)
        return False

    def _unprocessed(self, request: Mapping[str, Any]) -> Hashable:
        put = request.get("PutRequest")
        return self._keys.of(put["Item"] if put else request["DeleteRequest"]["Key"])

    def _raise_if_unreachable(self, outcomes: Sequence[SendResult]) -> None:
        """Raise an error if all requests failed because the server is unreachable.

        The remaining writes would fail too.
        """
        first = outcomes[0]
        if isinstance(first, Unreachable) and all(isinstance(outcome, Unreachable) for outcome in outcomes):
            raise self._with_progress_note(first)

    def _give_up(self, chunks: list[list[BatchWrite]], outcomes: Sequence[SendResult]) -> None:
        for chunk, outcome in zip(chunks, outcomes, strict=True):
            for write in chunk:
                self._fail(write, _UNPROCESSED if isinstance(outcome, bytes) else outcome)

    def _fail(self, write: BatchWrite, reason: SingletableError) -> None:
        del self._waiting[write.key]
        self._failed += [BatchFailure(value, reason) for value in write.values]

    # Conditional writes and transactions

    def _intent_round(self) -> Steps[None]:
        """Run the conditional writes and transactions of a round. Writes that share items run one after another."""
        groups = list(group_writes(self._writer, list(self._intents.values())))
        self._intents = {}
        for wave in waves(groups):
            outcomes = yield from concurrently([self._commit_or_split(group.writes) for group in wave])
            for outcome, group in zip(outcomes, wave, strict=True):
                if isinstance(outcome, SingletableError):
                    raise self._with_progress_note(outcome)
                self._failed += outcome
                self._written += len(group.writes) - len(outcome)

    def _commit_or_split(self, writes: Sequence[IntentWrite]) -> Steps[list[BatchFailure[Any]]]:
        """Commit writes in one transaction. If it fails, split it in halves until each failing write is alone."""
        intents = [write.intent for write in writes]
        try:
            yield from self._writer.executor.commit(intents, source=self._name, is_transaction=len(intents) > 1)
        except SingletableError as problem:
            if _affects_all_writes(problem):
                raise
            if len(writes) == 1 and writes[0].intent.names_missing_item(problem):
                return []
            if len(writes) == 1:
                return [BatchFailure(writes[0].value, problem)]
        else:
            return []
        middle = len(writes) // 2
        first = yield from self._commit_or_split(writes[:middle])
        return first + (yield from self._commit_or_split(writes[middle:]))

    def _with_progress_note(self, problem: SingletableError) -> SingletableError:
        problem.add_note(f"{self._name} wrote {self._written} values before this error.")
        return problem

    def _report(self) -> None:
        self._reported = self._finished
        if self._progress is not None:
            waiting = sum(len(write.values) for write in self._waiting.values())
            self._progress(BatchProgress(self._written, len(self._failed), waiting))


_UNPROCESSED = Throttled(
    "ProvisionedThroughputExceededException", "DynamoDB left the item unprocessed in every attempt"
)


def _affects_all_writes(problem: SingletableError) -> bool:
    """Return whether all other writes would fail too: no server, no table, or no permission."""
    if isinstance(problem, Unreachable):
        return True
    return (
        isinstance(problem, RequestRefused)
        and not isinstance(problem, Throttled)
        and problem.code not in ERRORS_OF_ONE_WRITE | RETRYABLE
    )
