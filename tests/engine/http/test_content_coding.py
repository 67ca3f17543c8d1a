"""Compression: which coding is chosen, and what a compressed request may hold."""

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
from singletable.engine.http.message import Request

BYTES_MAX = 10_000


# Each of these was captured against the service.
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
def test_the_coding_that_a_header_asks_for(header: str, coding: str | None) -> None:
    assert chosen_coding(header.encode()) == coding


@given(st.binary(max_size=200))
def test_any_header_chooses_something_or_nothing(header: bytes) -> None:
    assert chosen_coding(header) in ("gzip", "deflate", None)


@given(st.binary(max_size=5000))
def test_what_is_compressed_is_what_standard_tools_read(body: bytes) -> None:
    assert gzip.decompress(compressed(body, "gzip")) == body
    assert zlib.decompress(compressed(body, "deflate")) == body


def request(body: bytes, coding: bytes = b"gzip") -> Request:
    return Request(b"POST", b"/", {b"content-encoding": coding}, body, True)


@given(st.lists(st.binary(max_size=2000), min_size=1, max_size=4))
def test_a_body_may_be_several_members(parts: list[bytes]) -> None:
    body = b"".join(gzip.compress(part) for part in parts)
    assert decoded_body(request(body), BYTES_MAX) == b"".join(parts)


@pytest.mark.parametrize("coding", [b"identity", b"", b" Identity "])
def test_no_coding_is_a_coding(coding: bytes) -> None:
    assert decoded_body(request(b"{}", coding), BYTES_MAX) == b"{}"


@pytest.mark.parametrize("coding", [b"gzip", b" GZIP "])
def test_the_name_of_a_coding_has_no_case(coding: bytes) -> None:
    assert decoded_body(request(gzip.compress(b"{}"), coding), BYTES_MAX) == b"{}"


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"{}", b"gzip"),
        (b"", b"gzip"),
        (gzip.compress(b"{}", mtime=0)[:-1], b"gzip"),
        (gzip.compress(b"{}", mtime=0) + b"junk", b"gzip"),
        (b"{}", b"garbage"),
        (zlib.compress(b"{}"), b"deflate"),
    ],
)
def test_what_is_not_what_it_says_is_not_decoded(body: bytes, coding: bytes) -> None:
    with pytest.raises(NotDecodable):
        decoded_body(request(body, coding), BYTES_MAX)


@given(st.integers(BYTES_MAX - 3, BYTES_MAX + 3))
def test_a_bomb_is_not_unpacked(length: int) -> None:
    body = gzip.compress(bytes(length // 2)) + gzip.compress(bytes(length - length // 2))
    if length > BYTES_MAX:
        with pytest.raises(TooLarge):
            decoded_body(request(body), BYTES_MAX)
    else:
        assert len(decoded_body(request(body), BYTES_MAX)) == length
