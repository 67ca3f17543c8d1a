"""The server on a real socket: order of responses, timeouts, slow clients, long bodies, and a graceful stop."""

from __future__ import annotations

import asyncio
import errno
import gzip
import itertools
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from zlib import crc32

import pytest

from singletable.engine.http.request_parser import REQUEST_BYTES_MAX
from singletable.engine.http.server import listen
from singletable.engine.http.server_state import ServerTimeouts
from tests.engine.http.server_under_test import SECONDS_MAX, Peer, ReadResponse, Serving, post, serving

LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop]
try:
    import uvloop

    LOOPS.append(uvloop.new_event_loop)
except ModuleNotFoundError:
    pass


@pytest.fixture(params=LOOPS, ids=lambda factory: factory.__module__.partition(".")[0])
def loop_factory(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    factory: Callable[[], asyncio.AbstractEventLoop] = request.param
    return factory


@pytest.fixture
def served(loop_factory: Callable[[], asyncio.AbstractEventLoop]) -> Generator[Serving, None, None]:
    with serving(loop_factory=loop_factory) as server:
        yield server


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.005)


def test_a_server_response_has_the_headers_of_dynamodb(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.request("Echo", b'{"a":1}')
    assert (answer.status, answer.body) == (200, b'{"a":1}')
    assert answer.headers["server"] == "Server"
    assert answer.headers["date"].endswith(" GMT")
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert answer.headers["connection"] == "keep-alive"
    assert answer.headers["x-amz-crc32"] == str(crc32(b'{"a":1}'))
    assert len(answer.headers["x-amzn-requestid"]) == 52
    assert answer.headers["x-amzn-requestid"].isalnum()


def test_the_checksum_of_a_server_response_covers_the_bytes_as_they_are_sent(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.request("Large", accept_encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["x-amz-crc32"] == str(crc32(answer.body))
    assert gzip.decompress(answer.body) == served.engine.large


def test_an_http_connection_answers_many_requests(served: Serving) -> None:
    with served.peer() as peer:
        for number in range(50):
            assert peer.request("Echo", b"[%d]" % number).body == b"[%d]" % number


def test_an_http_connection_answers_pipelined_requests_in_order(served: Serving) -> None:
    bodies = [b"[%d]" % number for number in range(500)]
    with served.peer() as peer:
        peer.send(b"".join(post("Echo", body) for body in bodies))
        assert [peer.read().body for _ in bodies] == bodies


def test_an_http_connection_sends_large_and_small_responses_in_order(served: Serving) -> None:
    actions = ["Echo", "Large", "Echo", "Refuse", "Large", "Echo"]
    with served.peer() as one, served.peer() as other:
        for peer in (one, other):
            peer.send(b"".join(post(action, b"[%d]" % number) for number, action in enumerate(actions)))
        for peer in (other, one):
            bodies = [peer.read().body for _ in actions]
            assert [bodies[0], bodies[2], bodies[5]] == [b"[0]", b"[2]", b"[5]"]
            assert [len(bodies[1]), len(bodies[4])] == [1_000_008, 1_000_008]


def test_the_server_state_answers_many_clients_in_one_batch(served: Serving) -> None:
    peers = [served.peer() for _ in range(20)]
    try:
        for turn in range(20):
            for number, peer in enumerate(peers):
                peer.send(post("Echo", b"[%d, %d]" % (turn, number)))
            assert [peer.read().body for peer in peers] == [b"[%d, %d]" % (turn, number) for number in range(20)]
    finally:
        for peer in peers:
            peer.socket.close()


def in_one_batch(served: Serving, peers: list[Peer], requests: list[bytes]) -> list[ReadResponse]:
    """Return the responses to requests that all arrive before the server reads them."""
    release = served.hold()
    for peer, request in zip(peers, requests, strict=True):
        peer.send(request)
    release()
    return [peer.read() for peer in peers]


def test_the_server_state_reports_a_failed_group_commit_to_every_client_of_the_batch(served: Serving) -> None:
    with served.peer() as one, served.peer() as two, served.peer() as three:
        peers = [one, two, three]
        for peer in peers:
            peer.request("Echo")
        served.engine.group_commit_error = OSError("the secret disk")
        answers = in_one_batch(served, peers, [post("Write"), post("Echo", b"[1]"), post("Refuse")])
        assert served.engine.group_commits
        assert [answer.status for answer in answers] == [500, 500, 500]
        assert all(b"InternalServerError" in answer.body and b"secret" not in answer.body for answer in answers)
        assert any("the secret disk" in line for line in served.logged)
        served.engine.group_commit_error = None
        assert [answer.status for answer in in_one_batch(served, peers, [post("Write")] * 3)] == [200, 200, 200]


def test_a_batch_in_the_server_state_has_one_request_per_client_and_the_rest_follow(served: Serving) -> None:
    with served.peer() as one, served.peer() as two:
        for peer in (one, two):
            peer.request("Echo")
        served.engine.requests.clear()
        both = [b"".join(post("Echo", b'["%s", %d]' % (name, number)) for number in range(3)) for name in (b"a", b"b")]
        in_one_batch(served, [one, two], both)
        assert [peer.read().body for peer in (one, two) for _ in range(2)] == [
            *(b'["a", 1]', b'["a", 2]'),
            *(b'["b", 1]', b'["b", 2]'),
        ]
        assert len(served.engine.requests) == 6


def test_an_http_connection_answers_requests_sent_byte_by_byte(served: Serving) -> None:
    with served.peer() as peer:
        for byte in post("Echo", b"[1]"):
            peer.send(bytes([byte]))
        assert peer.read().body == b"[1]"


def test_an_http_connection_accepts_a_chunked_body(served: Serving) -> None:
    head = b"POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.Echo\r\nContent-Type: application/json\r\n"
    with served.peer() as peer:
        peer.send(head + b"Transfer-Encoding: chunked\r\n\r\n")
        peer.send(b"2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n")
        assert peer.read().body == b"[1]"


def test_an_http_connection_closes_after_the_response_to_an_http_1_0_client(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"[1]").replace(b"HTTP/1.1", b"HTTP/1.0"))
        answer = peer.read()
        assert (answer.body, answer.headers["connection"]) == (b"[1]", "close")
        assert peer.ends()


def test_an_http_connection_closes_after_the_response_to_connection_close(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.request("Echo", b"[1]", connection="close")
        assert (answer.body, answer.headers["connection"]) == (b"[1]", "close")
        assert peer.ends()


def test_a_half_closed_http_connection_still_gets_its_responses(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"[1]") + post("Echo", b"[2]"))
        peer.socket.shutdown(socket.SHUT_WR)
        assert [peer.read().body, peer.read().body] == [b"[1]", b"[2]"]
        assert peer.ends()


def test_an_http_connection_sends_no_body_for_a_head_request(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = peer.read(bodiless=True)
        assert (answer.status, answer.headers["content-length"]) == (200, "42")
        assert peer.request("Echo", b"[1]").body == b"[1]"


def test_an_http_connection_sends_100_continue_to_a_client_that_expects_it(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"", content_length="3", expect="100-continue"))
        assert peer.read().status == 100
        peer.send(b"[1]")
        assert peer.read().body == b"[1]"
        peer.send(post("Echo", b"", content_length=str(REQUEST_BYTES_MAX + 1), expect="100-continue"))
        assert peer.read().status == 413


def test_an_http_connection_sends_100_continue_after_the_pending_responses(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Large") + post("Large") + post("Echo", b"", content_length="3", expect="100-continue"))
        assert [peer.read().status for _ in range(3)] == [200, 200, 100]
        peer.send(b"[1]")
        assert peer.read().body == b"[1]"


def test_an_http_connection_answers_malformed_http_with_an_error_and_closes(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"[1]") + b"not http\r\n\r\n")
        assert peer.read().body == b"[1]"
        answer = peer.read()
        assert (answer.status, answer.headers["connection"]) == (400, "close")
        assert peer.ends()


@pytest.mark.parametrize("chunked", [False, True])
def test_an_http_connection_lets_the_sender_of_too_long_a_body_read_the_error(served: Serving, chunked: bool) -> None:
    body = bytes(17 << 20)
    with served.peer() as peer:
        if chunked:
            peer.send(post("Echo", b"", transfer_encoding="chunked").replace(b"content-length: 0\r\n", b""))
            peer.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
        else:
            peer.send(post("Echo", body))
        answer = peer.read()
    assert answer.status == 413
    assert b"RequestEntityTooLarge" in answer.body
    assert served.engine.requests == []


def test_an_http_connection_accepts_a_body_of_16_mb(served: Serving) -> None:
    with served.peer() as peer:
        assert len(peer.request("Echo", bytes(REQUEST_BYTES_MAX)).body) == REQUEST_BYTES_MAX


def test_an_http_connection_sends_no_more_responses_to_a_client_that_does_not_read(served: Serving) -> None:
    with served.peer(receive_bytes=1 << 16) as slow, served.peer() as other:
        slow.send(post("Large") * 200)
        wait_until(lambda: bool(served.engine.requests))
        for number in range(20):
            assert other.request("Echo", b"[%d]" % number).body == b"[%d]" % number
        large = sum(1 for target, _ in served.engine.requests if target.endswith("Large"))
        assert large < 20, "responses of 1 MB pile up for a client that reads none of them"
        assert all(slow.read().body == served.engine.large for _ in range(200))


def test_a_lost_http_connection_does_not_affect_other_clients(served: Serving) -> None:
    for sent in (post("Large") * 20, post("Echo")[:30], post("Echo", b"", content_length="100"), b""):
        with served.peer(receive_bytes=1 << 16) as peer:
            peer.send(sent)
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    with served.peer() as peer:
        assert peer.request("Echo", b"[1]").body == b"[1]"
    assert served.logged == []


def test_an_engine_error_does_not_stop_the_server(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.request("Break")
        assert answer.status == 500
        assert answer.headers["x-amzn-requestid"] in served.logged[0]
        assert peer.request("Echo", b"[1]").body == b"[1]"


class Disk:
    """A flush that waits for the test, and counts its calls."""

    def __init__(self) -> None:
        self.flushed = 0
        self.may_end = threading.Event()
        self.fails = False

    def flush(self) -> None:
        assert self.may_end.wait(SECONDS_MAX)
        self.flushed += 1
        if self.fails:
            raise OSError("the disk is gone")


def test_an_http_connection_answers_a_write_after_its_flush_and_other_clients_before() -> None:
    disk = Disk()
    with serving(flush=disk.flush) as served, served.peer() as writer, served.peer() as reader:
        wait_until(lambda: served.server.connections == 2)
        writer.send(post("Write") + post("Echo", b"[1]"))
        wait_until(lambda: bool(served.engine.requests))
        assert reader.request("Echo", b"[2]").body == b"[2]"
        writer.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            writer.read()
        writer.socket.settimeout(SECONDS_MAX)
        disk.may_end.set()
        assert [writer.read().body, writer.read().body] == [b"{}", b"[1]"]
        assert disk.flushed == 1


def test_writers_share_a_flush_in_the_server_state() -> None:
    disk = Disk()
    with serving(flush=disk.flush) as served:
        peers = [served.peer() for _ in range(20)]
        wait_until(lambda: served.server.connections == 20)
        for peer in peers:
            peer.send(post("Write"))
        wait_until(lambda: len(served.engine.requests) == 20)
        disk.may_end.set()
        assert [peer.read().status for peer in peers] == [200] * 20
        assert disk.flushed <= 3
        for peer in peers:
            peer.socket.close()


@pytest.mark.parametrize("others", [0, 1])
def test_an_http_connection_reports_a_failed_flush_to_the_writer(others: int) -> None:
    disk = Disk()
    disk.fails = True
    disk.may_end.set()
    with serving(flush=disk.flush) as served, served.peer() as peer, ExitStack() as stack:
        for _ in range(others):
            assert stack.enter_context(served.peer()).request("Echo").status == 200
        answer = peer.request("Write")
        assert answer.status == 500
        assert "the disk is gone" in served.logged[0]
        disk.fails = False
        assert peer.request("Write").status == 200


def test_an_http_connection_of_a_single_client_needs_no_thread_for_its_flushes() -> None:
    disk, threads = Disk(), list[str]()
    disk.may_end.set()

    def flush() -> None:
        threads.append(threading.current_thread().name)
        disk.flush()

    with serving(flush=flush) as served, served.peer() as peer:
        peer.send(post("Write", b"[1]") * 200)
        assert [peer.read().body for _ in range(200)] == [b"[1]"] * 200
        with served.peer() as other:
            assert other.request("Echo").status == 200
            assert peer.request("Write").status == 200
    assert (threads.count("flush"), len(threads)) == (1, 201)


def test_an_http_connection_lost_before_the_flush_of_its_write_does_not_affect_others() -> None:
    disk = Disk()
    with serving(flush=disk.flush) as served:
        with served.peer() as peer:
            peer.send(post("Write"))
            wait_until(lambda: bool(served.engine.requests))
        disk.may_end.set()
        with served.peer() as peer:
            assert peer.request("Write").status == 200


SHORT_TIMEOUTS = ServerTimeouts(request_seconds=0.2, answer_seconds=0.2, idle_seconds=0.2, linger_seconds=0.1)


@pytest.mark.parametrize("sent", [b"POST", post("Echo", b"", content_length="100"), post("Echo", b"[1]") + b"POST / H"])
def test_an_http_connection_with_an_incomplete_request_times_out(sent: bytes) -> None:
    with serving(timeouts=SHORT_TIMEOUTS, sweep_seconds=0.02) as served, served.peer() as peer:
        peer.send(sent)
        answer = peer.read() if b"[1]" not in sent else (peer.read(), peer.read())[1]
        assert (answer.status, answer.headers["connection"]) == (408, "close")
        assert peer.ends()


def test_an_http_connection_with_a_slow_request_times_out() -> None:
    def trickle(peer: Peer) -> None:
        for byte in itertools.chain(b"POST / HTTP/1.1\r\n", itertools.repeat(ord("x"))):
            peer.send(bytes([byte]))
            time.sleep(0.01)

    gone = (BrokenPipeError, ConnectionResetError)
    with serving(timeouts=SHORT_TIMEOUTS, sweep_seconds=0.02) as served, served.peer() as peer, pytest.raises(gone):
        trickle(peer)


def test_an_idle_http_connection_times_out() -> None:
    with serving(timeouts=SHORT_TIMEOUTS, sweep_seconds=0.02) as served, served.peer() as peer, served.peer() as silent:
        assert peer.request("Echo", b"[1]").body == b"[1]"
        assert peer.ends()
        assert silent.ends()


def test_an_http_connection_of_a_client_that_never_reads_times_out() -> None:
    with serving(timeouts=SHORT_TIMEOUTS, sweep_seconds=0.02) as served, served.peer(receive_bytes=1 << 16) as peer:
        peer.send(post("Large") * 20)
        wait_until(lambda: bool(served.engine.requests))
        wait_until(lambda: not served.server.connections)


def test_stopping_the_server_finishes_running_requests_and_closes_idle_connections(
    loop_factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    disk = Disk()
    with serving(flush=disk.flush, loop_factory=loop_factory) as served:
        idle, writer, half = served.peer(), served.peer(), served.peer()
        assert idle.request("Echo").status == 200
        writer.send(post("Write"))
        half.send(post("Echo", b"[1]")[:-1])
        wait_until(lambda: len(served.engine.requests) == 2)
        stopping = threading.Thread(target=served.stop)
        stopping.start()
        assert idle.ends()
        with pytest.raises(ConnectionRefusedError):
            Peer(served.port)
        half.send(b"]")
        answer = half.read()
        assert (answer.body, answer.headers["connection"]) == (b"[1]", "close")
        disk.may_end.set()
        answer = writer.read()
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        for peer in (idle, writer, half):
            peer.socket.close()
        stopping.join(SECONDS_MAX)
        assert not stopping.is_alive()


def test_stopping_the_server_has_a_timeout() -> None:
    with serving(timeouts=ServerTimeouts(stop_seconds=0.2)) as served, served.peer() as peer:
        peer.send(b"POST")
        wait_until(lambda: bool(served.server.connections))
        began = time.monotonic()
        served.stop()
        assert time.monotonic() - began < SECONDS_MAX / 2
        assert peer.ends()


def test_the_server_raises_for_a_used_port() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError) as caught:
            listen("127.0.0.1", port)
        assert caught.value.errno == errno.EADDRINUSE


def test_the_server_resolves_a_host_name_to_its_first_ipv4_address() -> None:
    with listen("localhost", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
