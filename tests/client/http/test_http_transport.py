"""HTTP transport: reused connections, timeouts, invalid responses and their errors."""

from __future__ import annotations

import gzip
import threading
import time
import zlib
from contextlib import closing

import pytest

from singletable import RequestRefused, Throttled, Unreachable
from tests.client.http.scripted import CLOSE, OK, RESET, Action, Sends, refused, response, scripted

BODY = b'{"ok":true}'


def test_http_transport_reuses_connections(send: Sends) -> None:
    with scripted() as server, closing(server.transport()) as transport:
        for _ in range(5):
            assert send(transport, "GetItem", b'{"a":1}') == BODY
        assert server.connections == 1
        head, _, body = server.requests[0].partition(b"\r\n\r\n")
        assert body == b'{"a":1}'
        lines = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        assert head.startswith(b"POST / HTTP/1.1\r\n")
        assert lines[b"x-amz-target"] == b"DynamoDB_20120810.GetItem"
        assert lines[b"host"] == server.url.removeprefix("http://").encode()
        assert b"accept-encoding" not in lines


def test_http_transport_does_not_reuse_a_connection_that_the_server_closes(send: Sends) -> None:
    last = response(200, BODY, head="Connection: close\r\n")
    with scripted(last, last) as server, closing(server.transport()) as transport:
        for _ in range(3):
            assert send(transport) == BODY
        assert server.connections == 3


@pytest.mark.parametrize("ending", [CLOSE, RESET])
def test_http_transport_reports_after_a_lost_response_that_the_write_may_have_happened(
    send: Sends, ending: str
) -> None:
    with scripted([ending]) as server, closing(server.transport()) as transport:
        with pytest.raises(Unreachable, match="DynamoDB may have executed the request") as lost:
            send(transport, "PutItem")
        assert lost.value.sent
        assert len(server.requests) == 1
        assert send(transport) == BODY


@pytest.mark.parametrize("ending", [CLOSE, RESET])
def test_http_transport_does_not_use_a_connection_closed_while_idle(send: Sends, ending: str) -> None:
    with scripted([OK, 0.05, ending]) as server, closing(server.transport()) as transport:
        assert send(transport) == BODY
        time.sleep(0.5)
        assert send(transport, "PutItem") == BODY
        assert (server.connections, len(server.requests)) == (2, 2)


def test_http_transport_raises_for_a_truncated_response(send: Sends) -> None:
    half: list[Action] = [OK[: len(OK) // 2], CLOSE]
    body: list[Action] = [OK[:-3], CLOSE]
    chunks: list[Action] = [b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n', CLOSE]
    with scripted(half, body, chunks) as server, closing(server.transport()) as transport:
        for _ in range(3):
            with pytest.raises(Unreachable, match="in the middle of its response") as lost:
                send(transport)
            assert lost.value.sent


def test_http_transport_times_out_for_a_slow_response(send: Sends) -> None:
    with scripted([1.0, OK]) as server, closing(server.transport(read=0.1)) as transport:
        began = time.monotonic()
        with pytest.raises(Unreachable, match=r"did not respond within 0.1 s \(timeouts.read\)") as lost:
            send(transport)
        assert time.monotonic() - began < 0.8
        assert lost.value.sent
        assert send(transport) == BODY
        assert server.connections == 2  # a late response on the first connection is discarded


def test_http_transport_times_out_for_a_trickling_response(send: Sends) -> None:
    trickle: list[Action] = [part for byte in OK[:40] for part in (bytes([byte]), 0.03)]
    with (
        scripted(trickle) as server,
        closing(server.transport(read=0.2)) as transport,
        pytest.raises(Unreachable, match="did not respond within"),
    ):
        send(transport)


def test_http_transport_reads_a_response_in_several_packets_completely(send: Sends) -> None:
    slow: list[Action] = [OK[:7], 0.02, OK[7:60], 0.02, OK[60:-1], 0.02, OK[-1:]]
    with scripted(slow, OK) as server, closing(server.transport()) as transport:
        assert send(transport) == BODY
        assert send(transport) == BODY
        assert server.connections == 1


def test_http_transport_sends_large_requests_and_reads_large_responses(send: Sends) -> None:
    large = b'{"x":"' + b"0123456789" * 200_000 + b'"}'
    with scripted(response(200, large)) as server, closing(server.transport()) as transport:
        assert send(transport, "BatchWriteItem", large) == large
        assert server.requests[0].endswith(large)
        assert send(transport) == BODY
        assert server.connections == 1


@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity"])
def test_http_transport_decompresses_a_compressed_response(send: Sends, coding: str) -> None:
    sent = {"gzip": gzip.compress(BODY), "deflate": zlib.compress(BODY), "identity": BODY}[coding]
    answer = response(200, sent, head=f"Content-Encoding: {coding}\r\n")
    with scripted(answer) as server, closing(server.transport()) as transport:
        assert send(transport) == BODY


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x16\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Amz-Crc32: " + b"9" * 5_000 + b"\r\n\r\n{}",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000 + b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        response(200, BODY, checked=False, head="X-Amz-Crc32: 7\r\n"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 70000\r\nX: " + b"x" * 70_000,
    ],
)
def test_http_transport_rejects_an_invalid_response(send: Sends, garbage: bytes) -> None:
    with scripted(garbage) as server, closing(server.transport()) as transport:
        with pytest.raises(Unreachable, match="sent an invalid response") as refusal:
            send(transport)
        assert refusal.value.sent
        assert send(transport) == BODY


@pytest.mark.parametrize(("status", "sent"), [(200, True), (404, True), (429, False), (500, True), (503, True)])
def test_http_transport_reports_a_response_that_is_not_from_dynamodb(send: Sends, status: int, sent: bool) -> None:
    page = response(status, b"<html><body>proxy</body></html>", checked=False)
    with scripted(page) as server, closing(server.transport()) as transport:
        with pytest.raises(
            Unreachable, match=f"sent a response with status {status} that is not from DynamoDB"
        ) as seen:
            send(transport)
        assert seen.value.sent is sent
        assert send(transport) == BODY
        assert server.connections == 1  # the response was complete


def test_http_transport_raises_errors_with_the_code_and_message_of_dynamodb(send: Sends) -> None:
    failed = response(400, b'{"__type":"x#ConditionalCheckFailedException","message":"no","Item":{"a":{"S":"b"}}}')
    answers = (failed, refused("ThrottlingException", "slower"), refused("UnknownOperationException"))
    with scripted(*answers) as server, closing(server.transport()) as transport:
        with pytest.raises(RequestRefused) as refusal:
            send(transport)
        assert (refusal.value.code, refusal.value.message) == ("ConditionalCheckFailedException", "no")
        assert refusal.value.fields == {"Item": {"a": {"S": "b"}}}
        with pytest.raises(Throttled, match="slower"):
            send(transport)
        with pytest.raises(RequestRefused, match="does not support ListBooks"):
            send(transport, "ListBooks")


def test_http_transport_reads_a_response_without_a_length_until_the_connection_ends(send: Sends) -> None:
    with scripted([b"HTTP/1.1 200 OK\r\n\r\n" + BODY, CLOSE]) as server, closing(server.transport()) as transport:
        assert send(transport) == BODY
        assert send(transport) == BODY
        assert server.connections == 2


def test_http_transport_reports_a_host_that_rejects_connections(send: Sends) -> None:
    with scripted() as server:
        pass
    with closing(server.transport()) as transport, pytest.raises(Unreachable, match="Connection refused") as gone:
        send(transport)
    assert not gone.value.sent
    assert server.url in str(gone.value)


def test_http_transport_times_out_for_a_host_that_accepts_no_connection(send: Sends) -> None:
    import socket

    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        time.sleep(0.05)
        with scripted() as server:
            server.port = port
            with closing(server.transport(connect=0.2)) as transport:
                with pytest.raises(
                    Unreachable, match=r"did not accept a connection within 0.2 s \(timeouts.connect\)"
                ) as gone:
                    send(transport)
                assert not gone.value.sent
        for each in waiting:
            each.close()


def test_threads_share_the_connections_of_http_transport() -> None:
    with scripted() as server, closing(server.transport()) as transport:
        wrong: list[bytes] = []

        def ask() -> None:
            for _ in range(50):
                if transport.send("GetItem", b"{}") != BODY:
                    wrong.append(b"")

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        assert len(server.requests) == 400
        assert server.connections <= 8


def test_http_transport_corrects_a_wrong_clock_from_the_server() -> None:
    expired = refused("InvalidSignatureException", "Signature expired: 1 is now earlier than 2", head=DATE)
    early = refused("RequestTimeTooSkewed", "later", head=DATE)
    for refusal in (expired, early):
        with scripted(refusal) as server, closing(server.transport(clock=lambda: 1_000_000_000.0)) as transport:
            assert transport.send("PutItem", b"{}") == BODY
            assert transport.send("PutItem", b"{}") == BODY
            moments = [request.lower().split(b"x-amz-date: ")[1][:16] for request in server.requests]
            assert moments == [b"20010909t014640z", b"20260410t120000z", b"20260410t120000z"]


def test_http_transport_signs_a_request_again_once_and_only_for_clock_skew() -> None:
    expired = refused("InvalidSignatureException", "Signature expired", head=DATE)
    wrong = refused("InvalidSignatureException", "does not match the signature you provided", head=DATE)
    clock = lambda: 1_000_000_000.0  # noqa: E731  # as short as it is wrong
    with scripted(expired, expired, wrong) as server, closing(server.transport(clock=clock)) as transport:
        with pytest.raises(RequestRefused, match="Signature expired"):
            transport.send("PutItem", b"{}")
        assert len(server.requests) == 2
        with pytest.raises(RequestRefused, match="does not match"):
            transport.send("PutItem", b"{}")
        assert len(server.requests) == 3


DATE = "Date: Fri, 10 Apr 2026 12:00:00 GMT\r\n"


def test_http_transport_does_not_use_a_connection_with_an_unread_response(send: Sends) -> None:
    twice: list[Action] = [response(200, b'{"first":true}'), 0.05, OK]
    with scripted(twice) as server, closing(server.transport()) as transport:
        assert send(transport) == b'{"first":true}'
        time.sleep(0.1)  # shorter than the time for which an idle connection was used without a check
        server.script.append([response(200, b'{"second":true}')])
        assert send(transport) == b'{"second":true}'
        assert server.connections == 2


def with_id(number: int) -> bytes:
    return response(200, b'{"number":%d}' % number, head=f"x-amzn-RequestId: {number}\r\n")


def test_http_transport_does_not_use_the_second_copy_of_a_response(send: Sends) -> None:
    with scripted([with_id(1)], [with_id(2)], [with_id(2)], [with_id(3)]) as server:
        with closing(server.transport()) as transport:
            assert send(transport) == b'{"number":1}'
            assert send(transport) == b'{"number":2}'
            with pytest.raises(Unreachable, match="sent a response that belongs to another request") as repeated:
                send(transport)
            assert repeated.value.sent
            assert send(transport) == b'{"number":3}'
        assert server.connections == 2


def test_http_transport_accepts_servers_that_give_every_request_the_same_id(send: Sends) -> None:
    with scripted(*[[with_id(1)]] * 5) as server, closing(server.transport()) as transport:
        assert [send(transport) for _ in range(5)] == [b'{"number":1}'] * 5
        assert server.connections == 1


def test_http_transport_closes_the_connection_after_the_response_to_another_request(send: Sends) -> None:
    request, other = b'{"Key":{"PK":{"S":"a"}}}', response(200, b'{"Item":{"PK":{"S":"b"}}}')
    with scripted([other]) as server, closing(server.transport()) as transport:
        with pytest.raises(Unreachable, match="sent a response that belongs to another request"):
            send(transport, "GetItem", request)
        assert send(transport, "GetItem", request) == BODY
        assert server.connections == 2
