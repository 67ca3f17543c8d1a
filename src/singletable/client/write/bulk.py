"""Bulk writes of any size: rounds of requests that run concurrently, with bounded memory.

Items without derived data and versions are written by BatchWriteItem. Others are grouped into transactions, so that
writes of one counter become one ADD; a transaction that fails is split until the failing write stands alone. Writes of
one item take effect in their order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from singletable.client.answers import read_batch_write
from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.key import Key
from singletable.client.open_table import OpenTable
from singletable.client.session import RETRYABLE
from singletable.client.steps import Call, Steps, concurrently, each, pause
from singletable.client.transport import Outcome
from singletable.client.write.bulk_plans import (
    BatchWrite,
    Deletes,
    IntentWrite,
    KeyReader,
    Planned,
    Puts,
    Source,
    Updates,
    grouped,
    waves,
)
from singletable.client.write.writer import Writer
from singletable.errors import (
    ArgumentRefused,
    RequestRefused,
    SingletableError,
    Throttled,
    Unreachable,
)
from singletable.model.changes import FieldChange
from singletable.model.rules.value_rules import Validation
from singletable.values.limits import (
    BATCH_WRITES_MAX,
    REQUEST_BYTES_MAX,
)

REQUESTS_AT_ONCE = 8
VALUES_AT_ONCE = REQUESTS_AT_ONCE * BATCH_WRITES_MAX
# A request has a few bytes besides its writes: the names of the table and of its members.
CHUNK_BYTES_MAX = REQUEST_BYTES_MAX - 65_536
# Errors of a whole BatchWriteItem that one of its writes can cause.
ERRORS_OF_ONE_WRITE = frozenset(
    (
        "ItemCollectionSizeLimitExceededException",
        "RequestEntityTooLarge",
        "RequestTooLargeException",
        "SerializationException",
        "ValidationException",
    )
)
# A large write ends the planning ahead of a round, which holds less than a second round of such writes.
LARGE_BYTES = 65_536
_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.decode
Progress = Callable[[BatchProgress], None]


def put_many(
    opened: OpenTable, values: Iterable[Any], progress: Progress | None, *, trusted: bool = False
) -> Steps[BatchResult[Any]]:
    """Writes objects in place of the stored ones."""
    return Bulk(opened.writer, "put_many", progress, trusted=trusted).write(Puts(opened.writer, values, "put"))


def create_many(opened: OpenTable, values: Iterable[Any], progress: Progress | None) -> Steps[BatchResult[Any]]:
    """Writes objects that must not exist yet."""
    return Bulk(opened.writer, "create_many", progress).write(Puts(opened.writer, values, "create"))


def update_many(
    opened: OpenTable,
    targets: Iterable[Any],
    changes: Sequence[FieldChange[Any]],
    where: Callable[[Any], bool] | None,
    validate: Validation,
    progress: Progress | None,
) -> Steps[BatchResult[Any]]:
    """Makes the same changes to the items of many keys or objects."""
    intents = opened.writer.intents
    return Bulk(opened.writer, "update_many", progress).write(
        Updates(opened.writer, targets, lambda target: intents.update(target, changes, where, validate))
    )


def delete_many(opened: OpenTable, targets: Iterable[Any], progress: Progress | None) -> Steps[BatchResult[Any]]:
    """Deletes the items of many keys or objects."""
    return Bulk(opened.writer, "delete_many", progress).write(Deletes(opened.writer, targets))


class Bulk:
    """The rounds of one bulk write."""

    def __init__(self, writer: Writer, name: str, progress: Progress | None, *, trusted: bool = False) -> None:
        self._writer, self._name, self._progress, self._trusted = writer, name, progress, trusted
        self._table, self._metrics = writer.reader.name, writer.reader.metrics
        self._retries = writer.reader.retries
        self._keys = KeyReader(writer)
        self._waiting: dict[Hashable, BatchWrite] = {}
        self._intents: dict[Hashable, IntentWrite] = {}
        self._next: IntentWrite | None = None
        """A second write of an item that is written in this round already."""
        self._ahead: deque[Planned] = deque()
        """Writes that were planned while requests were under way."""
        self._broken: BaseException | None = None
        """What the caller's iterable raised meanwhile."""
        self._planned: Iterator[Planned] = iter(())
        self._failed: list[BatchFailure[Any]] = []
        self._written = 0
        self._reported = 0

    def write(self, source: Source) -> Steps[BatchResult[Any]]:
        """Carries out all writes; ends when each was written or has failed."""
        targets = source.targets
        if not hasattr(targets, "__iter__"):
            raise ArgumentRefused(f"{self._name} takes a list or another iterable, got {type(targets).__name__}")
        if self._writer.intents.entities.has(targets):  # a pydantic model can be iterated over
            raise ArgumentRefused(f"{self._name} takes a list: pass [{type(targets).__name__}(...)]")
        if isinstance(targets, Sequence | set | frozenset):  # an error in the arguments is raised before any request
            checked: set[type] = set()
            for target in targets:
                if type(target) not in checked or isinstance(target, Key):
                    source.check(target)
                    checked.add(type(target))
            self._planned = self._plan(source, iter(targets), are_checked=True)
        else:
            self._planned = self._plan(source, iter(targets), are_checked=False)
        return self._rounds()

    def _plan(self, source: Source, targets: Iterator[Any], *, are_checked: bool) -> Iterator[Planned]:
        for target in targets:
            if not are_checked:
                source.check(target)
            try:
                yield source.planned(target, trusted=self._trusted)
            except SingletableError as problem:
                yield BatchFailure(target, problem)

    def _plan_ahead(self, count: int = VALUES_AT_ONCE) -> None:
        """Plans the writes of the next round."""
        try:
            while len(self._ahead) < count and (write := next(self._planned, None)) is not None:
                self._ahead.append(write)
                if isinstance(write, BatchWrite) and write.wire_bytes > LARGE_BYTES:
                    return
        except BaseException as problem:  # raised when this round is done
            self._broken = problem

    def _next_planned(self) -> Planned | None:
        """The next write; None at the end, which an error of the caller's iterable is too."""
        if not self._ahead and self._broken is None:
            self._plan_ahead(1)
        return self._ahead.popleft() if self._ahead else None

    def _rounds(self) -> Steps[BatchResult[Any]]:
        wasted = 0
        while self._fill():
            before, is_split = self._settled, False
            if self._waiting:
                is_split = yield from self._batch_round(is_last_attempt=wasted + 1 >= self._retries.attempts)
            if self._intents:
                yield from self._intent_round()
            wasted = 0 if self._settled > before or is_split else wasted + 1
            self._report()
            if self._waiting and not is_split:
                yield from pause(self._retries.pause(wasted + 1))
        if self._reported != self._settled:
            self._report()
        if self._broken is not None:
            self._broken.add_note(f"{self._name} had written {self._written} values before.")
            raise self._broken
        return BatchResult(self._written, tuple(self._failed))

    @property
    def _settled(self) -> int:
        return self._written + len(self._failed)

    def _fill(self) -> bool:
        """Takes new writes as long as there is room; returns whether anything is left to do."""
        room = VALUES_AT_ONCE - sum(len(write.values) for write in self._waiting.values())
        room_bytes = REQUESTS_AT_ONCE * CHUNK_BYTES_MAX - sum(write.wire_bytes for write in self._waiting.values())
        if self._next is not None:
            self._intents[self._next.key] = self._next
            self._next = None
            room -= 1
        while room > 0 and room_bytes > 0 and self._next is None:
            write = self._next_planned()
            if write is None:
                break
            if isinstance(write, BatchFailure):
                self._failed.append(write)
            elif isinstance(write, IntentWrite):
                room -= 1
                if write.key in self._intents:
                    self._next = write  # in its order, in the next round
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
        """One round of BatchWriteItem; returns whether some requests have to be split and sent again at once."""
        chunks = self._chunks()
        outcomes = yield from each([self._call(chunk) for chunk in chunks], self._plan_ahead)
        before = self._settled
        splits = [self._settle(chunk, outcome) for chunk, outcome in zip(chunks, outcomes, strict=True)]
        self._raise_if_unreachable(outcomes)
        if self._settled == before and not any(splits) and is_last_attempt:
            self._give_up(chunks, outcomes)
        return any(splits)

    def _chunks(self) -> list[list[BatchWrite]]:
        """The requests of one round; writes whose request failed are in smaller ones from then on."""
        chunks: list[list[BatchWrite]] = []
        size = 0
        for write in self._waiting.values():
            chunk = chunks[-1] if chunks else None
            fits = chunk is not None and chunk[0].company_max == write.company_max > len(chunk)
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
        return Call("BatchWriteItem", {"RequestItems": requests, "ReturnConsumedCapacity": "TOTAL"})

    def _settle(self, chunk: list[BatchWrite], outcome: Outcome) -> bool:
        """Notes the outcome of a request; returns whether its writes are sent again at once, in two halves."""
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
                write.company_max = -(-len(chunk) // 2)
            return len(chunk) > 1
        if isinstance(outcome, RequestRefused) and outcome.code not in RETRYABLE:
            raise self._noted(outcome)
        return False

    def _unprocessed(self, request: Mapping[str, Any]) -> Hashable:
        put = request.get("PutRequest")
        return self._keys.of(put["Item"] if put else request["DeleteRequest"]["Key"])

    def _raise_if_unreachable(self, outcomes: Sequence[Outcome]) -> None:
        """Stops when the server does not answer at all, since the rest would fail too."""
        first = outcomes[0]
        if isinstance(first, Unreachable) and all(isinstance(outcome, Unreachable) for outcome in outcomes):
            raise self._noted(first)

    def _give_up(self, chunks: list[list[BatchWrite]], outcomes: Sequence[Outcome]) -> None:
        for chunk, outcome in zip(chunks, outcomes, strict=True):
            for write in chunk:
                self._fail(write, _UNPROCESSED if isinstance(outcome, bytes) else outcome)

    def _fail(self, write: BatchWrite, reason: SingletableError) -> None:
        del self._waiting[write.key]
        self._failed += [BatchFailure(value, reason) for value in write.values]

    # Conditional writes and transactions

    def _intent_round(self) -> Steps[None]:
        """Carries out the round's conditional writes and transactions, those that share items one after another."""
        groups = list(grouped(self._writer, list(self._intents.values())))
        self._intents = {}
        for wave in waves(groups):
            outcomes = yield from concurrently([self._carried_out(group.writes) for group in wave])
            for outcome, group in zip(outcomes, wave, strict=True):
                if isinstance(outcome, SingletableError):
                    raise self._noted(outcome)
                self._failed += outcome
                self._written += len(group.writes) - len(outcome)

    def _carried_out(self, writes: Sequence[IntentWrite]) -> Steps[list[BatchFailure[Any]]]:
        """Carries out writes in one transaction, or in halves of it until the failing ones stand alone."""
        intents = [write.intent for write in writes]
        try:
            yield from self._writer.executor.commit(intents, source=self._name, is_transaction=len(intents) > 1)
        except SingletableError as problem:
            if _stops_everything(problem):
                raise
            if len(writes) == 1:
                return [BatchFailure(writes[0].value, problem)]
        else:
            return []
        middle = len(writes) // 2
        first = yield from self._carried_out(writes[:middle])
        return first + (yield from self._carried_out(writes[middle:]))

    def _noted(self, problem: SingletableError) -> SingletableError:
        problem.add_note(f"{self._name} had written {self._written} values before.")
        return problem

    def _report(self) -> None:
        self._reported = self._settled
        if self._progress is not None:
            waiting = sum(len(write.values) for write in self._waiting.values())
            self._progress(BatchProgress(self._written, len(self._failed), waiting))


_UNPROCESSED = Throttled("ProvisionedThroughputExceededException", "DynamoDB returned it unprocessed at every attempt")


def _stops_everything(problem: SingletableError) -> bool:
    """Whether an error would meet every other write as well: no server, no table, no permission."""
    if isinstance(problem, Unreachable):
        return True
    return (
        isinstance(problem, RequestRefused)
        and not isinstance(problem, Throttled)
        and problem.code not in ERRORS_OF_ONE_WRITE | RETRYABLE
    )
