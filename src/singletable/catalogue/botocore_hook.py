"""`install()`: records the DynamoDB requests of every boto3 and botocore client in the process."""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Collection
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakSet

from singletable.catalogue.callers import caller_of
from singletable.catalogue.recent_results import recent_results
from singletable.catalogue.request_recorder import OBSERVED, RequestRecorder
from singletable.catalogue.request_shapes import RECORDED

FILE = "dynamodb-catalogue.jsonl"
FILE_VARIABLE = "SINGLETABLE_CATALOGUE"
_log = logging.getLogger("singletable.catalogue")
_RECORD = "singletable-catalogue"
_SERVICE = "dynamodb"
_EVENTS = ("before-parameter-build", "before-call", "after-call", "after-call-error")
_CAPACITY = "ReturnConsumedCapacity"


class Recording:
    """A recording in progress. Leaving its `with` block, or calling `uninstall`, ends it."""

    def __init__(
        self, path: Path, recorder: RequestRecorder, ignored: Collection[str], *, measures_capacity: bool
    ) -> None:
        self.path = path
        self._measures_capacity = measures_capacity
        self._recorder = recorder
        self._ignored = tuple(ignored)

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.uninstall()

    def uninstall(self) -> None:
        """Stop recording. The clients keep working."""
        global _active  # noqa: PLW0603  # replaced as a whole, so that clients read it without a lock
        with _lock:
            if _active is self:
                _active = None
                self._recorder.close()

    def request_capacity(self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        """Add a request for the consumed capacity to the parameters, unless the application requests it."""
        if self._measures_capacity and _CAPACITY not in params and model.name in RECORDED:
            context[_CAPACITY] = True
            params[_CAPACITY] = "TOTAL"  # botocore made this dict of the keyword arguments of the call

    def before_call(self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        """Remember the request, which botocore has encoded, and its caller."""
        if model.name in OBSERVED:
            caller = caller_of(sys._getframe(2), self._ignored)
            context[_RECORD] = (
                params.get("body") or b"{}",
                caller,
                recent_results(self._recorder.run),
                time.perf_counter(),
            )

    def after_call(
        self, operation: str, context: dict[str, Any], answer: dict[str, Any] | None, error: str | None
    ) -> None:
        """Record the request with its response or its error."""
        if (begun := context.pop(_RECORD, None)) is None:
            return
        body, caller, recent, started = begun
        try:
            self._recorder.record(
                operation,
                json.loads(body),
                answer,
                seconds=time.perf_counter() - started,
                caller=caller,
                recent=recent,
                error=error,
                retries=(answer or {}).get("ResponseMetadata", {}).get("RetryAttempts", 0),
            )
            if answer is not None and context.pop(_CAPACITY, False):
                answer.pop("ConsumedCapacity", None)
        except Exception:  # a failure to record a request must not reach the application
            _log.exception("cannot record a request of %s", operation)


_lock = threading.Lock()
_active: Recording | None = None
_hooked: WeakSet[Any] = WeakSet()
"""The event emitters of clients that already have the handlers of the recording."""


def install(
    file: str | os.PathLike[str] | None = None,
    *,
    labels: str | None = None,
    ignore: Collection[str] = (),
    capacity: bool = False,
    source: str = "boto3",
) -> Recording:
    """Record the DynamoDB requests of all boto3 and botocore clients of this process, and return the recording.

    `file` is the catalogue, to which the recording appends; by default it is the environment variable
    SINGLETABLE_CATALOGUE, or `dynamodb-catalogue.jsonl`. Existing clients of boto3 are recorded too. Clients of
    aiobotocore are recorded if they are created later.

    `labels` is a regular expression for the literal parts of keys, such as `[a-z]+` for `user#42`; by default, they are
    words of capital letters. `ignore` are modules of the application that are not the callers of requests, such as its
    own wrapper of boto3.

    `capacity` adds ReturnConsumedCapacity to each request, so that the catalogue contains the exact units. The
    application does not see it in the responses. Otherwise the units are computed from the sizes of items. `source` is
    the origin of the requests in the file; `pytest` means that the rates are those of tests.
    """
    global _active  # noqa: PLW0603  # as above
    path = Path(file or os.environ.get(FILE_VARIABLE) or FILE)
    with _lock:
        if _active is not None:
            raise RuntimeError(f"a recording to {_active.path} is already installed; call its uninstall() first")
        _hook_clients()
        recorder = RequestRecorder(path, source, labels=labels)
        _active = Recording(path, recorder, ignore, measures_capacity=capacity)
        return _active


def _hook_clients() -> None:
    """Wrap the method of botocore with which every client sends a request. A second call changes nothing."""
    try:
        client = importlib.import_module("botocore.client")
    except ModuleNotFoundError as problem:
        message = "botocore is not installed; install it with: pip install 'singletable[boto3]'"
        raise ModuleNotFoundError(message, name=problem.name) from problem
    if not getattr(client.BaseClient._make_api_call, "is_recorded", False):
        client.BaseClient._make_api_call = _recorded(client.BaseClient._make_api_call)
        client.BaseClient.__init__ = _recorded_constructor(client.BaseClient.__init__)


def _recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a wrapper of the method, which adds the handlers to a client before its first recorded request."""

    @wraps(original)
    def make_api_call(client: Any, *arguments: Any, **options: Any) -> Any:
        if _active is not None and client.meta.events not in _hooked:
            _add_handlers(client)
        return original(client, *arguments, **options)

    make_api_call.is_recorded = True  # type: ignore[attr-defined]  # a mark for the next install()
    return make_api_call


def _recorded_constructor(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a wrapper of the constructor, which adds the handlers to asynchronous clients too."""

    @wraps(original)
    def construct(client: Any, *arguments: Any, **options: Any) -> None:
        original(client, *arguments, **options)
        if _active is not None:
            _add_handlers(client)

    return construct


def _add_handlers(client: Any) -> None:
    """Register the documented events of a DynamoDB client.

    The handlers come first, so that they see the response before the resources of boto3 change it.
    """
    events = client.meta.events
    with _lock:
        if events in _hooked:
            return
        _hooked.add(events)
        if client.meta.service_model.service_name == _SERVICE:
            for event, handler in zip(_EVENTS, (_before_build, _before_call, _after_call, _after_error), strict=True):
                events.register_first(f"{event}.*.*", handler)


def _before_build(**event: Any) -> None:
    if (recording := _active) is not None:
        recording.request_capacity(**event)


def _before_call(**event: Any) -> None:
    if (recording := _active) is not None:
        recording.before_call(**event)


def _after_call(model: Any, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
    if (recording := _active) is not None:
        code = parsed.get("Error", {}).get("Code")
        recording.after_call(model.name, context, parsed if code is None else None, code)


def _after_error(event_name: str, exception: Exception, context: dict[str, Any], **_: Any) -> None:
    if (recording := _active) is not None:
        recording.after_call(event_name.rpartition(".")[2], context, None, type(exception).__name__)
