"""Requests out of bytes: however they are cut, whatever they are, and never more of them than a request may have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.message import Request
from singletable.engine.http.reader import (
    HEAD_BYTES_MAX,
    HEAD_TOO_LARGE,
    MALFORMED,
    REQUEST_BYTES_MAX,
    TOO_LARGE,
    Fault,
    RequestReader,
)

BODIES = st.binary(max_size=200)


def whole(body: bytes) -> bytes:
    return b"POST /?a=b HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def in_chunks(body: bytes, size: int = 7) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"POST /?a=b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%b0\r\n\r\n" % chunks


def read(*pieces: bytes) -> list[Request | Fault]:
    reader = RequestReader()
    for piece in pieces:
        if not reader.ended:
            reader.feed(piece)
    return list(reader.requests)


def requests(*pieces: bytes) -> list[Request]:
    found = read(*pieces)
    assert all(isinstance(each, Request) for each in found), found
    return [each for each in found if isinstance(each, Request)]


@given(st.lists(st.tuples(BODIES, st.booleans()), min_size=1, max_size=5), st.data())
def test_however_the_bytes_are_cut_the_requests_are_the_same(
    sent: list[tuple[bytes, bool]], data: st.DataObject
) -> None:
    stream = b"".join(in_chunks(body) if chunked else whole(body) for body, chunked in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True) if end > start]
    found = requests(*pieces)
    assert [each.body for each in found] == [body for body, _ in sent]
    assert {(each.method, each.url, each.headers[b"host"], each.keep_alive) for each in found} == {
        (b"POST", b"/?a=b", b"h", True)
    }


@given(st.lists(st.binary(max_size=300), max_size=4))
def test_no_bytes_make_the_reader_fail(pieces: list[bytes]) -> None:
    found = read(*(piece for piece in pieces if piece))
    assert all(isinstance(each, Request) or each.status >= 400 for each in found)


@given(st.binary(min_size=1, max_size=100), st.integers(0, 100))
def test_a_request_with_some_bytes_replaced_is_read_or_refused(noise: bytes, at: int) -> None:
    stream = whole(b"{}")
    found = read(stream[:at] + noise + stream[at + len(noise) :])
    assert all(isinstance(each, Request) or each in (MALFORMED, TOO_LARGE) for each in found)


def test_names_of_headers_are_in_lower_case_and_the_last_of_a_repeated_one_holds() -> None:
    (request,) = requests(b"POST / HTTP/1.1\r\nX-AMZ-target: a\r\nx-amz-TARGET: b\r\nContent-Length: 0\r\n\r\n")
    assert request.headers == {b"x-amz-target": b"b", b"content-length": b"0"}


def test_what_trails_behind_a_body_is_no_header() -> None:
    stream = in_chunks(b"{}").removesuffix(b"\r\n") + b"X-Amz-Target: DynamoDB_20120810.DeleteTable\r\n\r\n"
    (request,) = requests(stream)
    assert b"x-amz-target" not in request.headers


@pytest.mark.parametrize(
    "stream",
    [
        b"hello\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nbroken header\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_after_the_requests_before_it(stream: bytes) -> None:
    (request, fault) = read(whole(b"{}") + stream)
    assert isinstance(request, Request)
    assert fault is MALFORMED


def test_a_body_of_16_mb_is_read_and_one_byte_more_is_not() -> None:
    body = bytes(REQUEST_BYTES_MAX)
    (request,) = requests(whole(body))
    assert len(request.body) == REQUEST_BYTES_MAX
    assert read(whole(body + b"x")) == [TOO_LARGE]


def test_too_long_a_body_is_refused_before_it_is_sent() -> None:
    assert read(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (REQUEST_BYTES_MAX + 1)) == [TOO_LARGE]


def test_too_long_a_body_in_chunks_is_refused_as_soon_as_it_is_too_long() -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    fed, chunk = 0, b"%x\r\n%b\r\n" % (1 << 20, bytes(1 << 20))
    while not reader.ended:
        reader.feed(chunk)
        fed += 1
    assert fed == (REQUEST_BYTES_MAX >> 20) + 1
    assert list(reader.requests) == [TOO_LARGE]


def test_a_head_that_never_ends_is_refused() -> None:
    pieces = [b"POST / HTTP/1.1\r\n", *(b"x-%d: %b\r\n" % (number, bytes(b"y" * 1000)) for number in range(100))]
    assert read(*pieces) == [HEAD_TOO_LARGE]
    assert read(b"POST /", *[b"a" * 1000] * 100) == [HEAD_TOO_LARGE]


def test_many_requests_at_once_are_no_long_head() -> None:
    stream = whole(b"x" * 100) * (2 * HEAD_BYTES_MAX // 100)
    found = requests(stream + whole(b"{}")[:20], whole(b"{}")[20:])
    assert found[-1].body == b"{}"


@pytest.mark.parametrize(
    ("version", "connection", "keep_alive"),
    [
        ("1.1", "", True),
        ("1.1", "Connection: close\r\n", False),
        ("1.0", "", False),
        ("1.0", "Connection: keep-alive\r\n", True),
    ],
)
def test_a_connection_lasts_as_its_version_and_its_header_say(version: str, connection: str, keep_alive: bool) -> None:
    stream = f"POST / HTTP/{version}\r\n{connection}Content-Length: 2\r\n\r\n{{}}".encode()
    found = requests(stream * 2)
    assert [each.keep_alive for each in found] == ([True, True] if keep_alive else [False])


def offer(more: bytes = b"") -> bytes:
    return b"POST / HTTP/1.1\r\nConnection: Upgrade%b\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}" % more


@given(st.integers(1, len(offer())))
def test_an_offer_to_speak_something_else_is_passed_over(cut: int) -> None:
    stream = offer() + whole(b"[]")
    assert [(each.body, each.keep_alive) for each in requests(stream[:cut], stream[cut:])] == [
        (b"{}", True),
        (b"[]", True),
    ]


def test_an_offer_on_a_connection_that_closes_is_its_last_request() -> None:
    assert [(each.body, each.keep_alive) for each in requests(offer(b", close") + whole(b"[]"))] == [(b"{}", False)]


def test_an_offer_with_too_long_a_body_is_too_long() -> None:
    assert read(offer().replace(b"Length: 2", b"Length: 99999999")) == [TOO_LARGE]


def test_we_are_no_proxy() -> None:
    (request, fault) = read(b"CONNECT example.org:80 HTTP/1.1\r\nHost: h\r\n\r\n" + whole(b"{}"))
    assert isinstance(request, Request)
    assert (request.method, fault) == (b"CONNECT", MALFORMED)


@pytest.mark.parametrize(
    ("version", "length", "expected"), [("1.1", 2, True), ("1.0", 2, False), ("1.1", 1 << 30, False)]
)
def test_a_peer_that_waits_for_leave_to_send_a_body_is_known(version: str, length: int, expected: bool) -> None:
    reader = RequestReader()
    reader.feed(f"POST / HTTP/{version}\r\nExpect: 100-Continue\r\nContent-Length: {length}\r\n\r\n".encode())
    assert reader.expects_continue is expected
