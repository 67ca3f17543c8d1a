"""The two sides of the comparison: the engine in this process, and a server over HTTP."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, sleep, time
from typing import Any, Protocol

from singletable.engine.engine import Engine

Request = dict[str, Any]

TARGET = "DynamoDB_20120810."
READY_SECONDS_MAX = 3  # Local sometimes never finishes creating or deleting an index
# No side verifies the signature. DynamoDB Local derives its region, and so its database, from the credential.
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/dynamodb/aws4_request, "
    f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}",
}


@dataclass(frozen=True)
class Response:
    """A response: its status and its document."""

    status: int
    document: Any

    @property
    def is_error(self) -> bool:
        return self.status != http.HTTPStatus.OK

    @property
    def code(self) -> str:
        """The type of an error, without its namespace."""
        return str(self.document.get("__type", "")).rpartition("#")[2] if isinstance(self.document, dict) else ""

    @property
    def message(self) -> str:
        """The message of an error, under either of its two names."""
        return str(self.document.get("message", self.document.get("Message", "")))


class Side(Protocol):
    """A server, or the engine in this process."""

    def send(self, action: str, request: Request) -> Response: ...

    def settle(self, table: str) -> None:
        """Wait until the table, its indexes and its time to live are ready."""


class InProcess:
    """The engine of this source tree, in memory."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._engine = Engine("memory:", now=now, sweep_seconds=None)

    def send(self, action: str, request: Request) -> Response:
        answer = self._engine.answer(TARGET + action, json.dumps(request).encode())
        return Response(answer.status, json.loads(answer.body or b"{}"))

    def settle(self, table: str) -> None:
        self._engine.backfill.wait()
        self._engine.sweeper.sweep()

    def close(self) -> None:
        self._engine.close()


class OverHttp:
    """A server on this machine."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def send(self, action: str, request: Request) -> Response:
        body = json.dumps(request).encode()
        try:
            return self._sent(action, body)
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()  # the next request opens it again
            return self._sent(action, body)

    def _sent(self, action: str, body: bytes) -> Response:
        self._connection.request("POST", "/", body, {**HEADERS, "X-Amz-Target": TARGET + action})
        response = self._connection.getresponse()
        content = response.read()
        return Response(response.status, json.loads(content) if content else {})

    def settle(self, table: str) -> None:
        end = monotonic() + READY_SECONDS_MAX
        while monotonic() < end:
            described = self.send("DescribeTable", {"TableName": table})
            description = described.document.get("Table", {})
            if described.is_error or is_active(description):
                return
            sleep(0.02)

    def close(self) -> None:
        self._connection.close()


def is_active(described: Request) -> bool:
    """Return whether a table and its indexes are ready."""
    statuses = [index["IndexStatus"] for index in described.get("GlobalSecondaryIndexes", ())]
    return {described["TableStatus"], *statuses} == {"ACTIVE"}
