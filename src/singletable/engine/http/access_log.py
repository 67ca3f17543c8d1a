"""Access log of the server (`serve --log`): one line per request, as JSON or text, without keys and values of items."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from singletable.engine.http.http_messages import HttpRequest, HttpResponse
from singletable.engine.http.request_handler import Service
from singletable.engine.http.request_parser import Fault
from singletable.wire.api_types import decoder_of

LogFormat = Literal["json", "text"]


class _NamedTable(msgspec.Struct, rename="pascal"):
    """An action of a transaction. The log shows only its table."""

    table_name: str | None = None


class _Tables(msgspec.Struct, rename="pascal"):
    """The names of the tables in the body of a request."""

    table_name: str | None = None
    request_items: dict[str, msgspec.Raw] = {}
    transact_items: list[dict[str, _NamedTable]] = []


_read_tables = decoder_of(_Tables).decode
_read_error = msgspec.json.decode


class AccessLog:
    """Writes lines about requests, and about internal errors."""

    def __init__(self, log_format: LogFormat, write: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._is_json = log_format == "json"
        self._write = write
        self._clock = clock

    def request(self, request: HttpRequest | None, response: HttpResponse, seconds: float) -> None:
        """Write the line of a request. The request is None if the server could not parse it."""
        record: dict[str, Any] = {
            "time": self._now(),
            "level": "info" if response.status < 500 else "error",
            "status": response.status,
            "operation": None if request is None else _operation(request),
            "tables": [] if request is None else _tables(request),
            "error": _error(response),
            "milliseconds": round(seconds * 1000, 3),
            "request_bytes": 0 if request is None else len(request.body),
            "response_bytes": len(response.body),
            "request_id": f"{response.request_id:052X}",
        }
        if self._is_json:
            self._write(json.dumps(record))
            return
        what = " ".join([record["operation"] or "-", ",".join(record["tables"]) or "-", record["error"] or ""]).rstrip()
        self._write(f"{record['time']} {response.status} {what} {record['milliseconds']} ms")

    def message(self, text: str) -> None:
        """Write a message, such as the traceback of an internal error."""
        self._write(json.dumps({"time": self._now(), "level": "error", "message": text}) if self._is_json else text)

    def _now(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")


class LoggedService(Service):
    """A service that writes a line about each request to an access log."""

    def __init__(self, access_log: AccessLog, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, log=access_log.message, **options)
        self._access_log = access_log

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Return the response, and write its line."""
        started = time.perf_counter()
        response = super().answer(request)
        self._access_log.request(request, response, time.perf_counter() - started)
        return response

    def reject(self, fault: Fault) -> HttpResponse:
        """Return the response to a request that could not be parsed, and write its line."""
        response = super().reject(fault)
        self._access_log.request(None, response, 0.0)
        return response


def write_to_stderr(line: str) -> None:
    """Write a line to standard error."""
    print(line, file=sys.stderr, flush=True)


def _operation(request: HttpRequest) -> str:
    target = request.headers.get(b"x-amz-target", b"").decode("latin-1")
    return target.rpartition(".")[2] or request.method.decode("latin-1")


def _tables(request: HttpRequest) -> list[str]:
    try:
        found = _read_tables(request.body)
    except msgspec.MsgspecError:  # the body is invalid or compressed
        return []
    names = {*found.request_items, *(each.table_name for action in found.transact_items for each in action.values())}
    return sorted(name for name in {found.table_name, *names} if name is not None)


def _error(response: HttpResponse) -> str | None:
    if response.status < 400:
        return None
    try:
        code: str = _read_error(response.body)["__type"]
    except (msgspec.MsgspecError, KeyError, TypeError):
        return None
    return code.rpartition("#")[2]
