"""The request parser: any split of the bytes, malformed requests, and size limits."""

from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.http_messages import HttpRequest
from singletable.engine.http.request_parser import (
    HEAD_BYTES_MAX,
    HEAD_TOO_LARGE,
    MALFORMED,
    REQUEST_BYTES_MAX,
    TOO_LARGE,
    Fault,
    RequestParser,
)

BODIES = st.binary(max_size=200)


def whole(body: bytes) -> bytes:
    return b"POST /?a=b HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def in_chunks(body: bytes, size: int = 7) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"POST /?a=b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%b0\r\n\r\n" % chunks


def read(*pieces: bytes) -> list[HttpRequest | Fault]:
    parser = RequestParser()
    for piece in pieces:
        if not parser.ended:
            parser.feed(piece)
    return list(parser.requests)


def requests(*pieces: bytes) -> list[HttpRequest]:
    found = read(*pieces)
    assert all(isinstance(each, HttpRequest) for each in found), found
    return [each for each in found if isinstance(each, HttpRequest)]


@given(st.lists(st.tuples(BODIES, st.booleans()), min_size=1, max_size=5), st.data())
def test_the_request_parser_does_not_depend_on_how_the_bytes_are_split(
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
def test_no_bytes_make_the_request_parser_raise(pieces: list[bytes]) -> None:
    found = read(*(piece for piece in pieces if piece))
    assert all(isinstance(each, HttpRequest) or each.status >= 400 for each in found)


@given(st.binary(min_size=1, max_size=100), st.integers(0, 100))
def test_the_request_parser_parses_or_reports_a_corrupted_request(noise: bytes, at: int) -> None:
    stream = whole(b"{}")
    found = read(stream[:at] + noise + stream[at + len(noise) :])
    assert all(isinstance(each, HttpRequest) or each in (MALFORMED, TOO_LARGE) for each in found)


def test_the_request_parser_lowers_header_names_and_uses_the_last_of_repeated_headers() -> None:
    (request,) = requests(b"POST / HTTP/1.1\r\nX-AMZ-target: a\r\nx-amz-TARGET: b\r\nContent-Length: 0\r\n\r\n")
    assert request.headers == {b"x-amz-target": b"b", b"content-length": b"0"}


def test_the_request_parser_ignores_trailers_of_a_chunked_body() -> None:
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
def test_the_request_parser_reports_malformed_http_after_the_requests_before_it(stream: bytes) -> None:
    (request, fault) = read(whole(b"{}") + stream)
    assert isinstance(request, HttpRequest)
    assert fault is MALFORMED


def test_the_request_parser_accepts_a_body_of_at_most_16_mb() -> None:
    body = bytes(REQUEST_BYTES_MAX)
    (request,) = requests(whole(body))
    assert len(request.body) == REQUEST_BYTES_MAX
    assert read(whole(body + b"x")) == [TOO_LARGE]


def test_the_request_parser_rejects_too_long_a_body_before_it_is_sent() -> None:
    assert read(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (REQUEST_BYTES_MAX + 1)) == [TOO_LARGE]


def test_the_request_parser_rejects_a_chunked_body_as_soon_as_it_exceeds_the_limit() -> None:
    parser = RequestParser()
    parser.feed(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    fed, chunk = 0, b"%x\r\n%b\r\n" % (1 << 20, bytes(1 << 20))
    while not parser.ended:
        parser.feed(chunk)
        fed += 1
    assert fed == (REQUEST_BYTES_MAX >> 20) + 1
    assert list(parser.requests) == [TOO_LARGE]


def test_the_request_parser_rejects_an_endless_head() -> None:
    pieces = [b"POST / HTTP/1.1\r\n", *(b"x-%d: %b\r\n" % (number, bytes(b"y" * 1000)) for number in range(100))]
    assert read(*pieces) == [HEAD_TOO_LARGE]
    assert read(b"POST /", *[b"a" * 1000] * 100) == [HEAD_TOO_LARGE]


@pytest.mark.parametrize("piece_bytes", [1, 10_000, 60_000, 200_000])
@pytest.mark.parametrize("name", [b"x", b"x-%d"])
def test_the_request_parser_rejects_a_head_over_16_kb_however_it_arrives(piece_bytes: int, name: bytes) -> None:
    lines = b"".join((name % number if b"%" in name else name) + b": " + b"y" * 1000 + b"\r\n" for number in range(70))
    message = b"POST / HTTP/1.1\r\n" + lines + b"Content-Length: 2\r\n\r\n{}"
    assert read(*(message[at : at + piece_bytes] for at in range(0, len(message), piece_bytes))) == [HEAD_TOO_LARGE]


def head_of(length: int) -> bytes:
    """Return a request without a body. Its head has this many bytes."""
    start = b"POST / HTTP/1.1\r\nContent-Length: 0\r\nx: "
    return start + b"y" * (length - len(start) - 4) + b"\r\n\r\n"


@pytest.mark.parametrize("piece_bytes", [1, 10_000, HEAD_BYTES_MAX - 1, HEAD_BYTES_MAX, 200_000])
def test_the_request_parser_accepts_a_head_of_exactly_64_kb(piece_bytes: int) -> None:
    for length, accepted in ((HEAD_BYTES_MAX, True), (HEAD_BYTES_MAX + 1, False)):
        message = head_of(length)
        assert len(message) == length
        (found,) = read(*(message[at : at + piece_bytes] for at in range(0, length, piece_bytes)))
        assert isinstance(found, HttpRequest) if accepted else found is HEAD_TOO_LARGE


@pytest.mark.parametrize("piece_bytes", [1_000, 1 << 20])
@pytest.mark.parametrize("tail", [b"x: y\r\n" * 20_000, b"x: " + b"y" * 200_000, b"0;" + b"y" * 200_000])
def test_the_request_parser_limits_the_trailers_of_a_chunked_body(tail: bytes, piece_bytes: int) -> None:
    stream = in_chunks(b"{}").removesuffix(b"\r\n") + tail + b"\r\n\r\n"
    found = read(*(stream[at : at + piece_bytes] for at in range(0, len(stream), piece_bytes)))
    assert found in ([HEAD_TOO_LARGE], [MALFORMED])


@pytest.mark.parametrize("chunked", [False, True])
def test_the_request_parser_discards_a_body_that_nothing_can_make_acceptable(chunked: bool) -> None:
    heads = list[HttpRequest]()

    def keeps_body(head: HttpRequest) -> bool:
        heads.append(head)
        return False

    parser = RequestParser(keeps_body)
    stream = (in_chunks if chunked else whole)(b"x" * 3000)
    for at in range(0, len(stream), 100):
        parser.feed(stream[at : at + 100])
        assert parser.held_bytes <= 100
    parser.feed(whole(b"[]"))  # the request arrives completely, so nothing is kept
    assert [(each.url, each.body) for each in heads] == [(b"/?a=b", b"")]
    assert [each.body for each in parser.requests if isinstance(each, HttpRequest)] == [b"", b"[]"]


def test_the_request_parser_answers_a_client_at_once_that_expects_to_continue_with_a_discarded_body() -> None:
    parser = RequestParser(lambda _: False)
    parser.feed(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
    (request,) = parser.requests
    assert isinstance(request, HttpRequest)
    assert not request.keep_alive
    assert (parser.expects_continue, parser.ended) == (False, True)


def test_the_request_parser_counts_the_bytes_of_bodies_that_it_holds() -> None:
    parser = RequestParser()
    parser.feed(whole(b"x" * 70_000)[:-1])
    assert (parser.held_bytes, parser.holds_large_body) == (69_999, True)
    parser.feed(b"x" + whole(b"y" * 10))
    assert parser.held_bytes == 70_010
    parser.requests.popleft()
    assert parser.held_bytes == 10
    parser.discard()
    assert parser.held_bytes == 0


def test_a_discarded_request_parser_needs_no_garbage_collection() -> None:
    parser = RequestParser()
    parser.feed(whole(b"x" * 70_000)[:-1])
    reference = weakref.ref(parser)
    gc.disable()
    try:
        parser.discard()
        del parser
        assert reference() is None
    finally:
        gc.enable()


def test_the_request_parser_does_not_count_many_pipelined_requests_as_one_head() -> None:
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
def test_the_request_parser_sets_keep_alive_by_the_http_version_and_the_connection_header(
    version: str, connection: str, keep_alive: bool
) -> None:
    stream = f"POST / HTTP/{version}\r\n{connection}Content-Length: 2\r\n\r\n{{}}".encode()
    found = requests(stream * 2)
    assert [each.keep_alive for each in found] == ([True, True] if keep_alive else [False])


def offer(more: bytes = b"") -> bytes:
    return b"POST / HTTP/1.1\r\nConnection: Upgrade%b\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}" % more


@given(st.integers(1, len(offer())))
def test_the_request_parser_ignores_an_upgrade_header(cut: int) -> None:
    stream = offer() + whole(b"[]")
    assert [(each.body, each.keep_alive) for each in requests(stream[:cut], stream[cut:])] == [
        (b"{}", True),
        (b"[]", True),
    ]


def test_the_request_parser_ends_after_an_upgrade_request_that_closes() -> None:
    assert [(each.body, each.keep_alive) for each in requests(offer(b", close") + whole(b"[]"))] == [(b"{}", False)]


def test_the_request_parser_rejects_an_upgrade_request_with_too_long_a_body() -> None:
    assert read(offer().replace(b"Length: 2", b"Length: 99999999")) == [TOO_LARGE]


def test_the_request_parser_does_not_support_connect() -> None:
    (request, fault) = read(b"CONNECT example.org:80 HTTP/1.1\r\nHost: h\r\n\r\n" + whole(b"{}"))
    assert isinstance(request, HttpRequest)
    assert (request.method, fault) == (b"CONNECT", MALFORMED)


@pytest.mark.parametrize(
    ("version", "length", "expected"), [("1.1", 2, True), ("1.0", 2, False), ("1.1", 1 << 30, False)]
)
def test_the_request_parser_recognizes_expect_100_continue(version: str, length: int, expected: bool) -> None:
    parser = RequestParser()
    parser.feed(f"POST / HTTP/{version}\r\nExpect: 100-Continue\r\nContent-Length: {length}\r\n\r\n".encode())
    assert parser.expects_continue is expected


def test_the_request_parser_uses_the_first_of_several_accept_encoding_headers() -> None:
    (request,) = requests(b"POST / HTTP/1.1\r\nAccept-Encoding: identity\r\naccept-encoding: gzip\r\n\r\n")
    assert request.headers == {b"accept-encoding": b"identity"}
    assert request.repeated == {b"accept-encoding": b"identity,gzip"}
    first, second = requests(b"GET / HTTP/1.1\r\na: 1\r\nA: 2\r\na: 3\r\n\r\nGET / HTTP/1.1\r\na: 4\r\n\r\n")
    assert (first.headers[b"a"], first.repeated) == (b"3", {b"a": b"1,2,3"})
    assert (second.headers, second.repeated) == ({b"a": b"4"}, {})


def test_the_request_parser_rejects_a_long_request_line_and_long_headers_with_status_400() -> None:
    for head in (b"POST /%b HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\na: %b\r\n\r\n"):
        assert len(requests(head % (b"x" * 16_000))) == 1
        (fault,) = read(head % (b"x" * 17_000))
        assert isinstance(fault, Fault)
        assert fault.status == 400
