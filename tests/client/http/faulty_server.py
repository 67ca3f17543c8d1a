"""A proxy before an engine that repeats, swaps, drops and cuts off responses at random."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import msgspec

from singletable.engine.dispatch import DYNAMODB
from singletable.engine.engine import Engine
from tests.client.http.scripted import SECONDS_MAX, ConnectionOver, read_request, response

FAULTS = ("double", "double later", "late double", "behind", "swap", "drop", "cut off")
WITHOUT_IDS = ("double", "double later", "swap", "swap", "swap", "drop", "cut off")
"""The faults that a client finds without request IDs, if it waits for `settled` before each request."""
HONEST_FIRST = 4
"""The number of first responses without a fault. From them, the client learns that request IDs differ."""


@dataclass
class FaultyServer:
    """The server: its address, its engine, and the faults it has made."""

    port: int
    chance: random.Random
    engine: Engine
    has_ids: bool = True
    made: dict[str, int] = field(default_factory=dict)
    _answered: int = 0
    _last: dict[bytes, bytes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sending: int = 0
    _settled: threading.Condition = field(default_factory=threading.Condition)

    def respond(self, request: bytes) -> tuple[bytes, bytes]:
        """Execute a request; return its response, and the key of the item that it reads."""
        head, _, body = request.partition(b"\r\n\r\n")
        target = head.partition(b"x-amz-target: ")[2]
        action = target.partition(b"\r\n")[0].decode().rpartition(".")[2]
        answer = self.engine.answer(DYNAMODB + action, body)
        with self._lock:
            self._answered += 1
            given_id = f"x-amzn-RequestId: ID{self._answered}\r\n" if self.has_ids else ""
        has_item = action == "GetItem" and answer.status == 200 and answer.body != b"{}"
        key = msgspec.json.encode(msgspec.json.decode(body)["Key"]) if has_item else b""
        return response(answer.status, answer.body, head=given_id), key

    def fault(self, key: bytes, answer: bytes) -> tuple[str, bytes]:
        """Return the next fault, or no text, and the response about another item, of any connection."""
        with self._lock:
            faults = FAULTS if self.has_ids else WITHOUT_IDS
            kind = self.chance.choice(faults) if self.chance.random() < 0.3 and self._answered > HONEST_FIRST else ""
            others = [made for other, made in self._last.items() if other != key]
            # Without an item, nothing shows which request a response belongs to; with the same key, neither.
            if kind == "swap" and not (key and others):
                kind = ""
            if key:
                self._last[key] = answer
            self.made[kind] = self.made.get(kind, 0) + 1
            return kind, others[-1] if others else b""

    @contextmanager
    def sending(self) -> Generator[None, None, None]:
        """Count a response that is being sent, with the rest of its fault."""
        with self._settled:
            self._sending += 1
        try:
            yield
        finally:
            with self._settled:
                self._sending -= 1
                self._settled.notify_all()

    def settled(self) -> None:
        """Return when everything that the server sends without another request has been sent."""
        with self._settled:
            assert self._settled.wait_for(lambda: self._sending == 0, SECONDS_MAX)


def _serve(server: FaultyServer, connection: socket.socket) -> None:
    late = last = pending = b""
    with connection, suppress(OSError, ConnectionOver):
        while True:
            request = read_request(connection)
            with server.sending():
                if late:
                    connection.sendall(late)
                    time.sleep(0.001)
                late = b""
                answer, key = server.respond(request)
                if pending:  # this connection is one response behind
                    connection.sendall(pending)
                    pending = answer
                    continue
                kind, other = server.fault(key, answer)
                if kind == "drop":
                    return
                if kind == "cut off":
                    connection.sendall(answer[: len(answer) // 2])
                    return
                if kind == "behind" and last:
                    connection.sendall(last)
                    pending = answer
                    continue
                connection.sendall(other if kind == "swap" else answer)
                last = answer
                if kind == "late double":
                    late = answer
                if kind in ("double", "double later"):
                    time.sleep(0.0 if kind == "double" else 0.002)
                    connection.sendall(answer)


@contextmanager
def faulty_server(seed: str, engine: Engine, *, has_ids: bool = True) -> Generator[FaultyServer, None, None]:
    """Run the server before an engine; the seed determines its faults."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = FaultyServer(listening.getsockname()[1], random.Random(seed), engine, has_ids)
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
