"""Stream runner for tests: delivers all changes of a table to its handlers at once."""

from __future__ import annotations

from singletable.client.table import Table
from singletable.errors import ArgumentRefused
from singletable.streams.event_delivery import ATTEMPTS, DeliveryReport
from singletable.streams.stream_worker import RetryReport, StreamWorker, WorkerSettings, retry_set_aside

SHARD_RECORDS_MIN = 3
"""A shard needs two writes of its lease. Shards of two records would therefore never end."""


class StreamRunner:
    """Runs the stream handlers of an open table in a test: `StreamRunner(shop).run()`.

    With `shard_records`, the embedded engine closes a shard after this number of records, as DynamoDB does every few
    hours. Failed records are retried without a pause, up to `attempts` times.
    """

    def __init__(self, table: Table, *, shard_records: int | None = None, attempts: int = ATTEMPTS) -> None:
        self._table = table
        self._settings = WorkerSettings(attempts=attempts)
        if shard_records is not None:
            engine = getattr(table._opened().session.transport, "engine", None)
            if engine is None or not hasattr(engine, "shard_records"):
                raise ArgumentRefused("shard_records= needs a table in an embedded engine, such as memory:")
            if shard_records < SHARD_RECORDS_MIN:
                raise ArgumentRefused(f"shard_records must be at least {SHARD_RECORDS_MIN}, got {shard_records}")
            engine.shard_records = shard_records

    def run(self) -> DeliveryReport:
        """Deliver all changes since the last run, and return what happened."""
        return StreamWorker(self._table, self._settings, owner="test", wait=lambda _: None).drain()

    def retry(self) -> RetryReport:
        """Deliver the records that were set aside, as `singletable stream retry` does."""
        return retry_set_aside(self._table)
