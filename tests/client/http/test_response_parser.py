"""HTTP responses split at any position give the same response or the same error."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.client.http import response_parser
from singletable.client.http.response_parser import (
    InvalidResponse,
    ParsedResponse,
    ResponseParser,
    fast_response,
    header,
)
from singletable.values.fast_path import NotOnFastPath
from tests.client.http.scripted import pieces, response

BODIES = st.binary(max_size=200)
CUTS = st.lists(st.integers(1, 60), max_size=12)


def read(data: bytes, sizes: list[int]) -> ParsedResponse | None:
    reader, answer = ResponseParser(), None
    for piece in pieces(data, sizes):
        assert answer is None
        answer = reader.feed(piece)
    return answer or reader.ended()


def chunked(body: bytes, sizes: list[int], trailer: bytes = b"") -> bytes:
    chunks = b"".join(b"%x;name=value\r\n%b\r\n" % (len(piece), piece) for piece in pieces(body, sizes))
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n" + trailer + b"\r\n"


@given(BODIES, CUTS, st.sampled_from([200, 400, 503]))
def test_response_parser_gives_the_same_response_for_any_split(body: bytes, cuts: list[int], status: int) -> None:
    answer = read(response(status, body), cuts)
    assert answer is not None
    assert (answer.status, answer.body, answer.keep_alive) == (status, body, True)


@given(BODIES, CUTS, CUTS, st.sampled_from([b"", b"X-Checksum: 1\r\nY: 2\r\n"]))
def test_response_parser_joins_chunks(body: bytes, chunks: list[int], cuts: list[int], trailer: bytes) -> None:
    answer = read(chunked(body, chunks, trailer), cuts)
    assert answer is not None
    assert answer.body == body


@given(BODIES, CUTS)
def test_response_parser_skips_interim_responses(body: bytes, cuts: list[int]) -> None:
    answer = read(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + response(200, body), cuts
    )
    assert answer is not None
    assert (answer.status, answer.body) == (200, body)


@given(BODIES.filter(bool), CUTS)
def test_response_parser_finds_a_truncated_response_incomplete(body: bytes, cuts: list[int]) -> None:
    assert read(response(200, body)[:-1], cuts) is None
    assert read(chunked(body, [])[:-1], cuts) is None


@given(BODIES, CUTS, st.integers(0, 2**32))
def test_response_parser_rejects_a_body_with_a_wrong_checksum(body: bytes, cuts: list[int], checksum: int) -> None:
    data = response(200, body, checked=False, head=f"x-amz-crc32: {checksum}\r\n")
    if checksum == zlib.crc32(body):
        assert read(data, cuts) is not None
    else:
        with pytest.raises(InvalidResponse, match="checksum"):
            read(data, cuts)


@given(
    BODIES,
    st.sampled_from([200, 404]),
    st.sampled_from(
        ["", "Connection: close\r\n", "connection:Close\r\n", "Content-Encoding: identity\r\n", "X: y\r\n"]
    ),
    st.sampled_from([None, 0, 1, 300]),
    st.booleans(),
)
def test_the_fast_path_of_response_parser_equals_the_slow_path(
    body: bytes, status: int, head: str, length: int | None, checked: bool
) -> None:
    data = response(status, body, head=head, length=length, checked=checked)
    try:
        fast = fast_response(data)
    except NotOnFastPath:
        is_common = status == 200 and head in ("", "X: y\r\n") and length in (None, len(body))
        assert not is_common, "a common response takes the fast path"
    else:
        slow = ResponseParser().feed(data)
        assert slow is not None
        assert fast[:3] == slow[:3]


@given(st.binary(max_size=300), CUTS)
def test_no_bytes_crash_response_parser(data: bytes, cuts: list[int]) -> None:
    for start in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"):
        with suppress(NotOnFastPath):
            fast_response(start + data)
        reader = ResponseParser()
        try:
            for piece in pieces(start + data, cuts):
                if reader.feed(piece) is not None:
                    break
        except InvalidResponse:
            pass


def test_response_parser_finds_connections_that_end_with_their_response() -> None:
    for data in (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", b"HTTP/1.1 200 OK\r\n\r\n{}"):
        answer = read(data, [])
        assert answer is not None
        assert (answer.body, answer.keep_alive) == (b"{}", False)


def test_response_parser_finds_a_header_at_any_position() -> None:
    head = b"http/1.1 200 ok\r\na: 1\r\nab:2 \r\nb:"
    assert [header(head, name) for name in (b"a", b"ab", b"b", b"c")] == [b"1", b"2", b"", None]


def test_response_parser_rejects_a_body_that_is_too_large_after_decompression(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_parser, "_DECOMPRESSED_BYTES_MAX", 1_000)
    for size in (1_000, 1_001):
        data = response(200, gzip.compress(bytes(size)), checked=False, head="Content-Encoding: gzip\r\n")
        if size > 1_000:
            with pytest.raises(InvalidResponse, match="too large"):
                ResponseParser().feed(data)
        else:
            parsed = ResponseParser().feed(data)
            assert parsed is not None
            assert len(parsed.body) == size
