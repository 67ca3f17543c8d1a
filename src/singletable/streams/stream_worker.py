"""Stream worker: reads the shards of a stream, delivers their records to handlers, and stores checkpoints."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from singletable.client.request_session import Session
from singletable.client.request_steps import run
from singletable.client.table import Table
from singletable.errors import ArgumentRefused, StreamRefused
from singletable.streams.event_delivery import ATTEMPTS, Delivery, DeliveryReport, HandlerFailed
from singletable.streams.reserved_items import reserved_items
from singletable.streams.set_aside import AsideItem
from singletable.streams.shard_leases import ShardLease, ShardLeases
from singletable.streams.shard_reader import ShardReader, StreamShard, StreamStart, latest_stream, shards_of

LEASE_SECONDS = 20.0
CHECKPOINT_SECONDS = 6 * 3600.0
"""A checkpoint is renewed after this time, because a stream contains the records of 24 hours."""
PAGE_RECORDS = 100
RETRY_SECONDS_MAX = 10.0
DOUBLINGS_MAX = 10
SHARDS_SECONDS = 10.0
"""How often a worker looks for new shards and for free leases. AWS limits DescribeStream to 10 requests per second."""


@dataclass(frozen=True)
class WorkerSettings:
    """The settings of a worker."""

    attempts: int = ATTEMPTS
    """The number of attempts after which a record is set aside."""
    lease_seconds: float = LEASE_SECONDS
    """A worker that renews no lease for this time is considered dead."""
    poll_seconds: float = 1.0
    """The pause after a round without records."""
    start: StreamStart = "oldest"
    """Where to start in a shard without a checkpoint."""
    shards_max: int | None = None
    """The maximum number of leases that this worker holds at a time. None for no limit."""
    page_records: int = PAGE_RECORDS
    accept_loss: bool = False
    """Whether to continue if the stream no longer contains the records after a checkpoint."""

    def __post_init__(self) -> None:
        for name in ("attempts", "lease_seconds", "page_records"):
            if getattr(self, name) <= 0:
                raise ArgumentRefused(f"{name} must be greater than 0, got {getattr(self, name)}")
        if self.start not in ("oldest", "latest"):
            raise ArgumentRefused(f'start must be "oldest" or "latest", got {self.start!r}')


class _HeldShard:
    """A shard that this worker reads."""

    def __init__(self, reader: ShardReader, lease: ShardLease, now: float) -> None:
        self.reader, self.lease, self.stored_at = reader, lease, now
        self.is_lost = self.is_finished = False
        self.retry_at = 0.0
        self.failures = 0


class StreamWorker:
    """Delivers the changes of an open table to its handlers, in order per item and at least once.

    Any number of workers can run at the same time, in any number of processes: each shard has one lease.
    """

    def __init__(
        self,
        table: Table,
        settings: WorkerSettings | None = None,
        *,
        owner: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self.settings = settings or WorkerSettings()
        self._clock, self._wait = clock, wait
        self.delivery = Delivery(table, attempts=self.settings.attempts)
        opened = table._opened()
        self._name = opened.reader.name
        self._session, self._stream_session = opened.session, stream_session(opened.session)
        self.owner = owner or f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        items = reserved_items(opened.reader.design, self._name)
        self._leases = ShardLeases(items, self.owner, self.settings.lease_seconds, clock, opened.reader.now)
        self._held: dict[str, _HeldShard] = {}
        self._finished: set[str] = set()
        self._arn: str | None = None
        self._shards_at: float | None = None
        """When the worker last looked for shards. None if it must do so now."""
        self._lock = threading.Lock()

    @property
    def report(self) -> DeliveryReport:
        """What happened so far."""
        return self.delivery.report

    def run(self, stop: threading.Event) -> None:
        """Read until `stop` is set. A thread renews the leases, so that a handler can run longer than a lease."""
        finished = threading.Event()
        renewal = threading.Thread(target=self._renew_until, args=(finished,), daemon=True, name="lease renewal")
        renewal.start()
        try:
            while not stop.is_set():
                if not self.step():
                    stop.wait(self.settings.poll_seconds)
        finally:
            finished.set()
            renewal.join()
            self.close()

    def drain(self, *, waits: bool = False) -> DeliveryReport:
        """Read until every shard that this worker can lease has no more records, and release the leases.

        With `waits`, wait until the leases of dead workers have expired.
        """
        quiet = 0
        try:
            while quiet < 2:  # a second round finds shards that were opened meanwhile
                self._shards_at = None
                quiet = 0 if self.step() else quiet + 1
                if quiet and waits and self._leases.has_undecided:
                    quiet = 0
                    self._wait(min(self.settings.poll_seconds, self.settings.lease_seconds / 4))
        finally:
            self.close()
        return self.report

    def step(self) -> int:
        """Take free leases and read one page of every leased shard. Return the number of records, and of retries."""
        if self._shards_at is None or self._clock() - self._shards_at >= SHARDS_SECONDS:
            self._shards_at = self._clock()
            self._take_leases()
        progress = 0
        for shard_id, held in list(self._held.items()):
            if not held.is_lost and not held.is_finished:
                progress += self._page(shard_id, held)
            if held.is_lost or held.is_finished:
                self._held.pop(shard_id, None)
                self._shards_at = None  # a finished shard can have a child
                progress += held.is_finished
        return progress

    def close(self) -> None:
        """Release the leases, so that another worker continues at once."""
        for shard_id, held in list(self._held.items()):
            self._change(shard_id, held, replace(held.lease, owner=""))
        self._held.clear()
        self.delivery.close()
        if self._stream_session is not self._session:
            self._stream_session.close()

    def _take_leases(self) -> None:
        if self._arn is None:
            self._arn = run(latest_stream(self._name), self._session)
        shards = run(shards_of(self._arn), self._stream_session)
        listed = {shard.id for shard in shards}
        self._finished &= listed
        for shard in shards:
            if shard.id in self._held or shard.id in self._finished or self._is_full:
                continue
            if shard.parent in listed and shard.parent not in self._finished and not self._is_parent_done(shard):
                continue
            found = run(self._leases.read(shard.id), self._session)
            if found is not None and found.is_finished:
                self._finished.add(shard.id)
                continue
            self._take(shard, found)
        if not self._held:
            self._arn = None  # the stream may have been replaced by another one

    @property
    def _is_full(self) -> bool:
        return self.settings.shards_max is not None and len(self._held) >= self.settings.shards_max

    def _is_parent_done(self, shard: StreamShard) -> bool:
        assert shard.parent is not None, "only a shard with a parent waits"
        parent = run(self._leases.read(shard.parent), self._session)
        return parent is not None and parent.is_finished

    def _take(self, shard: StreamShard, found: ShardLease | None) -> None:
        lease = run(self._leases.take(shard.id, found), self._session)
        if lease is None:
            return
        assert self._arn is not None, "the stream is known before its shards"
        settings = self.settings
        # A child shard begins where its parent ended, so only a shard without a listed parent can skip records.
        start: StreamStart = "oldest" if shard.parent in self._finished else settings.start
        reader = ShardReader(self._arn, shard, lease.checkpoint, start, settings.accept_loss)
        self._held[shard.id] = _HeldShard(reader, lease, self._clock())
        self.delivery.refresh()  # another worker may have set records aside

    def _page(self, shard_id: str, held: _HeldShard) -> int:
        """Read one page of a shard, deliver it, and store the checkpoint. Return the number of records."""
        if held.retry_at > self._clock():
            self._wait(max(0.0, held.retry_at - self._clock()))
        records, is_over = run(held.reader.page(self.settings.page_records), self._stream_session)
        before = self.report.internal
        failed = self.delivery.deliver(records)
        done = records if failed is None else records[: records.index(failed)]
        # A page with only reserved items gets no checkpoint: its write is a new record of the stream, without end.
        is_worth = self.report.internal - before < len(records)
        is_due = self._clock() - held.stored_at >= CHECKPOINT_SECONDS
        checkpoint = done[-1].sequence if done and (is_worth or is_due) else held.lease.checkpoint
        if failed is not None:
            held.failures += 1
            held.retry_at = self._clock() + min(0.1 * 2 ** min(held.failures, DOUBLINGS_MAX), RETRY_SECONDS_MAX)
            held.reader.restart(checkpoint)
        else:
            held.failures, held.retry_at = 0, 0.0
        if failed is None and is_over:
            self._change(shard_id, held, replace(held.lease, checkpoint=checkpoint, owner="", is_finished=True))
            held.is_finished = not held.is_lost
            if held.is_finished:
                self._finished.add(shard_id)
        elif checkpoint != held.lease.checkpoint:
            held.stored_at = self._clock()
            self._change(shard_id, held, replace(held.lease, checkpoint=checkpoint))
        return len(records) if is_worth or failed is not None else 0

    def _change(self, shard_id: str, held: _HeldShard, after: ShardLease) -> None:
        """Store a lease with a new counter. Mark it as lost if another worker has taken it."""
        with self._lock:
            if held.is_lost:
                return
            after = replace(after, counter=held.lease.counter + 1)
            changed = run(self._leases.change(shard_id, held.lease, after), self._session)
            held.is_lost = changed is None
            held.lease = changed or held.lease

    def _renew_until(self, finished: threading.Event) -> None:
        while not finished.wait(self.settings.lease_seconds / 3):
            for shard_id, held in list(self._held.items()):
                if not held.is_finished and not finished.is_set():
                    self._renew(shard_id, held)

    def _renew(self, shard_id: str, held: _HeldShard) -> None:
        with self._lock:
            if held.is_lost or held.is_finished or held.lease.is_finished:
                return
            after = replace(held.lease, counter=held.lease.counter + 1)
            changed = run(self._leases.change(shard_id, held.lease, after), self._session)
            held.is_lost = changed is None
            held.lease = changed or held.lease


def stream_session(session: Session) -> Session:
    """Return the session that reads streams: the session of the table, or one to AWS's separate host."""
    transport = session.transport
    if getattr(transport, "retries_itself", False):
        raise StreamRefused(
            "a boto3 client of DynamoDB cannot read streams; open the table with a URL, such as dynamodb://eu-west-1"
        )
    for_streams = getattr(transport, "for_streams", None)
    other = transport if for_streams is None else for_streams()
    return session if other is transport else Session(other, session.retries, log=session.log)


@dataclass
class RetryReport:
    """The result of a retry of the records that were set aside."""

    items: int = 0
    records: int = 0
    remaining: tuple[tuple[str, AsideItem], ...] = ()
    """The items whose next record failed again, each with its state."""


def retry_set_aside(table: Table) -> RetryReport:
    """Deliver the records that were set aside, in order per item. An item whose records all succeed is released."""
    delivery = Delivery(table)
    aside = delivery.aside
    if aside is None:
        raise StreamRefused("the keys of the table are not strings, so no records were set aside in it")
    result = RetryReport()
    remaining: list[tuple[str, AsideItem]] = []
    try:
        for item_id in sorted(delivery.run(aside.index()).aside):
            state = delivery.run(aside.item(item_id))
            while state is not None:
                if state.done == state.count:
                    state = delivery.run(aside.release(item_id, state))
                    result.items += state is None
                    continue
                try:
                    delivery.retry(delivery.run(aside.record(item_id, state.done + 1)))
                except HandlerFailed as problem:
                    delivery.run(aside.note_failure(item_id, state, problem.reason))
                    remaining.append((item_id, replace(state, attempts=state.attempts + 1, reason=problem.reason)))
                    break
                state = delivery.run(aside.advance(item_id, state))
                result.records += 1
    finally:
        delivery.close()
    return replace(result, remaining=tuple(remaining))
