"""Load generator: requests over keep-alive connections, with one outstanding request on each, driven by one poll loop.

The load generator shares the machine with the measured server, so it does as little work as possible. Requests are
built in advance. A response is read to its length, and only its status is checked. After the measurement, the last
response on each connection is decoded and checked.
"""

from __future__ import annotations

import json
import re
import select
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from time import perf_counter

from bench.engine_bench.workload import Exchange

SILENCE_SECONDS_MAX = 60
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_CLOSING = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"
# JSON strings contain no raw line breaks, so data that ends with these bytes is a complete response.
_CHUNKS_END = b"\r\n0\r\n\r\n"


class UnexpectedResponse(Exception):
    """A server rejected a request, returned an unexpected result, or did not respond."""


Sign = Callable[[Exchange], bytes]
"""A function that returns the HTTP request of an exchange, with a valid signature."""


def unsigned(exchange: Exchange) -> bytes:
    """Return the HTTP request of an exchange for a server that verifies no signatures."""
    return exchange.payload


@dataclass(frozen=True)
class PreparedRequest:
    """An exchange and the bytes of its HTTP request."""

    exchange: Exchange
    payload: bytes


@dataclass(frozen=True)
class Throughput:
    """The number of responses and the time they took."""

    responses: int
    seconds: float

    @property
    def rate(self) -> float:
        """Responses per second."""
        return self.responses / self.seconds


class Connection:
    """A keep-alive connection with at most one outstanding request. It can be reopened after the server closes it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._buffer = bytearray(4 * 2**20)
        self._view = memoryview(self._buffer)
        self._filled = self._whole = self._head = 0
        self._socket = self._open()
        self.closing = False

    def _open(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=SILENCE_SECONDS_MAX)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The socket is blocking: sendall sends a large request completely, and reads happen only if poll reports data.
        connection.settimeout(None)
        return connection

    def fileno(self) -> int:
        """Return the file descriptor for poll."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def reopen(self) -> None:
        """Replace a connection that the server closes after its response."""
        self._socket.close()
        self._socket = self._open()

    def send(self, payload: bytes) -> None:
        """Send a request. Its response will start at the beginning of the buffer."""
        self._filled = self._whole = 0
        self._socket.sendall(payload)

    def receive(self) -> bool:
        """Receive the available data. Return whether the response is complete."""
        filled = self._filled
        received = self._socket.recv_into(self._view[filled:] if filled else self._view)
        if not received:
            raise UnexpectedResponse("the server closed the connection")
        self._filled = filled = filled + received
        if not self._whole and not self._read_head(filled):
            return False
        if self._whole > 0:
            return filled >= self._whole
        return self._buffer.endswith(_CHUNKS_END, filled - len(_CHUNKS_END), filled)

    def _read_head(self, filled: int) -> bool:
        """Read the status and the length of a response. Return False if its header is incomplete."""
        end = self._buffer.find(_HEAD_END, 0, filled)
        if end < 0:
            return False
        self._head = end + len(_HEAD_END)
        length = _LENGTH.search(self._buffer, 0, end)
        if length is not None:
            self._whole = self._head + int(length[1])
        elif _CHUNKED.search(self._buffer, 0, end):
            self._whole = -1
        else:
            raise UnexpectedResponse(f"response without a length: {bytes(self._buffer[:end])!r}")
        if self._whole > len(self._buffer):
            raise UnexpectedResponse(f"response too large: {self._whole} bytes")
        if self._buffer[9:12] != b"200":
            status, body = bytes(self._buffer[9:12]), bytes(self._buffer[self._head : min(filled, self._head + 300)])
            raise UnexpectedResponse((status + b" " + body).decode(errors="replace"))
        self.closing = _CLOSING.search(self._buffer, 0, end) is not None
        return True

    def body(self) -> bytes:
        """Return the body of the received response."""
        raw = bytes(self._view[self._head : self._filled])
        return raw if self._whole > 0 else b"".join(split_chunks(raw))


def split_chunks(raw: bytes) -> Iterator[bytes]:
    """Yield the chunks of a chunked body."""
    position = 0
    while True:
        end = raw.index(b"\r\n", position)
        size = int(raw[position:end].partition(b";")[0], 16)
        if size == 0:
            return
        yield raw[end + 2 : end + 2 + size]
        position = end + 2 + size + 2


def check_body(exchange: Exchange, body: bytes) -> None:
    """Raise UnexpectedResponse unless a response has the expected content."""
    try:
        expected = exchange.is_expected(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        raise UnexpectedResponse(f"{exchange.action}: {error!r} in {body[:200]!r}") from error
    if not expected:
        raise UnexpectedResponse(f"{exchange.action}: unexpected response {body[:200]!r} to {exchange.body[:200]!r}")


def send_and_check(port: int, exchanges: Sequence[Exchange], sign: Sign = unsigned) -> None:
    """Send requests one by one on one connection, check every response, and read back every written item."""
    connection = Connection(port)
    try:
        for exchange in exchanges:
            check_body(exchange, _exchange(connection, sign(exchange)))
            if exchange.read_back is not None:
                check_body(exchange.read_back, _exchange(connection, sign(exchange.read_back)))
    finally:
        connection.close()


def _exchange(connection: Connection, payload: bytes) -> bytes:
    if connection.closing:
        connection.reopen()
    connection.send(payload)
    while select.select([connection], [], [], SILENCE_SECONDS_MAX)[0]:
        if connection.receive():
            return connection.body()
    raise UnexpectedResponse(f"no response for {SILENCE_SECONDS_MAX} seconds")


def measure_throughput(
    port: int,
    prepared: Sequence[PreparedRequest],
    *,
    clients: int,
    seconds: float,
    start: int = 0,
    sign: Sign = unsigned,
) -> Throughput:
    """Send requests over some connections for some seconds, from a start position, and count the responses."""
    queues = [cycle(_rotated(prepared[client::clients], start)) for client in range(clients)]
    connections: list[Connection] = []
    try:
        connections.extend(Connection(port) for _ in queues)
        sent, throughput = _run(connections, [queue.__next__ for queue in queues], seconds)
        bodies = [connection.body() for connection in connections]
    finally:
        for connection in connections:
            connection.close()
    exchanges = [each.exchange for each in sent]
    for exchange, body in zip(exchanges, bodies, strict=True):
        check_body(exchange, body)
    send_and_check(port, [exchange.read_back for exchange in exchanges if exchange.read_back is not None], sign)
    return throughput


def _rotated(prepared: Sequence[PreparedRequest], start: int) -> list[PreparedRequest]:
    middle = start % len(prepared)
    return [*islice(prepared, middle, None), *islice(prepared, middle)]


def _run(
    connections: list[Connection], queues: list[Callable[[], PreparedRequest]], seconds: float
) -> tuple[list[PreparedRequest], Throughput]:
    """Keep one request outstanding on each connection until the time is over. Also return the last request of each."""
    poller = select.poll()
    positions: dict[int, int] = {}
    for position, connection in enumerate(connections):
        positions[connection.fileno()] = position
        poller.register(connection, select.POLLIN)
    started = perf_counter()
    deadline = started + seconds
    last = [next_request() for next_request in queues]
    for connection, prepared in zip(connections, last, strict=True):
        connection.send(prepared.payload)
    responses, outstanding = 0, len(connections)
    while outstanding:
        ready = poller.poll(SILENCE_SECONDS_MAX * 1000)
        if not ready:
            raise UnexpectedResponse(f"no response for {SILENCE_SECONDS_MAX} seconds")
        for descriptor, _ in ready:
            position = positions[descriptor]
            connection = connections[position]
            if not connection.receive():
                continue
            responses += 1
            if perf_counter() >= deadline:
                poller.unregister(descriptor)
                outstanding -= 1
                continue
            if connection.closing:
                poller.unregister(descriptor)
                connection.reopen()
                del positions[descriptor]
                positions[connection.fileno()] = position
                poller.register(connection, select.POLLIN)
            last[position] = prepared = queues[position]()
            connection.send(prepared.payload)
    return last, Throughput(responses, perf_counter() - started)


def prepare(exchanges: Sequence[Exchange], sign: Sign = unsigned) -> list[PreparedRequest]:
    """Build the bytes of each request."""
    return [PreparedRequest(exchange, sign(exchange)) for exchange in exchanges]
