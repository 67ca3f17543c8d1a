"""The embedded DynamoDB engine, which you call directly, through boto3 or through the HTTP server."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import msgspec

from singletable.engine import boto3_clients
from singletable.engine.background_jobs import BackgroundJobs, Stopped, fail_abandoned_jobs
from singletable.engine.backups.backup_jobs import start_deletions
from singletable.engine.backups.restore import resume_restores
from singletable.engine.boto3_clients import boto3_everywhere
from singletable.engine.catalog import Catalog
from singletable.engine.dispatch import ACTIONS, DYNAMODB, STREAMS, Action
from singletable.engine.indexes.backfill import Backfill
from singletable.engine.items.ttl_sweeper import Sweeper
from singletable.engine.signed_tokens import SignedTokens
from singletable.engine.steady_clock import SteadyClock
from singletable.engine.storage.checksum_pass import add_checksums, lacks_checksums
from singletable.engine.storage.process_locks import WriteWait
from singletable.engine.storage.store import StaleCatalog, Store, WriterBusy
from singletable.engine.tables.table_description import TableSizes
from singletable.engine.traffic.contributor_insights import MostUsedKeys
from singletable.engine.traffic.table_traffic import Traffic
from singletable.engine.transfers.buckets import Buckets
from singletable.errors import RequestRefused, StoreRefused
from singletable.wire.api_types import Result
from singletable.wire.error_responses import error_body, error_status, request_error
from singletable.wire.list_limits import COUNTED_BYTES_MIN, exceeds_list_limits
from singletable.wire.table_requests import EmptyResult

if TYPE_CHECKING:
    from singletable.engine.access.authorization import PrincipalEngine
    from singletable.engine.access.principal import Principal

RunAs = Callable[[Action, Any], Result]

_encode = msgspec.json.Encoder().encode

# The time for which an idempotency token is valid.
_TOKEN_SECONDS = 600.0
# If another process changes a table while an action runs, the action runs again, but not more often than this.
STALE_TRIES_MAX = 1000

# These errors depend only on the items in the store, so an outdated catalog cannot be their cause.
_ERRORS_FROM_ITEMS = frozenset(
    (
        "ConditionalCheckFailedException",
        "DuplicateItemException",
        "TransactionConflictException",
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
    )
)


class EngineResponse(NamedTuple):
    """The response to one request. If `wrote` is true, the write survives a power failure only after a flush."""

    status: int
    body: bytes
    wrote: bool


class RequestMethods:
    """Processes requests of the DynamoDB API. A subclass runs the action of a decoded request."""

    store: Store
    now: Callable[[], float]

    def perform(self, action: Action, request: Any) -> Result:
        """Run an action and return its result. Raise RequestRefused if DynamoDB would return an error."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the engine."""
        raise NotImplementedError

    @property
    def waits(self) -> WriteWait:
        """Whether the current thread waits for its turn to write. If it does not wait, `respond` raises WriterBusy."""
        return self.store.waits

    def call(self, action: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run an action such as `PutItem`, and return its result as DynamoDB JSON. Raise RequestRefused on failure."""
        found = ACTIONS.get(DYNAMODB + action) or _action(STREAMS + action)
        answer = _encode(self._result(found, _encode(request)))
        if found.writes:
            self.store.flush()
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    def answer(self, target: str, body: bytes) -> EngineResponse:
        """Return the response that DynamoDB would send, including error responses, after the write is durable."""
        answer = self.respond(target, body)
        if answer.wrote:
            self.store.flush()
        return answer

    def group_commit(self) -> AbstractContextManager[object]:
        """Return a context manager that commits the writes of its `with` block together at the end of the block.

        Do not send a response before the end of the block. If the commit fails, the end of the block raises an error,
        and all responses from the block are invalid.
        """
        return self.store.group_commit()

    def respond(self, target: str, body: bytes) -> EngineResponse:
        """Return the response without flushing the store, so that the caller can flush once for several responses."""
        try:
            action = _action(target)
            result = self._result(action, body)
            return EngineResponse(200, b"" if isinstance(result, EmptyResult) else _encode(result), action.writes)
        except RequestRefused as error:
            return EngineResponse(error_status(error), error_body(error), False)

    def result(self, target: str, body: bytes) -> Result:
        """Return the result of a read as a Python object instead of JSON. Raise RequestRefused if the read fails."""
        return self._result(_action(target), body)

    def _result(self, action: Action, body: bytes) -> Result:
        if len(body) >= COUNTED_BYTES_MIN and exceeds_list_limits(action.shape, body):
            raise request_error(action.shape, body)
        try:
            request = action.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise request_error(action.shape, body) from None
        try:
            if action.joins:
                return self.perform(action, request)
            with self.store.separate_commits():
                return self.perform(action, request)
        except (RequestRefused, StoreRefused, WriterBusy):
            raise  # the action has already ended its sessions in the correct order
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise StoreRefused(
                f"{action.shape.__name__}: the store contains a damaged item or record ({error}).\n"
                "  Run `singletable check-store` on its file, and restore the store from a copy."
            ) from error
        except BaseException:
            try:  # an interrupt may have stopped a session while it was ending
                self.store.abandon(within_group=True)
            finally:
                self.store.abandon(within_group=True)
            raise

    def boto3_client(self, service_name: str = "dynamodb", **options: Any) -> Any:
        """Return a boto3 client for `dynamodb` or `dynamodbstreams` that calls this engine without a socket."""
        return boto3_clients.boto3_client(self, service_name, **options)

    def boto3_resource(self, **options: Any) -> Any:
        """Return a boto3 resource for DynamoDB that calls this engine without a socket."""
        return boto3_clients.boto3_resource(self, **options)

    def boto3_everywhere(self) -> AbstractContextManager[None]:
        """Redirect every boto3 DynamoDB client in this process to this engine for the duration of a `with` block."""
        return boto3_everywhere(self)


def _action(target: str) -> Action:
    action = ACTIONS.loaded.get(target) or ACTIONS.get(target)
    if action is None:
        raise RequestRefused("UnknownOperationException", "")
    return action


class Faults:
    """Transaction conflicts to inject. The engine itself has no conflicts, because it has a single writer.

    `conflict_rate` is the probability that a write fails. To make the next N writes fail, set `conflicts_next` to N.
    """

    def __init__(self, conflict_rate: float = 0.0, chance: Callable[[], float] = random.random) -> None:
        if not 0.0 <= conflict_rate <= 1.0:
            raise ValueError(f"conflict_rate must be between 0 and 1, got {conflict_rate}")
        self.conflict_rate = conflict_rate
        self.conflicts_next = 0
        self._chance = chance

    def conflict(self) -> bool:
        """Return whether the current write fails, and count down `conflicts_next`."""
        if self.conflicts_next > 0:
            self.conflicts_next -= 1
            return True
        return self.conflict_rate > 0.0 and self._chance() < self.conflict_rate


class Engine(RequestMethods):
    """A DynamoDB engine in this process, which stores tables in memory (`memory:`) or in a file (`file:PATH`).

    `sync`: with "normal", a confirmed write survives a crash of the process. With "full", it also survives a power
    failure. `buckets`: a folder whose subfolders act as S3 buckets for exports and imports. `endpoint`: the address
    that DescribeEndpoints returns. `faults`: transaction conflicts to inject. `sweep_seconds`: the interval between
    deletions of expired items; with None, only `sweep` deletes expired items. `gsi_lag_seconds`: the time after which
    writes of this engine appear in global secondary indexes. `enforce_capacity`: throttle requests above the
    provisioned units of a table, or above its on-demand maximum. `enforce_partition_limit`: throttle requests above the
    limit of one partition: 3000 read and 1000 write units per second. `shard_records`: close the shard of a stream
    after this number of records, and open its child; with None, a stream has one shard.
    """

    def __init__(
        self,
        url: str = "memory:",
        *,
        sync: Literal["normal", "full"] = "normal",
        region: str = "us-east-1",
        account: str = "000000000000",
        buckets: Path | str | None = None,
        endpoint: str | None = None,
        enforce_capacity: bool = False,
        enforce_partition_limit: bool = False,
        faults: Faults | None = None,
        sweep_seconds: float | None = 60.0,
        gsi_lag_seconds: float = 0.0,
        shard_records: int | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        if shard_records is not None and shard_records < 1:
            raise ValueError(f"shard_records must be at least 1, got {shard_records}")
        self.shard_records = shard_records
        self.buckets = Buckets(buckets)
        self.store = Store.open(url, sync=sync)
        self.traffic = Traffic(
            now, self.arn, enforces_capacity=enforce_capacity, enforces_partitions=enforce_partition_limit
        )
        self.catalog = Catalog(self.store, now, traffic=self.traffic, global_index_lag_seconds=gsi_lag_seconds)
        self.sizes = TableSizes(self.store)
        self.faults = faults or Faults()
        self.now = now
        self.token_now = SteadyClock(_TOKEN_SECONDS) if now is time.time else now
        """A clock for idempotency tokens, which changes of the system's clock do not affect."""
        self.region = region
        self.account = account
        self.endpoint = endpoint or f"dynamodb.{region}.amazonaws.com"
        self._arn_prefix = f"arn:aws:dynamodb:{region}:{account}:table/"
        self.backfill = Backfill(self.store, self.catalog)
        self.jobs = BackgroundJobs(self.store)
        self.signed_tokens = SignedTokens(self.store.secret)
        self.sweeper = Sweeper(self.store, self.catalog, now, sweep_seconds)
        try:
            self._resume_jobs()
        except BaseException:
            self.close()
            raise

    def _resume_jobs(self) -> None:
        """Resume the jobs that an earlier process did not finish; mark jobs that cannot be resumed as failed."""
        if lacks_checksums(self.store):
            self.jobs.start("checksums", self._add_checksums)
        self.backfill.start_missing()
        fail_abandoned_jobs(self)
        start_deletions(self)
        resume_restores(self)
        self.sweeper.start_if_needed()

    def _add_checksums(self) -> None:
        """Add checksums to the rows of an upgraded store; the next engine that opens it resumes an interrupted pass."""
        with suppress(Stopped, StoreRefused):
            add_checksums(self.store, self.jobs.check)

    def arn(self, table: str) -> str:
        """Return the ARN of a table."""
        return f"{self._arn_prefix}{table}"

    def log_group_arn(self, group: str) -> str:
        """Return the ARN of a CloudWatch log group."""
        return f"arn:aws:logs:{self.region}:{self.account}:log-group:{group}:*"

    def perform(self, action: Action, request: Any, run: RunAs | None = None) -> Result:
        """Run an action and return its result. `run` authorises each attempt before it runs the action."""
        for _ in range(STALE_TRIES_MAX):
            try:
                return action.run(self, request) if run is None else run(action, request)
            except StaleCatalog:
                # Another process has changed a table, so the catalog in memory is outdated.
                self.catalog.reload()
            except RequestRefused as error:
                # If another process has changed a table, the request may be valid for the current table definition.
                if error.code in _ERRORS_FROM_ITEMS or not self.catalog.changed():
                    raise
        raise StoreRefused(
            f"{action.shape.__name__}: other processes keep changing the tables, so the action failed "
            f"{STALE_TRIES_MAX} times.\n  Run `singletable check-store` on the store."
        )

    def as_principal(self, principal: Principal) -> PrincipalEngine:
        """Return the methods of this engine, limited to the requests that the policies of the principal allow."""
        from singletable.engine.access.authorization import PrincipalEngine

        return PrincipalEngine(self, principal)

    def sweep(self) -> int:
        """Delete all expired items, and return the number of deleted items."""
        try:
            return self.sweeper.sweep()
        except BaseException:
            try:
                self.store.abandon()
            finally:
                self.store.abandon()
            raise

    def most_accessed(self, table: str, index: str | None = None, count: int = 10) -> MostUsedKeys:
        """Return the keys that consumed the most units. Raise RequestRefused if Contributor Insights is disabled.

        The counts start when Contributor Insights is enabled or the engine is opened, whichever is later.
        """
        from singletable.engine.actions.most_accessed_keys import most_used

        return most_used(self, table, index, count, throttled=False)

    def most_throttled(self, table: str, index: str | None = None, count: int = 10) -> MostUsedKeys:
        """Return the keys with the most throttled requests, counted in the same way as `most_accessed`."""
        from singletable.engine.actions.most_accessed_keys import most_used

        return most_used(self, table, index, count, throttled=True)

    def close(self) -> None:
        """Stop the background threads and close the store. A second call does nothing."""
        self.jobs.stop()
        self.backfill.stop()
        self.sweeper.stop()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
