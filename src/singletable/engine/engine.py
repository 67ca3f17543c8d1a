"""The embedded DynamoDB: one engine behind three doors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

from singletable.engine import boto3_door
from singletable.engine.answer import Answer
from singletable.engine.backfill import Backfill
from singletable.engine.boto3_everywhere import boto3_everywhere
from singletable.engine.catalog import Catalog
from singletable.engine.dispatch import ACTIONS, Action
from singletable.engine.faults import Faults
from singletable.engine.sizes import Sizes
from singletable.engine.storage.store import StaleCatalog, Store
from singletable.errors import RequestRefused, StoreRefused
from singletable.wire.explain import explain
from singletable.wire.refusal import refusal_body, refusal_status

TARGET_PREFIX = "DynamoDB_20120810."
STALE_TRIES_MAX = 1000  # a table may change while it is looked up, but not that often
_encode = msgspec.json.Encoder().encode

# Refusals that were found out in the store itself, and not by what was remembered of it.
_SAID_BY_ITEMS = frozenset(
    ("ConditionalCheckFailedException", "DuplicateItemException", "TransactionConflictException")
)


class Engine:
    """A DynamoDB in this process, in memory (`memory:`) or in a file (`file:PATH`).

    `sync="normal"`: an answered write survives the death of the process. `sync="full"`: also a loss of power.
    """

    def __init__(
        self,
        url: str = "memory:",
        *,
        sync: Literal["normal", "full"] = "normal",
        region: str = "us-east-1",
        account: str = "000000000000",
        faults: Faults | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.store = Store.open(url, sync=sync)
        self.catalog = Catalog(self.store)
        self.sizes = Sizes(self.store)
        self.faults = faults or Faults()
        self.now = now
        self.region = region
        self._arn_prefix = f"arn:aws:dynamodb:{region}:{account}:table/"
        self.backfill = Backfill(self.store, self.catalog)
        self.backfill.start_missing()

    def arn(self, table: str) -> str:
        """The resource name of a table."""
        return f"{self._arn_prefix}{table}"

    def call(self, action: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Runs an action by its name, such as `PutItem`, on DynamoDB JSON; raises RequestRefused."""
        found = _action(TARGET_PREFIX + action)
        answer = self._run(found, _encode(request))
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

    def respond(self, target: str, body: bytes) -> Answer:
        """Answers a request, and leaves flushing to the caller, who may do it for many answers at once."""
        try:
            action = _action(target)
            return Answer(200, self._run(action, body), action.writes)
        except RequestRefused as refusal:
            return Answer(refusal_status(refusal), refusal_body(refusal), False)

    def _run(self, action: Action, body: bytes) -> bytes:
        try:
            request = action.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise explain(action.shape, body) from None
        for _ in range(STALE_TRIES_MAX):
            try:
                return _encode(action.run(self, request))
            except StaleCatalog:
                # Another process changed a table: what we knew of it is no longer true.
                self.catalog.reload()
            except RequestRefused as refusal:
                # What was refused by a table as it was may fit it as it is.
                if refusal.code in _SAID_BY_ITEMS or not self.catalog.changed():
                    raise
        raise StoreRefused(f"{action.shape.__name__} found no table as the catalog says; check the store")

    def boto3_client(self, **options: Any) -> Any:
        """A boto3 client for DynamoDB whose requests are answered here, in this process, without a socket."""
        return boto3_door.boto3_client(self, **options)

    def boto3_resource(self, **options: Any) -> Any:
        """A boto3 resource for DynamoDB whose requests are answered here, in this process, without a socket."""
        return boto3_door.boto3_resource(self, **options)

    def boto3_everywhere(self) -> AbstractContextManager[None]:
        """Answers every DynamoDB client of boto3 in this process, made before or inside, while the block lasts."""
        return boto3_everywhere(self)

    def close(self) -> None:
        """Ends what runs in the background and closes the store; it may be called twice."""
        self.backfill.stop()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _action(target: str) -> Action:
    action = ACTIONS.get(target)
    if action is None:
        raise RequestRefused("UnknownOperationException", "")
    return action
