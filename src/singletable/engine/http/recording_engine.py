"""Recording of the requests that the server receives (`serve --catalogue`), in the format of the botocore hook."""

from __future__ import annotations

import logging
import time
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from singletable.catalogue.recent_results import recent_results
from singletable.catalogue.request_recorder import OBSERVED, RequestRecorder
from singletable.engine.http.http_messages import EngineReply, RespondingEngine
from singletable.engine.storage.process_locks import WriteWait

_log = logging.getLogger("singletable.catalogue")
_read = msgspec.json.decode


class RecordingEngine:
    """Records the requests to an engine. The name of an access pattern comes from the shape of its requests.

    The server does not know which function of the application sent a request.
    """

    def __init__(self, engine: RespondingEngine, recorder: RequestRecorder) -> None:
        self._engine = engine
        self._recorder = recorder

    @property
    def waits(self) -> WriteWait:
        """Whether the current thread waits for its turn to write."""
        return self._engine.waits

    def group_commit(self) -> AbstractContextManager[object]:
        """Return a context manager for several requests."""
        return self._engine.group_commit()

    def respond(self, target: str, body: bytes) -> EngineReply:
        """Return the reply to a request, and record both. An error of the recording does not fail the request."""
        operation = target.rpartition(".")[2]
        if operation not in OBSERVED:
            return self._engine.respond(target, body)
        started = time.perf_counter()
        reply = self._engine.respond(target, body)
        seconds = time.perf_counter() - started
        try:
            self._record(operation, body, reply, seconds)
        except Exception:  # the client gets its reply even if the recording fails
            _log.exception("cannot record a request of %s", operation)
        return reply

    def _record(self, operation: str, body: bytes, reply: EngineReply, seconds: float) -> None:
        try:
            request: Any = _read(body)
        except msgspec.MsgspecError:
            return  # the engine has rejected it
        answer: Any = _read(reply.body)
        if not isinstance(request, dict):
            return
        if reply.status < 400:
            recent = recent_results(self._recorder.run)
            self._recorder.record(operation, request, answer, seconds=seconds, recent=recent)
            return
        code = str(answer.get("__type", "")).rpartition("#")[2]
        if code not in _NEVER_READ:  # an invalid request belongs to no access pattern
            self._recorder.record(operation, request, None, seconds=seconds, error=code)


_NEVER_READ = ("SerializationException", "ValidationException", "UnknownOperationException")


def describe_tables(engine: RespondingEngine, recorder: RequestRecorder) -> None:
    """Record the keys and indexes of the tables that exist before the first request."""
    known = RecordingEngine(engine, recorder)
    start: dict[str, str] = {}
    while True:
        page: Any = _read(engine.respond("DynamoDB_20120810.ListTables", msgspec.json.encode(start)).body)
        for name in page.get("TableNames", ()):
            known.respond("DynamoDB_20120810.DescribeTable", msgspec.json.encode({"TableName": name}))
        if "LastEvaluatedTableName" not in page:
            return
        start = {"ExclusiveStartTableName": page["LastEvaluatedTableName"]}
