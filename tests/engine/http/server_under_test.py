"""A server in a thread of the test, a fake engine, and a client that sends raw bytes."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from singletable.engine.http.body_budget import BodyBudget
from singletable.engine.http.browser_guard import BrowserGuard
from singletable.engine.http.request_handler import RequestCheck, Service
from singletable.engine.http.server import Server, listen
from singletable.engine.http.server_state import ServerTimeouts
from singletable.engine.storage.process_locks import WriteWait

SECONDS_MAX = 10.0
JSON = "application/x-amz-json-1.0"


class Answer(NamedTuple):
    status: int
    body: bytes
    wrote: bool = False


@dataclass
class FakeEngine:
    """Echoes `Echo`, returns a megabyte for `Large`, echoes and reports a write for `Write`, and raises for `Break`."""

    requests: list[tuple[str, bytes]] = field(default_factory=list)
    large: bytes = b'{"x":"' + b"0123456789" * 100_000 + b'"}'
    group_commits: int = 0
    group_commit_error: Exception | None = None
    waits: WriteWait = field(default_factory=WriteWait)

    @contextmanager
    def group_commit(self) -> Generator[None, None, None]:
        self.group_commits += 1
        yield
        if self.group_commit_error is not None:
            raise self.group_commit_error

    def respond(self, target: str, body: bytes) -> Answer:
        self.requests.append((target, body))
        match target.rpartition(".")[2]:
            case "Echo":
                return Answer(200, body)
            case "Large":
                return Answer(200, self.large)
            case "Write":
                return Answer(200, body, wrote=True)
            case "Refuse":
                return Answer(400, b'{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}')
            case "Break":
                raise RuntimeError("the secret ingredient")
            case _:
                return Answer(400, b'{"__type":"com.amazon.coral.service#UnknownOperationException"}')


class ReadResponse(NamedTuple):
    """A response as the client reads it. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Peer:
    """A client connection that sends raw bytes."""

    def __init__(self, port: int, *, receive_bytes: int | None = None) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(SECONDS_MAX)
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self._rest = b""

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, *, bodiless: bool = False) -> ReadResponse:
        """Return the next response. Raise EOFError if the connection ends first."""
        while b"\r\n\r\n" not in self._rest:
            self._more()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = 0 if bodiless else int(headers.get("content-length", "0"))
        while len(self._rest) < length:
            self._more()
        body, self._rest = self._rest[:length], self._rest[length:]
        return ReadResponse(int(first.split()[1]), headers, body)

    def request(self, action: str, body: bytes = b"{}", **headers: str) -> ReadResponse:
        self.send(post(action, body, **headers))
        return self.read()

    def ends(self) -> bool:
        """Return whether the server closes the connection without sending more."""
        try:
            return not self._rest and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _more(self) -> None:
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError(self._rest)
        self._rest += data


def post(action: str, body: bytes = b"{}", **headers: str) -> bytes:
    """Return a request as an SDK sends it. Headers are keywords with underscores instead of dashes."""
    given = {"host": "127.0.0.1", "x_amz_target": f"DynamoDB_20120810.{action}", "content_type": JSON} | headers
    given.setdefault("content_length", str(len(body)))
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
    return f"POST / HTTP/1.1\r\n{lines}\r\n".encode() + body


@dataclass
class Serving:
    """A server under test."""

    port: int
    server: Server
    loop: asyncio.AbstractEventLoop
    engine: FakeEngine
    logged: list[str]
    _thread: threading.Thread

    def peer(self, *, receive_bytes: int | None = None) -> Peer:
        return Peer(self.port, receive_bytes=receive_bytes)

    def hold(self) -> Callable[[], None]:
        """Stop the event loop, so that received data accumulates. Return the function that lets it continue."""
        is_held, may_continue = threading.Event(), threading.Event()

        def wait() -> None:
            is_held.set()
            may_continue.wait(SECONDS_MAX)

        self.loop.call_soon_threadsafe(wait)
        is_held.wait(SECONDS_MAX)
        return may_continue.set

    def stop(self) -> None:
        """Stop the server as the command line does, and wait for it."""
        asyncio.run_coroutine_threadsafe(self.server.stop(), self.loop).result(SECONDS_MAX)


@contextmanager
def serving(
    *,
    check: RequestCheck | None = None,
    head_check: RequestCheck | None = None,
    flush: Callable[[], None] | None = None,
    timeouts: ServerTimeouts | None = None,
    bodies: BodyBudget | None = None,
    guard: BrowserGuard | None = None,
    sweep_seconds: float = 5.0,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
) -> Generator[Serving, None, None]:
    """Run a server on its own port, and stop it at the end."""
    engine, logged = FakeEngine(), list[str]()
    service = Service(engine, check=check, head_check=head_check, guard=guard, log=logged.append)
    server = Server(service, flush=flush, timeouts=timeouts, bodies=bodies, sweep_seconds=sweep_seconds)
    listening = listen("127.0.0.1", 0)
    loop = loop_factory()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(listening), loop).result(SECONDS_MAX)
    under_test = Serving(listening.getsockname()[1], server, loop, engine, logged, thread)
    try:
        yield under_test
    finally:
        under_test.stop()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(SECONDS_MAX)
        loop.close()
