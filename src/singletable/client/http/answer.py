"""Answers of HTTP/1.1 as they arrive, piece by piece; whoever reads the socket feeds them."""

from __future__ import annotations

import zlib
from typing import NamedTuple

from singletable.wire.page_memory import expect_pages

HEAD_BYTES_MAX = 64 * 1024
_GZIP_OR_ZLIB = 47  # zlib's way to say: whichever of the two the data begins with
_NO_BODY = frozenset((204, 304))

expect_pages()


class Garbled(Exception):
    """What arrived is no answer, or not the one that was sent."""


class Answer(NamedTuple):
    """A whole answer, its body decoded."""

    status: int
    body: bytes
    keep_alive: bool
    head: bytes
    """In lower case, for `field`; empty where there is nothing to look for."""


def field(head: bytes, name: bytes) -> bytes | None:
    """The value of a header, in lower case; the first, where there are several."""
    start = head.find(b"\r\n%b:" % name)
    if start < 0:
        return None
    start += len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else None].strip()


def whole(data: bytes) -> Answer | None:
    """The answer, when these bytes are a whole one of the plainest kind, as nearly all are; None to read it with care.

    The names are written as DynamoDB and most servers write them.
    """
    end = data.find(b"\r\n\r\n")
    at = data.find(b"\r\nContent-Length: ", 0, end)
    if at < 0 or not data.startswith(b"HTTP/1.1 200") or data.find(b"ncoding:", 0, end) >= 0:
        return None
    body = data[end + 4 :]
    try:
        if int(data[at + 18 : data.find(b"\r", at + 18)]) != len(body) or data.find(b"lose", 0, end) >= 0:
            return None
        at = data.find(b"rc32: ", 0, end)
        if at >= 0 and int(data[at + 6 : data.find(b"\r", at + 6)]) != zlib.crc32(body):
            return None
    except ValueError:
        return None
    return Answer(200, body, True, b"")


class AnswerReader:
    """Reads one answer after the other, each of which is asked for when the one before it is complete."""

    __slots__ = ("_chunks", "_head", "_keep_alive", "_missing", "_parts", "_rest", "_status", "started")

    def __init__(self) -> None:
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.started = False
        """Whether a part of the next answer has arrived."""
        self._head = b""
        self._rest = b""
        self._parts: list[bytes] = []
        self._missing = -1
        """The bytes of the body that are still to come; below 0 when only its end says how long it is."""
        self._chunks: _Chunks | None = None

    def feed(self, data: bytes) -> Answer | None:
        """The answer, once it is complete; raises Garbled for bytes that are none."""
        if self._head:
            return self._go_on(data)
        self.started = True
        if self._rest:
            data = self._rest + data
        end = data.find(b"\r\n\r\n")
        if end < 0:
            if len(data) > HEAD_BYTES_MAX or not data.startswith(b"HTTP/1."[: len(data)]):
                raise Garbled("it does not begin as HTTP does")
            self._rest = data
            return None
        return self._headed(data[:end].lower(), data[end + 4 :])

    def ended(self) -> Answer | None:
        """The answer, when its end is the end of the connection; None when it is cut off there."""
        if self._head and self._missing < 0 and self._chunks is None:
            self._keep_alive = False
            return self._complete(b"".join(self._parts))
        return None

    def _headed(self, head: bytes, body: bytes) -> Answer | None:
        try:
            status = int(head[9:12])
        except ValueError:
            status = 0
        if not head.startswith(b"http/1.") or not 100 <= status <= 599:
            raise Garbled("it does not begin as HTTP does")
        if status < 200:  # something on the way, before the answer itself
            self._begin_anew()
            return self.feed(body) if body else None
        self._head, self._status = head, status
        self._keep_alive = head.startswith(b"http/1.1") and b"close" not in (field(head, b"connection") or b"")
        length = field(head, b"content-length")
        if length is not None and b"\r\ntransfer-encoding:" not in head:
            if not length.isdigit():
                raise Garbled("its length is no number")
            missing = int(length) - len(body)
            if missing == 0:
                return self._complete(body)
            if missing < 0:
                raise Garbled("it is longer than it says")
            self._missing = missing
            self._parts.append(body)
            return None
        return self._of_unknown_length(body)

    def _of_unknown_length(self, body: bytes) -> Answer | None:
        coding = field(self._head, b"transfer-encoding")
        if coding is not None:
            if coding != b"chunked":
                raise Garbled("it comes in a coding that was not asked for")
            self._chunks = _Chunks()
        elif self._status in _NO_BODY:
            return self._complete(b"")
        return self._go_on(body)

    def _go_on(self, data: bytes) -> Answer | None:
        if self._chunks is not None:
            whole = self._chunks.feed(data)
            return None if whole is None else self._complete(whole)
        self._parts.append(data)
        if self._missing < 0:
            return None
        self._missing -= len(data)
        if self._missing > 0:
            return None
        if self._missing < 0:
            raise Garbled("it is longer than it says")
        return self._complete(b"".join(self._parts))

    def _complete(self, body: bytes) -> Answer:
        head = self._head
        checksum = field(head, b"x-amz-crc32")
        # Of the bytes as they are sent, compressed if they are.
        if checksum is not None and (not checksum.isdigit() or int(checksum) != zlib.crc32(body)):
            raise Garbled("its checksum is not that of its body")
        if b"\r\ncontent-encoding:" in head:
            body = _decoded(body, field(head, b"content-encoding") or b"")
        answer = Answer(self._status, body, self._keep_alive, head)
        self._begin_anew()
        return answer


def _decoded(body: bytes, coding: bytes) -> bytes:
    if coding in (b"", b"identity"):
        return body
    if coding not in (b"gzip", b"deflate"):
        raise Garbled("it comes in a coding that was not asked for")
    try:
        return zlib.decompress(body, _GZIP_OR_ZLIB)
    except zlib.error:
        raise Garbled("it does not decompress") from None


class _Chunks:
    """A body in chunks, each after a line with its length in hexadecimal digits; one of length 0 is the last."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._parts: list[bytes] = []
        self._ending = False

    def feed(self, data: bytes) -> bytes | None:
        """The whole body, once its last chunk is there."""
        waiting = self._waiting
        waiting += data
        while not self._ending:
            line = waiting.find(b"\r\n")
            if line < 0:
                if len(waiting) > HEAD_BYTES_MAX:
                    raise Garbled("a chunk has no length")
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
                raise Garbled("a chunk is longer than it says")
            self._parts.append(bytes(waiting[line + 2 : end]))
            del waiting[: end + 2]
        return self._trailed()

    def _trailed(self) -> bytes | None:
        """What stands after the last chunk is headers again, which say nothing that matters here, and an empty line."""
        waiting = self._waiting
        if waiting.startswith(b"\r\n"):
            rest = len(waiting) - 2
        else:
            end = waiting.find(b"\r\n\r\n")
            if end < 0:
                if len(waiting) > HEAD_BYTES_MAX:
                    raise Garbled("it has no end")
                return None
            rest = len(waiting) - end - 4
        if rest:
            raise Garbled("it is longer than it says")
        return b"".join(self._parts)


def _chunk_length(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    if not digits or digits.strip(b"0123456789abcdefABCDEF"):
        raise Garbled("the length of a chunk is no number")
    return int(digits, 16)
