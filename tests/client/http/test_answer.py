"""Answers however they are cut into pieces: the same answer, or the same refusal."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.client.http.answer import Answer, AnswerReader, Garbled, field, whole
from tests.client.http.scripted import pieces, response

BODIES = st.binary(max_size=200)
CUTS = st.lists(st.integers(1, 60), max_size=12)


def read(data: bytes, sizes: list[int]) -> Answer | None:
    reader, answer = AnswerReader(), None
    for piece in pieces(data, sizes):
        assert answer is None
        answer = reader.feed(piece)
    return answer or reader.ended()


def chunked(body: bytes, sizes: list[int], trailer: bytes = b"") -> bytes:
    chunks = b"".join(b"%x;name=value\r\n%b\r\n" % (len(piece), piece) for piece in pieces(body, sizes))
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n" + trailer + b"\r\n"


@given(BODIES, CUTS, st.sampled_from([200, 400, 503]))
def test_an_answer_is_the_same_in_any_pieces(body: bytes, cuts: list[int], status: int) -> None:
    answer = read(response(status, body), cuts)
    assert answer is not None
    assert (answer.status, answer.body, answer.keep_alive) == (status, body, True)


@given(BODIES, CUTS, CUTS, st.sampled_from([b"", b"X-Checksum: 1\r\nY: 2\r\n"]))
def test_chunks_are_put_together(body: bytes, chunks: list[int], cuts: list[int], trailer: bytes) -> None:
    answer = read(chunked(body, chunks, trailer), cuts)
    assert answer is not None
    assert answer.body == body


@given(BODIES, CUTS)
def test_what_is_said_before_the_answer_is_passed_over(body: bytes, cuts: list[int]) -> None:
    answer = read(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + response(200, body), cuts
    )
    assert answer is not None
    assert (answer.status, answer.body) == (200, body)


@given(BODIES.filter(bool), CUTS)
def test_an_answer_that_is_cut_off_is_none(body: bytes, cuts: list[int]) -> None:
    assert read(response(200, body)[:-1], cuts) is None
    assert read(chunked(body, [])[:-1], cuts) is None


@given(BODIES, CUTS, st.integers(0, 2**32))
def test_a_body_that_is_not_what_its_checksum_says_is_refused(body: bytes, cuts: list[int], checksum: int) -> None:
    data = response(200, body, checked=False, head=f"x-amz-crc32: {checksum}\r\n")
    if checksum == zlib.crc32(body):
        assert read(data, cuts) is not None
    else:
        with pytest.raises(Garbled, match="checksum"):
            read(data, cuts)


@given(
    BODIES,
    st.sampled_from([200, 404]),
    st.sampled_from(
        ["", "Connection: close\r\n", "connection:close\r\n", "Content-Encoding: identity\r\n", "X: y\r\n"]
    ),
    st.sampled_from([None, 0, 1, 300]),
    st.booleans(),
)
def test_the_quick_way_says_what_the_careful_one_says(
    body: bytes, status: int, head: str, length: int | None, checked: bool
) -> None:
    data = response(status, body, head=head, length=length, checked=checked)
    quick = whole(data)
    if quick is not None:
        assert quick == AnswerReader().feed(data)
    elif status == 200 and not head.strip("X: y\r\n") and length in (None, len(body)):
        raise AssertionError("the plainest answers are read the quick way")


@given(st.binary(max_size=300), CUTS)
def test_no_bytes_break_the_reader(data: bytes, cuts: list[int]) -> None:
    for start in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"):
        whole(start + data)
        reader = AnswerReader()
        try:
            for piece in pieces(start + data, cuts):
                if reader.feed(piece) is not None:
                    break
        except Garbled:
            pass


def test_a_connection_that_ends_with_its_answer_is_not_kept() -> None:
    for data in (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", b"HTTP/1.1 200 OK\r\n\r\n{}"):
        answer = read(data, [])
        assert answer is not None
        assert (answer.body, answer.keep_alive) == (b"{}", False)


def test_a_field_is_found_wherever_it_stands() -> None:
    head = b"http/1.1 200 ok\r\na: 1\r\nab:2 \r\nb:"
    assert [field(head, name) for name in (b"a", b"ab", b"b", b"c")] == [b"1", b"2", b"", None]
