"""A scripted server: it sends responses, truncated responses or nothing, and closes connections."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
import zlib
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from singletable.client.http.address import parse_address
from singletable.client.http.credentials import LOCAL_CREDENTIALS, FixedCredentials
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.signer import Signer
from singletable.client.retries import Timeouts

SECONDS_MAX = 10.0
CLOSE = "close"
RESET = "reset"
Action = bytes | float | str
"""The bytes to send, a number of seconds to sleep, or a text that closes the connection."""


def response(status: int, body: bytes, *, length: int | None = None, head: str = "", checked: bool = True) -> bytes:
    """Return a response as DynamoDB sends it."""
    lines = [
        f"HTTP/1.1 {status} Words",
        "Content-Type: application/x-amz-json-1.0",
        f"Content-Length: {len(body) if length is None else length}",
    ]
    if checked:
        lines.append(f"X-Amz-Crc32: {zlib.crc32(body)}")
    return ("\r\n".join(lines) + "\r\n" + head + "\r\n").encode() + body


OK = response(200, b'{"ok":true}')


def refused(code: str, message: str = "", status: int = 400, head: str = "") -> bytes:
    body = f'{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"{message}"}}'.encode()
    return response(status, body, head=head)


@dataclass
class Scripted:
    """The script of the server, and the requests it received."""

    port: int
    script: deque[Sequence[Action]]
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def transport(self, *, connect: float = 5.0, read: float = 5.0, clock: Any = time.time) -> HttpTransport:
        return transport_to(self.port, connect=connect, read=read, clock=clock)


def transport_to(port: int, *, connect: float = 5.0, read: float = 5.0, clock: Any = time.time) -> HttpTransport:
    """Return a transport to a server on this machine."""
    address, _, _ = parse_address(f"http://127.0.0.1:{port}")
    signer = Signer(address.authority, "us-east-1", FixedCredentials(LOCAL_CREDENTIALS), clock)
    return HttpTransport(address, signer, Timeouts(connect, read))


@contextmanager
def scripted(*script: Action | Sequence[Action]) -> Generator[Scripted, None, None]:
    """Run a server that does one step per request. After the script, it responds OK."""
    listening = socket.create_server(("127.0.0.1", 0))
    steps = deque([each] if isinstance(each, bytes | float | str) else each for each in script)
    server = Scripted(listening.getsockname()[1], steps)
    lock = threading.Lock()
    open_ones: set[socket.socket] = set()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError, ConnectionOver):
            while True:
                request = read_request(connection)
                with lock:
                    server.requests.append(request)
                    actions = steps.popleft() if steps else [OK]
                for action in actions:
                    _act(connection, action)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                connection.settimeout(SECONDS_MAX)
                open_ones.add(connection)
                server.connections += 1
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(SECONDS_MAX)
        for connection in open_ones:
            connection.close()


class ConnectionOver(Exception):
    """The connection has ended."""


def _act(connection: socket.socket, action: Action) -> None:
    if isinstance(action, bytes):
        connection.sendall(action)
    elif isinstance(action, float):
        time.sleep(action)
    else:
        if action == RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        raise ConnectionOver


def read_request(connection: socket.socket) -> bytes:
    """Return the next request. Raise ConnectionOver at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += _more(connection)
    return head + b"\r\n\r\n" + body


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionOver
    return data


class Sends(Protocol):
    """A way to send: on this thread, or on an event loop."""

    def __call__(self, transport: HttpTransport, operation: str = "GetItem", body: bytes = b"{}") -> bytes: ...


class OnLoop:
    """Sends on one event loop, which runs between requests."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()

    def __call__(self, transport: HttpTransport, operation: str = "GetItem", body: bytes = b"{}") -> bytes:
        return self.runner.run(transport.send_async(operation, body))


def on_thread(transport: HttpTransport, operation: str = "GetItem", body: bytes = b"{}") -> bytes:
    return transport.send(operation, body)


def pieces(data: bytes, sizes: Iterable[int]) -> list[bytes]:
    """Return bytes split into pieces of these sizes, followed by the rest."""
    found = []
    for size in sizes:
        found.append(data[:size])
        data = data[size:]
    return [each for each in [*found, data] if each]
