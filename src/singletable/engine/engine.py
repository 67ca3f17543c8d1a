"""The embedded DynamoDB: one engine behind three doors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

from singletable.engine import boto3_door
from singletable.engine.answer import Answer
from singletable.engine.backfill import Backfill
from singletable.engine.backup_copy import start_removals
from singletable.engine.boto3_everywhere import boto3_everywhere
from singletable.engine.buckets import Buckets
from singletable.engine.catalog import Catalog
from singletable.engine.dispatch import ACTIONS, DYNAMODB, STREAMS, Action
from singletable.engine.faults import Faults
from singletable.engine.housekeeping import Housekeeping
from singletable.engine.interrupted import end_interrupted
from singletable.engine.jobs import Jobs
from singletable.engine.restore import start_fills
from singletable.engine.signed_place import SignedPlaces
from singletable.engine.sizes import Sizes
from singletable.engine.storage.store import StaleCatalog, Store
from singletable.engine.traffic.contributors import MostUsed
from singletable.engine.traffic.traffic import Traffic
from singletable.errors import RequestRefused, StoreRefused
from singletable.wire.explain import explain
from singletable.wire.refusal import refusal_body, refusal_status
from singletable.wire.shape import Result

STALE_TRIES_MAX = 1000  # a table may change while it is looked up, but not that often
_encode = msgspec.json.Encoder().encode

# Refusals that were found out in the store itself, and not by what was remembered of it.
_SAID_BY_ITEMS = frozenset(
    (
        "ConditionalCheckFailedException",
        "DuplicateItemException",
        "TransactionConflictException",
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
    )
)


class Engine:
    """A DynamoDB in this process, in memory (`memory:`) or in a file (`file:PATH`).

    `sync="normal"`: an answered write survives the death of the process. `sync="full"`: also a loss of power.
    `buckets`: a folder whose sub-folders stand for S3 buckets, for exports and imports.
    Expired items are deleted every `sweep_seconds`; with None, only when `sweep` is called.
    Reads of global indexes see what this engine writes `gsi_lag_seconds` later, as they may with the service.
    `enforce_capacity` throttles by the units that tables have bought, or the ceilings they have set;
    `enforce_partition_limit` by what one partition key value can serve in a second.
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
        now: Callable[[], float] = time.time,
    ) -> None:
        self.buckets = Buckets(buckets)
        self.store = Store.open(url, sync=sync)
        self.traffic = Traffic(
            now, self.arn, enforces_capacity=enforce_capacity, enforces_partitions=enforce_partition_limit
        )
        self.catalog = Catalog(self.store, now, traffic=self.traffic, global_index_lag_seconds=gsi_lag_seconds)
        self.sizes = Sizes(self.store)
        self.faults = faults or Faults()
        self.now = now
        self.region = region
        self.account = account
        self.endpoint = endpoint or f"dynamodb.{region}.amazonaws.com"
        self._arn_prefix = f"arn:aws:dynamodb:{region}:{account}:table/"
        self.backfill = Backfill(self.store, self.catalog)
        self.jobs = Jobs(self.store)
        self.places = SignedPlaces(self.store.secret)
        self.housekeeping = Housekeeping(self.store, self.catalog, now, sweep_seconds)
        self._go_on()

    def _go_on(self) -> None:
        """Goes on with what the last process to use the store left unfinished, or ends it where that cannot be."""
        self.backfill.start_missing()
        end_interrupted(self)
        start_removals(self)
        start_fills(self)
        self.housekeeping.start_if_needed()

    def arn(self, table: str) -> str:
        """The resource name of a table."""
        return f"{self._arn_prefix}{table}"

    def log_group_arn(self, group: str) -> str:
        """The resource name of a group of logs."""
        return f"arn:aws:logs:{self.region}:{self.account}:log-group:{group}:*"

    def call(self, action: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Runs an action by its name, such as `PutItem`, on DynamoDB JSON; raises RequestRefused."""
        found = ACTIONS.get(DYNAMODB + action) or _action(STREAMS + action)
        answer = _encode(self._result(found, _encode(request)))
        if found.writes:
            self.store.flush()
        result: dict[str, Any] = msgspec.json.decode(answer)
        return result

    def answer(self, target: str, body: bytes) -> Answer:
        """Answers a request as the service would, with an error's body where it refuses; waits until it is durable."""
        answer = self.respond(target, body)
        if answer.wrote:
            self.store.flush()
        return answer

    def together(self) -> AbstractContextManager[object]:
        """A block of requests whose writes are committed at once, at its end; until then no answer may be sent.

        Its end raises when the writes are not there; then none of the answers holds.
        """
        return self.store.together()

    def respond(self, target: str, body: bytes) -> Answer:
        """Answers a request, and leaves flushing to the caller, who may do it for many answers at once."""
        try:
            action = _action(target)
            return Answer(200, _encode(self._result(action, body)), action.writes)
        except RequestRefused as refusal:
            return Answer(refusal_status(refusal), refusal_body(refusal), False)

    def result(self, target: str, body: bytes) -> Result:
        """What answers a request that reads, before it is made a document; raises RequestRefused."""
        return self._result(_action(target), body)

    def _result(self, action: Action, body: bytes) -> Result:
        try:
            request = action.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise explain(action.shape, body) from None
        if action.joins:
            return self._perform(action, request)
        with self.store.apart():
            return self._perform(action, request)

    def _perform(self, action: Action, request: Any) -> Result:
        for _ in range(STALE_TRIES_MAX):
            try:
                return action.run(self, request)
            except StaleCatalog:
                # Another process changed a table: what we knew of it is no longer true.
                self.catalog.reload()
            except RequestRefused as refusal:
                # What was refused by a table as it was may fit it as it is.
                if refusal.code in _SAID_BY_ITEMS or not self.catalog.changed():
                    raise
        raise StoreRefused(f"{action.shape.__name__} found no table as the catalog says; check the store")

    def boto3_client(self, service_name: str = "dynamodb", **options: Any) -> Any:
        """A boto3 client whose requests are answered here, without a socket: for `dynamodb` or `dynamodbstreams`."""
        return boto3_door.boto3_client(self, service_name, **options)

    def boto3_resource(self, **options: Any) -> Any:
        """A boto3 resource for DynamoDB whose requests are answered here, in this process, without a socket."""
        return boto3_door.boto3_resource(self, **options)

    def boto3_everywhere(self) -> AbstractContextManager[None]:
        """Answers every DynamoDB client of boto3 in this process, made before or inside, while the block lasts."""
        return boto3_everywhere(self)

    def sweep(self) -> int:
        """Deletes the items that have expired by now, and returns how many they were."""
        return self.housekeeping.sweep()

    def most_accessed(self, table: str, index: str | None = None, count: int = 10) -> MostUsed:
        """The keys that consumed most, in units, since Contributor Insights was enabled; raises RequestRefused."""
        from singletable.engine.actions.most_accessed_keys import most_used

        return most_used(self, table, index, count, throttled=False)

    def most_throttled(self, table: str, index: str | None = None, count: int = 10) -> MostUsed:
        """The keys that were throttled most, in times, since then; raises RequestRefused when nobody counts."""
        from singletable.engine.actions.most_accessed_keys import most_used

        return most_used(self, table, index, count, throttled=True)

    def close(self) -> None:
        """Ends what runs in the background and closes the store; it may be called twice."""
        self.jobs.stop()
        self.backfill.stop()
        self.housekeeping.stop()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _action(target: str) -> Action:
    action = ACTIONS.loaded.get(target) or ACTIONS.get(target)
    if action is None:
        raise RequestRefused("UnknownOperationException", "")
    return action
