"""The head of an answer: its status line and headers, the slow parts of them kept for a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from zlib import crc32

from singletable.engine.http.date import http_date
from singletable.engine.http.message import Response

_PHRASES = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    408: "Request Timeout",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
_KEPT_MAX = 64


class HeadWriter:
    """Writes the heads that DynamoDB writes; the clock is asked once for each."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._second = 0
        self._kept: dict[tuple[int, bytes, bool], bytes] = {}

    def write(self, response: Response, keep_alive: bool) -> bytes:
        """The head of an answer, with the checksum of its body as it is sent: of the compressed bytes, if it is."""
        second = int(self._clock())
        if second != self._second:
            self._second = second
            self._kept.clear()
        status = response.status
        key = (status, response.content_type, keep_alive)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._keep(key)
        body = response.body
        return b"%bContent-Length: %d\r\nx-amzn-RequestId: %052X\r\nx-amz-crc32: %d\r\n%b\r\n" % (
            kept,
            len(body),
            response.request_id,
            crc32(body),
            response.extra,
        )

    def _keep(self, key: tuple[int, bytes, bool]) -> bytes:
        status, content_type, keep_alive = key
        lines = (
            f"HTTP/1.1 {status} {_PHRASES.get(status, '')}",
            "Server: Server",
            f"Date: {http_date(self._second)}",
            f"Content-Type: {content_type.decode('latin-1')}",
            f"Connection: {'keep-alive' if keep_alive else 'close'}",
        )
        head = "".join(f"{line}\r\n" for line in lines).encode("latin-1")
        if len(self._kept) < _KEPT_MAX:
            self._kept[key] = head
        return head
