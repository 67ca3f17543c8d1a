"""The methods that process requests to an engine: direct calls, boto3 clients, and JSON for the HTTP server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import msgspec

from singletable.engine import boto3_clients
from singletable.engine.boto3_clients import boto3_everywhere
from singletable.engine.dispatch import ACTIONS, DYNAMODB, STREAMS, Action
from singletable.engine.storage.process_locks import WriteWait
from singletable.engine.storage.store import Store, WriterBusy
from singletable.errors import RequestRefused, StoreRefused
from singletable.wire.api_types import Result
from singletable.wire.error_responses import error_body, error_status, request_error
from singletable.wire.list_limits import COUNTED_BYTES_MIN, exceeds_list_limits
from singletable.wire.table_requests import EmptyResult

_encode = msgspec.json.Encoder().encode


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
            raise  # the sessions of the action have ended in the correct order
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise StoreRefused(
                f"{action.shape.__name__}: the store contains a damaged item or record ({error}).\n"
                "  Run `singletable check-store` on its file, and restore the store from a copy."
            ) from error
        except BaseException:
            try:  # an interrupt may have occurred at the end of a session
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
