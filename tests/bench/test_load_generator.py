"""The load generator reads complete responses in any number of pieces, and detects unexpected responses."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any

import pytest

from bench.engine_bench.load_generator import (
    UnexpectedResponse,
    measure_throughput,
    prepare,
    send_and_check,
    split_chunks,
)
from bench.engine_bench.workload import Exchange

Pieces = Callable[[bytes], list[bytes]]
"""A function that returns the pieces in which a server sends the body of a response."""


def serve_connection(connection: socket.socket, pieces: Pieces, *, responses_max: int) -> None:
    with connection:
        received = b""
        for _ in range(responses_max):
            while not (match := re.search(rb"Content-Length: (\d+)\r\n\r\n", received)) or (
                len(received) < match.end() + int(match[1])
            ):
                more = connection.recv(65_536)
                if not more:
                    return
                received += more
            for piece in pieces(received[match.end() :]):
                connection.sendall(piece)
                sleep(0.001)
            received = b""


@contextmanager
def server(pieces: Pieces, *, responses_max: int = 1_000_000) -> Iterator[int]:
    """Start a server and yield its port; it closes a connection after a number of responses."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                arguments = {"responses_max": responses_max}
                threading.Thread(target=serve_connection, args=(connection, pieces), kwargs=arguments).start()

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        # shutdown ends the accept call; close alone does not.
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def head(status: bytes, *lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 " + status, *lines, b"", b""])


def with_length(body: bytes) -> list[bytes]:
    return [head(b"200 OK", b"content-length: %d" % len(body)) + body]


def echo(number: int) -> Exchange:
    body = json.dumps({"number": number, "text": "x" * number}).encode()

    def is_expected(answer: Any) -> bool:
        return bool(answer["number"] == number)

    return Exchange("Echo", body, is_expected)


ECHOES = [echo(number) for number in range(64)]


@pytest.mark.parametrize("clients", [1, 8])
def test_the_load_generator_counts_every_response(clients: int) -> None:
    with server(with_length) as port:
        throughput = measure_throughput(port, prepare(ECHOES), clients=clients, seconds=0.05, start=997)
    assert throughput.responses >= clients
    assert throughput.seconds >= 0.05


def test_the_load_generator_reads_a_response_in_pieces() -> None:
    def in_pieces(body: bytes) -> list[bytes]:
        [whole] = with_length(body)
        return [whole[:5], whole[5:30], whole[30:-3], whole[-3:]]

    with server(in_pieces) as port:
        send_and_check(port, ECHOES[:3])


def test_the_load_generator_reads_a_chunked_response() -> None:
    def in_chunks(body: bytes) -> list[bytes]:
        chunks = [body[:7], body[7:]]
        sent = [b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks]
        return [head(b"200 OK", b"Transfer-Encoding: chunked"), *sent, b"0\r\n\r\n"]

    with server(in_chunks) as port:
        send_and_check(port, ECHOES[:3])
        assert measure_throughput(port, prepare(ECHOES), clients=2, seconds=0.02).responses >= 2


def test_the_load_generator_joins_chunks() -> None:
    assert b"".join(split_chunks(b"3\r\nabc\r\na;x=y\r\n0123456789\r\n0\r\n\r\n")) == b"abc0123456789"


def test_the_load_generator_allows_a_server_to_close_the_connection_after_each_response() -> None:
    def closing(body: bytes) -> list[bytes]:
        return [head(b"200 OK", b"Connection: close", b"Content-Length: %d" % len(body)) + body]

    with server(closing, responses_max=1) as port:
        send_and_check(port, ECHOES[:3])
        assert measure_throughput(port, prepare(ECHOES), clients=2, seconds=0.05).responses > 2


def test_the_load_generator_rejects_an_error_response() -> None:
    def rejecting(body: bytes) -> list[bytes]:
        return [head(b"400 Bad Request", b"Content-Length: 2") + b"{}"]

    with server(rejecting) as port, pytest.raises(UnexpectedResponse, match=r"400 \{\}"):
        measure_throughput(port, prepare(ECHOES), clients=1, seconds=0.05)


@pytest.mark.parametrize("body", [b'{"number": -1}', b"{}", b"not JSON"])
def test_the_load_generator_rejects_another_result(body: bytes) -> None:
    with server(lambda _: with_length(body)) as port, pytest.raises(UnexpectedResponse, match="Echo"):
        measure_throughput(port, prepare(ECHOES), clients=1, seconds=0.01)


def test_the_load_generator_reads_each_written_item() -> None:
    write = Exchange("Write", b"{}", lambda answer: True, read_back=Exchange("Read", b"{}", lambda answer: False))
    with server(with_length) as port, pytest.raises(UnexpectedResponse, match="Read"):
        measure_throughput(port, prepare([write]), clients=1, seconds=0.01)


def test_the_load_generator_detects_a_lost_connection() -> None:
    with server(with_length, responses_max=1) as port, pytest.raises((UnexpectedResponse, ConnectionError)):
        measure_throughput(port, prepare(ECHOES), clients=1, seconds=1)
