"""Batches of writes of any size: a stream of puts or deletes, in rounds of requests that are made at once.

Each round sends what was left over before, then new values. Within a round every key is written once, by the last value
that was given for it, so that values of one key take effect in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from singletable.client.answers import read_batch_write
from singletable.client.batch_result import BatchFailure, BatchProgress, BatchResult
from singletable.client.metrics import Metrics
from singletable.client.policy import Retries
from singletable.client.reading.by_keys import identity
from singletable.client.session import PASSING
from singletable.client.steps import Call, Outcome, Steps, each, pause
from singletable.errors import RequestRefused, SingletableError, Throttled, Unreachable
from singletable.values.limits import BATCH_WRITES_MAX, REQUEST_BYTES_MAX

REQUESTS_AT_ONCE = 8
VALUES_AT_ONCE = REQUESTS_AT_ONCE * BATCH_WRITES_MAX
# A request has a few bytes beside its writes: the names of the table and of its members.
CHUNK_BYTES_MAX = REQUEST_BYTES_MAX - 65_536
# What one write can be refused for, and its whole request with it.
ONES_FAULT = frozenset(
    (
        "ItemCollectionSizeLimitExceededException",
        "RequestEntityTooLarge",
        "RequestTooLargeException",
        "SerializationException",
        "ValidationException",
    )
)
_encode = msgspec.json.Encoder().encode


@dataclass
class Write:
    """One write that is to be sent: a put or a delete, and the values that it stands for, of which the last counts."""

    place: Hashable
    request: Mapping[str, Any]
    values: list[Any]
    company: int = BATCH_WRITES_MAX
    """How many writes its request may have: fewer after one in its company was refused."""
    wire_bytes: int = field(init=False)

    def __post_init__(self) -> None:
        self.wire_bytes = len(_encode(self.request)) + 1


Prepared = Write | BatchFailure[Any]


class Batch:
    """A table's writes under way, and what has become of the others."""

    def __init__(
        self,
        table: str,
        key_names: Sequence[str],
        retries: Retries,
        metrics: Metrics,
        source: str,
        progress: Callable[[BatchProgress], None] | None,
    ) -> None:
        self._table, self._key_names, self._retries = table, key_names, retries
        self._metrics, self._source, self._progress = metrics, source, progress
        self._waiting: dict[Hashable, Write] = {}
        self._failed: list[BatchFailure[Any]] = []
        self._written = 0
        self._told = 0

    def write(self, writes: Iterator[Prepared]) -> Steps[BatchResult[Any]]:
        """Sends all writes, as many as there are; ends when each went through or failed for good."""
        fruitless = 0
        while self._fill(writes):
            chunks = self._chunks()
            outcomes = yield from each([self._call(chunk) for chunk in chunks])
            before = self._settled
            splits = [self._settle(chunk, outcome) for chunk, outcome in zip(chunks, outcomes, strict=True)]
            self._refuse_silence(outcomes)
            fruitless = 0 if self._settled > before or any(splits) else fruitless + 1
            if fruitless >= self._retries.attempts:
                self._give_up(chunks, outcomes)
                fruitless = 0
            self._tell()
            if not any(splits) and any(write.place in self._waiting for chunk in chunks for write in chunk):
                yield from pause(self._retries.pause(fruitless + 1))
        if self._told != self._settled:
            self._tell()
        return BatchResult(self._written, tuple(self._failed))

    @property
    def _settled(self) -> int:
        return self._written + len(self._failed)

    def _fill(self, writes: Iterator[Prepared]) -> bool:
        """Takes new values as long as there is room; says whether anything is to be sent."""
        room = VALUES_AT_ONCE - sum(len(write.values) for write in self._waiting.values())
        room_bytes = REQUESTS_AT_ONCE * CHUNK_BYTES_MAX - sum(write.wire_bytes for write in self._waiting.values())
        while room > 0 and room_bytes > 0:
            write = next(writes, None)
            if write is None:
                break
            if isinstance(write, BatchFailure):
                self._failed.append(write)
                continue
            earlier = self._waiting.pop(write.place, None)
            if earlier is not None:
                write.values[:0] = earlier.values
            room -= 1
            room_bytes -= write.wire_bytes
            self._waiting[write.place] = write
        return bool(self._waiting)

    def _chunks(self) -> list[list[Write]]:
        """The requests of one round; writes that were refused together are with fewer others from then on."""
        chunks: list[list[Write]] = []
        size = 0
        for write in self._waiting.values():
            chunk = chunks[-1] if chunks else None
            fits = chunk is not None and chunk[0].company == write.company > len(chunk)
            if chunk is None or not fits or size + write.wire_bytes > CHUNK_BYTES_MAX:
                if len(chunks) == REQUESTS_AT_ONCE:
                    break
                chunks.append([write])
                size = write.wire_bytes
            else:
                chunk.append(write)
                size += write.wire_bytes
        return chunks

    def _call(self, chunk: list[Write]) -> Call:
        requests = {self._table: [write.request for write in chunk]}
        return Call("BatchWriteItem", {"RequestItems": requests, "ReturnConsumedCapacity": "TOTAL"})

    def _settle(self, chunk: list[Write], outcome: Outcome) -> bool:
        """Notes what became of a request's writes; says whether they are to be sent again at once, in two halves."""
        if isinstance(outcome, bytes):
            answer = read_batch_write(outcome)
            self._metrics.write(self._source, sum(capacity.capacity_units for capacity in answer.consumed_capacity))
            left = {self._place(request) for request in answer.unprocessed_items.get(self._table, ())}
            for write in chunk:
                if write.place not in left:
                    self._written += len(self._waiting.pop(write.place).values)
            return False
        if isinstance(outcome, RequestRefused) and outcome.code in ONES_FAULT:
            if len(chunk) == 1:
                self._fail(chunk[0], outcome)
            for write in chunk:
                write.company = -(-len(chunk) // 2)
            return len(chunk) > 1
        if isinstance(outcome, RequestRefused) and outcome.code not in PASSING:
            outcome.add_note(f"{self._written} values of this {self._source} were written before.")
            raise outcome
        return False

    def _place(self, request: Mapping[str, Any]) -> Hashable:
        put = request.get("PutRequest")
        return identity(put["Item"] if put else request["DeleteRequest"]["Key"], self._key_names)

    def _refuse_silence(self, outcomes: Sequence[Outcome]) -> None:
        """Goes no further when nobody answers: there may be no end to what would fail."""
        first = outcomes[0]
        if isinstance(first, Unreachable) and all(isinstance(outcome, Unreachable) for outcome in outcomes):
            first.add_note(f"{self._written} values of this {self._source} were written before.")
            raise first

    def _give_up(self, chunks: list[list[Write]], outcomes: Sequence[Outcome]) -> None:
        for chunk, outcome in zip(chunks, outcomes, strict=True):
            for write in chunk:
                self._fail(write, _LEFT_OVER if isinstance(outcome, bytes) else outcome)

    def _fail(self, write: Write, reason: SingletableError) -> None:
        del self._waiting[write.place]
        self._failed += [BatchFailure(value, reason) for value in write.values]

    def _tell(self) -> None:
        self._told = self._settled
        if self._progress is not None:
            waiting = sum(len(write.values) for write in self._waiting.values())
            self._progress(BatchProgress(self._written, len(self._failed), waiting))


_LEFT_OVER = Throttled("ProvisionedThroughputExceededException", "DynamoDB left it over each time that it was sent")
