"""Incremental parser for HTTP/1.1 responses, with checksums and decompression; it does no I/O."""

from __future__ import annotations

import zlib
from typing import NamedTuple

from singletable.values.fast_path import FastPath, NotOnFastPath
from singletable.wire.query_and_scan import warm_up_allocator

HEAD_BYTES_MAX = 64 * 1024
DIGITS_MAX = 18
"""Longer numbers in a header are not valid; Python limits the digits of a number that it parses, too."""
_DECOMPRESSED_BYTES_MAX = 256 * 2**20
_GZIP_OR_ZLIB = 47  # makes zlib detect the format, gzip or zlib
_NO_BODY = frozenset((204, 304))

FAST_RESPONSES = FastPath("HTTP responses")

warm_up_allocator()


class InvalidResponse(Exception):
    """The received bytes are not a valid HTTP response, or fail their checksum."""


class ParsedResponse(NamedTuple):
    """A complete response with its decoded body."""

    status: int
    body: bytes
    keep_alive: bool
    head: bytes
    """The status line and the headers in lower case, for the function `header`; empty on the fast path."""
    request_id: bytes = b""
    """The ID that the server gave to the request, in lower case; empty if it gave none."""


class ResponseIds:
    """Finds a response that arrives twice, by its request ID; all connections to a server share one object.

    Some servers give every request the same ID. The check therefore starts only when two different IDs were received.
    """

    def __init__(self) -> None:
        self._differ = False

    def is_repeated(self, last: bytes, response: ParsedResponse) -> bool:
        """Return whether a response has the same ID as the previous response on its connection."""
        found = response.request_id
        if found == last:
            return self._differ and found != b""
        if not self._differ:
            self._differ = found != b"" != last
        return False


def header(head: bytes, name: bytes) -> bytes | None:
    """Return the first value of a header, in lower case, or None if the header is missing."""
    start = head.find(b"\r\n%b:" % name)
    if start < 0:
        return None
    start += len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else None].strip()


def fast_response(data: bytes) -> ParsedResponse:
    """Parse a complete, uncompressed response with status 200. Raise NotOnFastPath for all other bytes.

    The fast path finds a header only if its name is spelled as DynamoDB and most servers spell it.
    """
    end = data.find(b"\r\n\r\n")
    at = data.find(b"\r\nContent-Length: ", 0, end)
    if at < 0 or not data.startswith(b"HTTP/1.1 200") or data.find(b"ncoding:", 0, end) >= 0:
        raise NotOnFastPath
    body = data[end + 4 :]
    try:
        if int(data[at + 18 : data.find(b"\r", at + 18)]) != len(body) or data.find(b"lose", 0, end) >= 0:
            raise NotOnFastPath
        at = data.find(b"rc32: ", 0, end)
        if at >= 0 and int(data[at + 6 : data.find(b"\r", at + 6)]) != zlib.crc32(body):
            raise NotOnFastPath
    except ValueError as problem:
        raise NotOnFastPath from problem
    at = data.find(b"RequestId: ", 0, end)
    return ParsedResponse(200, body, True, b"", data[at + 11 : data.find(b"\r", at)].lower() if at >= 0 else b"")


class ResponseParser:
    """Parses the responses of one connection, one after another."""

    __slots__ = ("_chunks", "_head", "_keep_alive", "_missing", "_parts", "_rest", "_status", "started")

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.started = False
        """Whether a part of the next response has arrived."""
        self._head = b""
        self._rest = b""
        self._parts: list[bytes] = []
        self._missing = -1
        """The number of body bytes still to be received; negative if the length of the body is unknown."""
        self._chunks: _Chunks | None = None

    def feed(self, data: bytes) -> ParsedResponse | None:
        """Return the response once it is complete, otherwise None; raise InvalidResponse if the data is invalid."""
        if self._head:
            return self._feed_body(data)
        self.started = True
        if self._rest:
            data = self._rest + data
        start = 0
        while (end := data.find(b"\r\n\r\n", start)) >= 0:
            head = data[start:end].lower()
            start = end + 4
            status = _status(head)
            if status >= 200:  # interim responses come before the final one
                return self._start_body(status, head, data[start:])
        data = data[start:]
        if len(data) > HEAD_BYTES_MAX or not data.startswith(b"HTTP/1."[: len(data)]):
            raise InvalidResponse("invalid HTTP status line")
        self._rest = data
        self.started = data != b""
        return None

    def ended(self) -> ParsedResponse | None:
        """Return the response if it ends with the connection; otherwise return None."""
        if self._head and self._missing < 0 and self._chunks is None:
            self._keep_alive = False
            return self._complete(b"".join(self._parts))
        return None

    def _start_body(self, status: int, head: bytes, body: bytes) -> ParsedResponse | None:
        self._head, self._status = head, status
        self._keep_alive = head.startswith(b"http/1.1") and b"close" not in (header(head, b"connection") or b"")
        length = header(head, b"content-length")
        if length is not None and b"\r\ntransfer-encoding:" not in head:
            if not length.isdigit() or len(length) > DIGITS_MAX:
                raise InvalidResponse("the Content-Length is not a valid number")
            missing = int(length) - len(body)
            if missing == 0:
                return self._complete(body)
            if missing < 0:
                raise InvalidResponse("the body is longer than its declared length")
            self._missing = missing
            self._parts.append(body)
            return None
        return self._start_body_without_length(body)

    def _start_body_without_length(self, body: bytes) -> ParsedResponse | None:
        coding = header(self._head, b"transfer-encoding")
        if coding is not None:
            if coding != b"chunked":
                raise InvalidResponse("unsupported Transfer-Encoding")
            self._chunks = _Chunks()
        elif self._status in _NO_BODY:
            return self._complete(b"")
        return self._feed_body(body)

    def _feed_body(self, data: bytes) -> ParsedResponse | None:
        if self._chunks is not None:
            body = self._chunks.feed(data)
            return None if body is None else self._complete(body)
        self._parts.append(data)
        if self._missing < 0:
            return None
        self._missing -= len(data)
        if self._missing > 0:
            return None
        if self._missing < 0:
            raise InvalidResponse("the body is longer than its declared length")
        return self._complete(b"".join(self._parts))

    def _complete(self, body: bytes) -> ParsedResponse:
        head = self._head
        checksum = header(head, b"x-amz-crc32")
        # The checksum covers the bytes as sent, before decompression.
        if checksum is not None and (
            not checksum.isdigit() or len(checksum) > DIGITS_MAX or int(checksum) != zlib.crc32(body)
        ):
            raise InvalidResponse("the checksum does not match the body")
        if b"\r\ncontent-encoding:" in head:
            body = _decoded(body, header(head, b"content-encoding") or b"")
        request_id = header(head, b"x-amzn-requestid") or b""
        response = ParsedResponse(self._status, body, self._keep_alive, head, request_id)
        self._reset()
        return response


def _status(head: bytes) -> int:
    """Return the status in the lower-case head of a response."""
    digits = head[9:12]
    if not head.startswith(b"http/1.") or not digits.isdigit() or not 100 <= int(digits) <= 599:
        raise InvalidResponse("invalid HTTP status line")
    return int(digits)


def _decoded(body: bytes, coding: bytes) -> bytes:
    if coding in (b"", b"identity"):
        return body
    if coding not in (b"gzip", b"deflate"):
        raise InvalidResponse("unsupported Content-Encoding")
    decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        decoded = decoder.decompress(body, _DECOMPRESSED_BYTES_MAX)
    except zlib.error:
        raise InvalidResponse("the body cannot be decompressed") from None
    if not decoder.eof:
        raise InvalidResponse("the body cannot be decompressed, or is too large")
    return decoded


class _Chunks:
    """Parser for a chunked body: each chunk follows a line with its hexadecimal length; length 0 ends the body."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._parts: list[bytes] = []
        self._ending = False

    def feed(self, data: bytes) -> bytes | None:
        """Return the whole body once its last chunk has arrived, otherwise None."""
        waiting = self._waiting
        waiting += data
        while not self._ending:
            line = waiting.find(b"\r\n")
            if line < 0:
                if len(waiting) > HEAD_BYTES_MAX:
                    raise InvalidResponse("a chunk has no length")
                return None
            length = _chunk_length(bytes(waiting[:line]))
            if length == 0:
                del waiting[: line + 2]
                self._ending = True
                break
            end = line + 2 + length
            if len(waiting) < end + 2:
                return None
            if not waiting.startswith(b"\r\n", end):
                raise InvalidResponse("a chunk is longer than its declared length")
            self._parts.append(bytes(waiting[line + 2 : end]))
            del waiting[: end + 2]
        return self._read_trailer()

    def _read_trailer(self) -> bytes | None:
        """Skip the trailing headers and the empty line after the last chunk.

        Return the body, or None if more data must arrive.
        """
        waiting = self._waiting
        if waiting.startswith(b"\r\n"):
            rest = len(waiting) - 2
        else:
            end = waiting.find(b"\r\n\r\n")
            if end < 0:
                if len(waiting) > HEAD_BYTES_MAX:
                    raise InvalidResponse("the chunked body has no end")
                return None
            rest = len(waiting) - end - 4
        if rest:
            raise InvalidResponse("the body is longer than its declared length")
        return b"".join(self._parts)


def _chunk_length(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    if not digits or digits.strip(b"0123456789abcdefABCDEF"):
        raise InvalidResponse("a chunk length is not a hexadecimal number")
    return int(digits, 16)
