"""Compression: the choice of the coding, and valid compressed requests."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.content_coding import (
    NotDecodable,
    TooLarge,
    chosen_coding,
    compressed,
    decoded_body,
)
from singletable.engine.http.http_messages import HttpRequest

BYTES_MAX = 10_000


# Each of these was captured from the service.
@pytest.mark.parametrize(
    ("header", "coding"),
    [
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("identity", None),
        ("", None),
        ("br", None),
        ("x-gzip", None),
        ("gzip, deflate", "gzip"),
        ("br, identity, deflate, gzip", "deflate"),
        ("GZIP, identity", "gzip"),
        ("dog, gzip ,, cat", "gzip"),
        ("gzip;q=0.8, deflate;q=0.5", "gzip"),
        ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", "deflate"),
        ("*", "gzip"),
        ("*, deflate;q=0.5", "gzip"),
        ("*, deflate", "deflate"),
        ("*, gzip;q=0.5", "deflate"),
        ("gzip ;q=0", None),
        ("*;q=0", None),
        ("*;q=0.5,identity", "gzip"),
        ("gzip;q=0.5,identity;q=0.8", "gzip"),
        ("br;q=0.8,identity;q=0.5,*;q=0", None),
        ('"gzip"', None),
        ("gzip br", None),
        ("gzip:q=1", None),
        ("gzip;q=31,deflate;q=51", "gzip"),
        ("deflate;q=0.5, gzip;q=0.2", "deflate"),
        ("deflate;q=0.5, gzip;q=1;q=0.2", "gzip"),
        ("deflate;q=0.5,gzip;q=0.", "deflate"),
        ("deflate;q=0.5,gzip;q=0.x", "gzip"),
        ("deflate;q=-0.5,gzip;q=0.2", "gzip"),
        ("gzip;q= 0;q=1", None),
        ("gzip;q =0;q=1", "gzip"),
        ("gzip;nq=0;q=1", None),
        ("gzip;q=0, gzip;q=1, gzip;q=0", "gzip"),
        ("br,identity;q=0.5,gzip;q=0.0001", "gzip"),
    ],
)
def test_the_content_coding_follows_the_accept_encoding_header(header: str, coding: str | None) -> None:
    assert chosen_coding(header.encode()) == coding


@given(st.binary(max_size=200))
def test_the_choice_of_a_content_coding_raises_for_no_accept_encoding_header(header: bytes) -> None:
    assert chosen_coding(header) in ("gzip", "deflate", None)


@given(st.binary(max_size=5000))
def test_standard_tools_decompress_the_content_coding_of_responses(body: bytes) -> None:
    assert gzip.decompress(compressed(body, "gzip")) == body
    assert zlib.decompress(compressed(body, "deflate")) == body


def request(body: bytes, coding: bytes = b"gzip") -> HttpRequest:
    return HttpRequest(b"POST", b"/", {b"content-encoding": coding}, body, True)


@given(st.lists(st.binary(max_size=2000), min_size=1, max_size=4))
def test_a_body_in_gzip_content_coding_may_consist_of_several_members(parts: list[bytes]) -> None:
    body = b"".join(gzip.compress(part) for part in parts)
    assert decoded_body(request(body), BYTES_MAX) == b"".join(parts)


@given(st.lists(st.binary(max_size=20_000), min_size=1, max_size=3), st.integers(1, 9))
def test_a_member_of_gzip_content_coding_may_be_longer_than_the_pieces_that_are_decoded(
    parts: list[bytes], level: int
) -> None:
    body = b"".join(gzip.compress(part, level) for part in parts)
    assert decoded_body(request(body), 100_000) == b"".join(parts)


@given(st.binary(max_size=5000))
def test_deflate_content_coding_is_a_zlib_stream_or_raw(content: bytes) -> None:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    raw = compressor.compress(content) + compressor.flush()
    assert decoded_body(request(zlib.compress(content), b"deflate"), BYTES_MAX) == content
    assert decoded_body(request(raw, b"deflate"), BYTES_MAX) == content


@pytest.mark.parametrize("coding", [b"identity", b"", b" Identity "])
def test_identity_and_an_empty_content_coding_leave_the_body_unchanged(coding: bytes) -> None:
    assert decoded_body(request(b"{}", coding), BYTES_MAX) == b"{}"


@pytest.mark.parametrize("coding", [b"gzip", b" GZIP "])
def test_the_name_of_a_content_coding_is_case_insensitive(coding: bytes) -> None:
    assert decoded_body(request(gzip.compress(b"{}"), coding), BYTES_MAX) == b"{}"


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"{}", b"gzip"),
        (b"", b"gzip"),
        (gzip.compress(b"{}", mtime=0)[:-1], b"gzip"),
        (gzip.compress(b"{}", mtime=0) + b"junk", b"gzip"),
        (b"{}", b"garbage"),
        (b"{}", b"deflate"),
        (b"", b"deflate"),
        (zlib.compress(b"{}")[:-1], b"deflate"),
        (zlib.compress(b"{}") + b"junk", b"deflate"),
        (gzip.compress(b"", mtime=0) * 150_000, b"gzip"),
    ],
)
def test_a_body_that_does_not_match_its_content_coding_raises(body: bytes, coding: bytes) -> None:
    with pytest.raises(NotDecodable):
        decoded_body(request(body, coding), BYTES_MAX)


@given(st.integers(BYTES_MAX - 3, BYTES_MAX + 3))
def test_a_decompression_bomb_in_a_content_coding_raises(length: int) -> None:
    body = gzip.compress(bytes(length // 2)) + gzip.compress(bytes(length - length // 2))
    if length > BYTES_MAX:
        with pytest.raises(TooLarge):
            decoded_body(request(body), BYTES_MAX)
    else:
        assert len(decoded_body(request(body), BYTES_MAX)) == length
