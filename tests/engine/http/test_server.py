"""The server on a real socket: order, patience, slow readers, long bodies, and a graceful end."""

from __future__ import annotations

import asyncio
import errno
import gzip
import itertools
import socket
import threading
import time
from collections.abc import Callable, Generator
from zlib import crc32

import pytest

from singletable.engine.http.connection import Patience
from singletable.engine.http.reader import REQUEST_BYTES_MAX
from singletable.engine.http.server import listen
from tests.engine.http.serving import SECONDS_MAX, Peer, Read, Serving, post, serving

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


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


def test_an_answer_has_dynamodbs_headers(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.ask("Echo", b'{"a":1}')
    assert (answer.status, answer.body) == (200, b'{"a":1}')
    assert answer.headers["server"] == "Server"
    assert answer.headers["date"].endswith(" GMT")
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert answer.headers["connection"] == "keep-alive"
    assert answer.headers["x-amz-crc32"] == str(crc32(b'{"a":1}'))
    assert len(answer.headers["x-amzn-requestid"]) == 52
    assert answer.headers["x-amzn-requestid"].isalnum()


def test_the_checksum_is_of_the_bytes_as_they_are_sent(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.ask("Large", accept_encoding="gzip")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["x-amz-crc32"] == str(crc32(answer.body))
    assert gzip.decompress(answer.body) == served.engine.large


def test_a_connection_answers_many_requests(served: Serving) -> None:
    with served.peer() as peer:
        for number in range(50):
            assert peer.ask("Echo", b"[%d]" % number).body == b"[%d]" % number


def test_requests_sent_at_once_are_answered_in_their_order(served: Serving) -> None:
    bodies = [b"[%d]" % number for number in range(500)]
    with served.peer() as peer:
        peer.send(b"".join(post("Echo", body) for body in bodies))
        assert [peer.read().body for _ in bodies] == bodies


def test_large_and_small_answers_keep_their_order_beside_other_peers(served: Serving) -> None:
    actions = ["Echo", "Large", "Echo", "Refuse", "Large", "Echo"]
    with served.peer() as one, served.peer() as other:
        for peer in (one, other):
            peer.send(b"".join(post(action, b"[%d]" % number) for number, action in enumerate(actions)))
        for peer in (other, one):
            bodies = [peer.read().body for _ in actions]
            assert [bodies[0], bodies[2], bodies[5]] == [b"[0]", b"[2]", b"[5]"]
            assert [len(bodies[1]), len(bodies[4])] == [1_000_008, 1_000_008]


def test_many_peers_are_answered_in_one_round(served: Serving) -> None:
    peers = [served.peer() for _ in range(20)]
    try:
        for turn in range(20):
            for number, peer in enumerate(peers):
                peer.send(post("Echo", b"[%d, %d]" % (turn, number)))
            assert [peer.read().body for peer in peers] == [b"[%d, %d]" % (turn, number) for number in range(20)]
    finally:
        for peer in peers:
            peer.socket.close()


def in_one_round(served: Serving, peers: list[Peer], requests: list[bytes]) -> list[Read]:
    """The answers to requests that have all come before the server looks."""
    is_held, looks = threading.Event(), threading.Event()

    def hold() -> None:
        is_held.set()
        looks.wait(SECONDS_MAX)

    served.loop.call_soon_threadsafe(hold)
    is_held.wait(SECONDS_MAX)
    for peer, request in zip(peers, requests, strict=True):
        peer.send(request)
    looks.set()
    return [peer.read() for peer in peers]


def test_what_was_not_committed_in_a_round_is_not_confirmed_to_anybody(served: Serving) -> None:
    with served.peer() as one, served.peer() as two, served.peer() as three:
        peers = [one, two, three]
        for peer in peers:
            peer.ask("Echo")
        served.engine.fault_of_rounds = OSError("the secret disk")
        answers = in_one_round(served, peers, [post("Write"), post("Echo", b"[1]"), post("Refuse")])
        assert served.engine.rounds
        assert [answer.status for answer in answers] == [500, 500, 500]
        assert all(b"InternalServerError" in answer.body and b"secret" not in answer.body for answer in answers)
        assert any("the secret disk" in line for line in served.logged)
        served.engine.fault_of_rounds = None
        assert [answer.status for answer in in_one_round(served, peers, [post("Write")] * 3)] == [200, 200, 200]


def test_a_round_has_one_request_of_each_peer_and_the_rest_come_after_it(served: Serving) -> None:
    with served.peer() as one, served.peer() as two:
        for peer in (one, two):
            peer.ask("Echo")
        served.engine.asked.clear()
        both = [b"".join(post("Echo", b'["%s", %d]' % (name, number)) for number in range(3)) for name in (b"a", b"b")]
        in_one_round(served, [one, two], both)
        assert [peer.read().body for peer in (one, two) for _ in range(2)] == [
            *(b'["a", 1]', b'["a", 2]'),
            *(b'["b", 1]', b'["b", 2]'),
        ]
        assert len(served.engine.asked) == 6


def test_requests_sent_byte_by_byte_are_answered(served: Serving) -> None:
    with served.peer() as peer:
        for byte in post("Echo", b"[1]"):
            peer.send(bytes([byte]))
        assert peer.read().body == b"[1]"


def test_a_body_may_come_in_chunks(served: Serving) -> None:
    head = b"POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.Echo\r\nContent-Type: application/json\r\n"
    with served.peer() as peer:
        peer.send(head + b"Transfer-Encoding: chunked\r\n\r\n")
        peer.send(b"2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n")
        assert peer.read().body == b"[1]"


def test_an_old_client_gets_its_answer_and_the_end(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"[1]").replace(b"HTTP/1.1", b"HTTP/1.0"))
        answer = peer.read()
        assert (answer.body, answer.headers["connection"]) == (b"[1]", "close")
        assert peer.ends()


def test_a_client_that_wants_no_more_gets_the_end(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.ask("Echo", b"[1]", connection="close")
        assert (answer.body, answer.headers["connection"]) == (b"[1]", "close")
        assert peer.ends()


def test_a_client_that_only_listens_is_answered(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"[1]") + post("Echo", b"[2]"))
        peer.socket.shutdown(socket.SHUT_WR)
        assert [peer.read().body, peer.read().body] == [b"[1]", b"[2]"]
        assert peer.ends()


def test_a_head_request_gets_no_body(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
        answer = peer.read(bodiless=True)
        assert (answer.status, answer.headers["content-length"]) == (200, "42")
        assert peer.ask("Echo", b"[1]").body == b"[1]"


def test_a_client_may_ask_before_it_sends_a_body(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"", content_length="3", expect="100-continue"))
        assert peer.read().status == 100
        peer.send(b"[1]")
        assert peer.read().body == b"[1]"
        peer.send(post("Echo", b"", content_length=str(REQUEST_BYTES_MAX + 1), expect="100-continue"))
        assert peer.read().status == 413


def test_leave_to_send_a_body_comes_after_the_answers_before_it(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Large") + post("Large") + post("Echo", b"", content_length="3", expect="100-continue"))
        assert [peer.read().status for _ in range(3)] == [200, 200, 100]
        peer.send(b"[1]")
        assert peer.read().body == b"[1]"


def test_what_is_no_http_is_told_so_and_closed(served: Serving) -> None:
    with served.peer() as peer:
        peer.send(post("Echo", b"[1]") + b"what is this\r\n\r\n")
        assert peer.read().body == b"[1]"
        answer = peer.read()
        assert (answer.status, answer.headers["connection"]) == (400, "close")
        assert peer.ends()


@pytest.mark.parametrize("chunked", [False, True])
def test_a_client_that_sends_too_much_can_read_that_it_did(served: Serving, chunked: bool) -> None:
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
    assert served.engine.asked == []


def test_16_mb_are_not_too_much(served: Serving) -> None:
    with served.peer() as peer:
        assert len(peer.ask("Echo", bytes(REQUEST_BYTES_MAX)).body) == REQUEST_BYTES_MAX


def test_a_client_that_does_not_read_is_not_answered_further(served: Serving) -> None:
    with served.peer(receive_bytes=1 << 16) as slow, served.peer() as other:
        slow.send(post("Large") * 200)
        until(lambda: bool(served.engine.asked))
        for number in range(20):
            assert other.ask("Echo", b"[%d]" % number).body == b"[%d]" % number
        large = sum(1 for target, _ in served.engine.asked if target.endswith("Large"))
        assert large < 20, "answers of 1 MB pile up for a client that reads none of them"
        assert all(slow.read().body == served.engine.large for _ in range(200))


def test_a_client_that_goes_away_harms_nobody(served: Serving) -> None:
    for sent in (post("Large") * 20, post("Echo")[:30], post("Echo", b"", content_length="100"), b""):
        with served.peer(receive_bytes=1 << 16) as peer:
            peer.send(sent)
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    with served.peer() as peer:
        assert peer.ask("Echo", b"[1]").body == b"[1]"
    assert served.logged == []


def test_an_engine_that_breaks_does_not_break_the_server(served: Serving) -> None:
    with served.peer() as peer:
        answer = peer.ask("Break")
        assert answer.status == 500
        assert answer.headers["x-amzn-requestid"] in served.logged[0]
        assert peer.ask("Echo", b"[1]").body == b"[1]"


class Disk:
    """A flush that takes as long as the test says, and counts."""

    def __init__(self) -> None:
        self.flushed = 0
        self.may_end = threading.Event()
        self.fails = False

    def flush(self) -> None:
        assert self.may_end.wait(SECONDS_MAX)
        self.flushed += 1
        if self.fails:
            raise OSError("the disk is gone")


def test_a_write_is_answered_when_it_was_flushed_and_others_meanwhile() -> None:
    disk = Disk()
    with serving(flush=disk.flush) as served, served.peer() as writer, served.peer() as reader:
        writer.send(post("Write") + post("Echo", b"[1]"))
        until(lambda: bool(served.engine.asked))
        assert reader.ask("Echo", b"[2]").body == b"[2]"
        writer.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            writer.read()
        writer.socket.settimeout(SECONDS_MAX)
        disk.may_end.set()
        assert [writer.read().body, writer.read().body] == [b"{}", b"[1]"]
        assert disk.flushed == 1


def test_writers_share_a_flush() -> None:
    disk = Disk()
    with serving(flush=disk.flush) as served:
        peers = [served.peer() for _ in range(20)]
        for peer in peers:
            peer.send(post("Write"))
        until(lambda: len(served.engine.asked) == 20)
        disk.may_end.set()
        assert [peer.read().status for peer in peers] == [200] * 20
        assert disk.flushed <= 3
        for peer in peers:
            peer.socket.close()


def test_a_write_that_could_not_be_flushed_is_not_confirmed() -> None:
    disk = Disk()
    disk.fails = True
    disk.may_end.set()
    with serving(flush=disk.flush) as served, served.peer() as peer:
        answer = peer.ask("Write")
        assert answer.status == 500
        assert "the disk is gone" in served.logged[0]
        disk.fails = False
        assert peer.ask("Write").status == 200


def test_a_writer_that_goes_away_before_its_flush_harms_nobody() -> None:
    disk = Disk()
    with serving(flush=disk.flush) as served:
        with served.peer() as peer:
            peer.send(post("Write"))
            until(lambda: bool(served.engine.asked))
        disk.may_end.set()
        with served.peer() as peer:
            assert peer.ask("Write").status == 200


IMPATIENT = Patience(request_seconds=0.2, answer_seconds=0.2, idle_seconds=0.2, linger_seconds=0.1)


@pytest.mark.parametrize("sent", [b"POST", post("Echo", b"", content_length="100"), post("Echo", b"[1]") + b"POST / H"])
def test_half_a_request_is_not_waited_for_forever(sent: bytes) -> None:
    with serving(patience=IMPATIENT, sweep_seconds=0.02) as served, served.peer() as peer:
        peer.send(sent)
        answer = peer.read() if b"[1]" not in sent else (peer.read(), peer.read())[1]
        assert (answer.status, answer.headers["connection"]) == (408, "close")
        assert peer.ends()


def test_a_request_that_trickles_is_not_waited_for_forever() -> None:
    def trickle(peer: Peer) -> None:
        for byte in itertools.chain(b"POST / HTTP/1.1\r\n", itertools.repeat(ord("x"))):
            peer.send(bytes([byte]))
            time.sleep(0.01)

    gone = (BrokenPipeError, ConnectionResetError)
    with serving(patience=IMPATIENT, sweep_seconds=0.02) as served, served.peer() as peer, pytest.raises(gone):
        trickle(peer)


def test_an_idle_connection_is_closed_in_the_end() -> None:
    with serving(patience=IMPATIENT, sweep_seconds=0.02) as served, served.peer() as peer, served.peer() as silent:
        assert peer.ask("Echo", b"[1]").body == b"[1]"
        assert peer.ends()
        assert silent.ends()


def test_a_client_that_never_reads_is_given_up() -> None:
    with serving(patience=IMPATIENT, sweep_seconds=0.02) as served, served.peer(receive_bytes=1 << 16) as peer:
        peer.send(post("Large") * 20)
        until(lambda: bool(served.engine.asked))
        until(lambda: not served.server.connections)


def test_stopping_answers_what_was_asked_and_closes_the_rest(
    loop_factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    disk = Disk()
    with serving(flush=disk.flush, loop_factory=loop_factory) as served:
        idle, writer, half = served.peer(), served.peer(), served.peer()
        assert idle.ask("Echo").status == 200
        writer.send(post("Write"))
        half.send(post("Echo", b"[1]")[:-1])
        until(lambda: len(served.engine.asked) == 2)
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


def test_stopping_does_not_wait_forever() -> None:
    with serving(patience=Patience(stop_seconds=0.2)) as served, served.peer() as peer:
        peer.send(b"POST")
        until(lambda: bool(served.server.connections))
        began = time.monotonic()
        served.stop()
        assert time.monotonic() - began < SECONDS_MAX / 2
        assert peer.ends()


def test_a_port_is_listened_at_once() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError) as caught:
            listen("127.0.0.1", port)
        assert caught.value.errno == errno.EADDRINUSE


def test_a_name_is_listened_at_by_its_first_address_of_version_4() -> None:
    with listen("localhost", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
