"""The load generator: requests over kept-alive sockets, one outstanding on each, driven by one poll in one process.

It shares the machine with the server it measures, so it does as little as it can: requests are built beforehand, an
answer is read until its length is reached, its status is looked at, and the last answer on each connection is decoded
and checked when the clock has stopped.
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
# JSON has no bare line break, so these bytes at the end of what has arrived are the end of the answer.
_CHUNKS_END = b"\r\n0\r\n\r\n"


class WrongAnswer(Exception):
    """A server refused a request, answered something else than asked, or did not answer."""


@dataclass(frozen=True)
class Prepared:
    """An exchange with its bytes on the wire."""

    exchange: Exchange
    payload: bytes


@dataclass(frozen=True)
class Measured:
    """How many answers came in how long."""

    answers: int
    seconds: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


class Connection:
    """A kept-alive connection with at most one request outstanding; opened anew when the server closes it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._buffer = bytearray(4 * 2**20)
        self._view = memoryview(self._buffer)
        self._filled = self._whole = self._head = 0
        self._socket = self._opened()
        self.closing = False

    def _opened(self) -> socket.socket:
        opened = socket.create_connection(("127.0.0.1", self._port), timeout=SILENCE_SECONDS_MAX)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Blocking: a large request is sent whole, and reading starts only when poll says that something is there.
        opened.settimeout(None)
        return opened

    def fileno(self) -> int:
        """The descriptor that poll watches."""
        return self._socket.fileno()

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def reopen(self) -> None:
        """A new connection in the place of one that the server closes after its answer."""
        self._socket.close()
        self._socket = self._opened()

    def send(self, payload: bytes) -> None:
        """Sends a request; its answer begins at the start of the buffer."""
        self._filled = self._whole = 0
        self._socket.sendall(payload)

    def receive(self) -> bool:
        """Reads what is there; true when the answer is whole."""
        filled = self._filled
        received = self._socket.recv_into(self._view[filled:] if filled else self._view)
        if not received:
            raise WrongAnswer("the server closed the connection")
        self._filled = filled = filled + received
        if not self._whole and not self._read_head(filled):
            return False
        if self._whole > 0:
            return filled >= self._whole
        return self._buffer.endswith(_CHUNKS_END, filled - len(_CHUNKS_END), filled)

    def _read_head(self, filled: int) -> bool:
        """Learns the status and the length of an answer; false when its head has not arrived yet."""
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
            raise WrongAnswer(f"an answer without a length: {bytes(self._buffer[:end])!r}")
        if self._whole > len(self._buffer):
            raise WrongAnswer(f"an answer of {self._whole} bytes")
        if self._buffer[9:12] != b"200":
            status, body = bytes(self._buffer[9:12]), bytes(self._buffer[self._head : min(filled, self._head + 300)])
            raise WrongAnswer((status + b" " + body).decode(errors="replace"))
        self.closing = _CLOSING.search(self._buffer, 0, end) is not None
        return True

    def body(self) -> bytes:
        """The body of the answer that is there."""
        raw = bytes(self._view[self._head : self._filled])
        return raw if self._whole > 0 else b"".join(chunks_of(raw))


def chunks_of(raw: bytes) -> Iterator[bytes]:
    """The chunks of a body that was sent in chunks."""
    position = 0
    while True:
        end = raw.index(b"\r\n", position)
        size = int(raw[position:end].partition(b";")[0], 16)
        if size == 0:
            return
        yield raw[end + 2 : end + 2 + size]
        position = end + 2 + size + 2


def check(exchange: Exchange, body: bytes) -> None:
    """Refuses an answer that is not what was asked for."""
    try:
        right = exchange.is_right(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        raise WrongAnswer(f"{exchange.action}: {error!r} in {body[:200]!r}") from error
    if not right:
        raise WrongAnswer(f"{exchange.action}: {body[:200]!r} is not the answer to {exchange.body[:200]!r}")


def ask(port: int, exchanges: Sequence[Exchange]) -> None:
    """Sends requests one after another on one connection and checks every answer, and that writes can be read back."""
    connection = Connection(port)
    try:
        for exchange in exchanges:
            check(exchange, _answer(connection, exchange.payload))
            if exchange.shown_by is not None:
                check(exchange.shown_by, _answer(connection, exchange.shown_by.payload))
    finally:
        connection.close()


def _answer(connection: Connection, payload: bytes) -> bytes:
    if connection.closing:
        connection.reopen()
    connection.send(payload)
    while select.select([connection], [], [], SILENCE_SECONDS_MAX)[0]:
        if connection.receive():
            return connection.body()
    raise WrongAnswer(f"no answer for {SILENCE_SECONDS_MAX} seconds")


def drive(port: int, prepared: Sequence[Prepared], *, clients: int, seconds: float, start: int = 0) -> Measured:
    """As many requests as are answered in this time over so many connections, beginning at a place among them."""
    queues = [cycle(_rotated(prepared[client::clients], start)) for client in range(clients)]
    connections: list[Connection] = []
    try:
        connections.extend(Connection(port) for _ in queues)
        sent, measured = _run(connections, [queue.__next__ for queue in queues], seconds)
        bodies = [connection.body() for connection in connections]
    finally:
        for connection in connections:
            connection.close()
    exchanges = [each.exchange for each in sent]
    for exchange, body in zip(exchanges, bodies, strict=True):
        check(exchange, body)
    ask(port, [exchange.shown_by for exchange in exchanges if exchange.shown_by is not None])
    return measured


def _rotated(prepared: Sequence[Prepared], start: int) -> list[Prepared]:
    middle = start % len(prepared)
    return [*islice(prepared, middle, None), *islice(prepared, middle)]


def _run(
    connections: list[Connection], queues: list[Callable[[], Prepared]], seconds: float
) -> tuple[list[Prepared], Measured]:
    """Keeps one request outstanding on each connection until the time is over; also says what was sent last on each."""
    poller = select.poll()
    places: dict[int, int] = {}
    for place, connection in enumerate(connections):
        places[connection.fileno()] = place
        poller.register(connection, select.POLLIN)
    started = perf_counter()
    deadline = started + seconds
    last = [following() for following in queues]
    for connection, prepared in zip(connections, last, strict=True):
        connection.send(prepared.payload)
    answers, outstanding = 0, len(connections)
    while outstanding:
        ready = poller.poll(SILENCE_SECONDS_MAX * 1000)
        if not ready:
            raise WrongAnswer(f"no answer for {SILENCE_SECONDS_MAX} seconds")
        for descriptor, _ in ready:
            place = places[descriptor]
            connection = connections[place]
            if not connection.receive():
                continue
            answers += 1
            if perf_counter() >= deadline:
                poller.unregister(descriptor)
                outstanding -= 1
                continue
            if connection.closing:
                poller.unregister(descriptor)
                connection.reopen()
                del places[descriptor]
                places[connection.fileno()] = place
                poller.register(connection, select.POLLIN)
            last[place] = prepared = queues[place]()
            connection.send(prepared.payload)
    return last, Measured(answers, perf_counter() - started)


def prepare(exchanges: Sequence[Exchange]) -> list[Prepared]:
    """Exchanges with their bytes built."""
    return [Prepared(exchange, exchange.payload) for exchange in exchanges]
