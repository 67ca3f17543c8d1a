"""A server, or a proxy before one, that repeats, swaps, drops and cuts off responses at random."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tests.client.http.scripted import SECONDS_MAX, ConnectionOver, read_request, refused, response

FAULTS = ("double", "double later", "late double", "swap", "drop", "cut off")
HONEST_FIRST = 4
"""The server makes no fault in its first responses, in which the client learns that request IDs differ."""


@dataclass
class FaultyServer:
    """The server: its address, the writes it has executed, and the faults it has made."""

    port: int
    chance: random.Random
    executed: set[str] = field(default_factory=set)
    made: dict[str, int] = field(default_factory=dict)
    _answered: int = 0
    _last_item: bytes = b""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def respond(self, request: bytes) -> tuple[bytes, bool]:
        """Execute a request; return its response, and whether the response contains an item."""
        head, _, body = request.partition(b"\r\n\r\n")
        document: dict[str, Any] = msgspec.json.decode(body)
        with self._lock:
            self._answered += 1
            given_id = f"x-amzn-RequestId: ID{self._answered}\r\n"
            if b".PutItem" in head:
                key = document["Item"]["PK"]["S"]
                if key.endswith("taken"):
                    return refused("ConditionalCheckFailedException", "taken", head=given_id), False
                self.executed.add(key)
                return response(200, b"{}", head=given_id), False
            if b".Query" in head:
                item = {"PK": document["ExpressionAttributeValues"][":v0"], "SK": {"S": "1"}}
                return response(200, msgspec.json.encode({"Items": [item], "Count": 1}), head=given_id), True
            item = dict(reversed(document["Key"].items())) if self._answered % 2 else document["Key"]
            return response(200, msgspec.json.encode({"Item": item | {"x": {"S": "y"}}}), head=given_id), True

    def fault(self, has_item: bool) -> tuple[str, bytes]:
        """Return the next fault, or no text, and the last response with an item, of any connection."""
        with self._lock:
            kind = self.chance.choice(FAULTS) if self.chance.random() < 0.3 and self._answered > HONEST_FIRST else ""
            if kind == "swap" and not (has_item and self._last_item):
                kind = ""  # without an item, nothing shows which request a response belongs to
            self.made[kind] = self.made.get(kind, 0) + 1
            return kind, self._last_item

    def remember(self, answer: bytes) -> None:
        """Keep a response with an item for a later swap."""
        with self._lock:
            self._last_item = answer


def _serve(server: FaultyServer, connection: socket.socket) -> None:
    late = b""
    with connection, suppress(OSError, ConnectionOver):
        while True:
            request = read_request(connection)
            if late:
                connection.sendall(late)
                time.sleep(0.001)
            late = b""
            answer, has_item = server.respond(request)
            kind, other = server.fault(has_item)
            if has_item:
                server.remember(answer)
            if kind == "drop":
                return
            if kind == "cut off":
                connection.sendall(answer[: len(answer) // 2])
                return
            connection.sendall(other if kind == "swap" else answer)
            if kind == "late double":
                late = answer
            if kind in ("double", "double later"):
                time.sleep(0.0 if kind == "double" else 0.002)
                connection.sendall(answer)


@contextmanager
def faulty_server(seed: str) -> Generator[FaultyServer, None, None]:
    """Run the server; the seed determines its faults."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = FaultyServer(listening.getsockname()[1], random.Random(seed))
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                connection.settimeout(SECONDS_MAX)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threads.append(threading.Thread(target=_serve, args=(server, connection)))
                threads[-1].start()

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield server
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        acceptor.join(SECONDS_MAX)
        for thread in threads:
            thread.join(SECONDS_MAX)
