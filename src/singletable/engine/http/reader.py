"""Reads requests out of the bytes of one connection, however they are cut, and refuses what is too long or no HTTP."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import httptools

from singletable.engine.http.message import Request

# Captured against the service: one byte more is refused before anything else is looked at.
REQUEST_BYTES_MAX = 16 * 1024 * 1024
_DIGITS_OF_LONG_BODIES = len(str(REQUEST_BYTES_MAX))
HEAD_BYTES_MAX = 64 * 1024
# A body in chunks of one byte is sent as six times its length; what is longer than this never ends.
_MESSAGE_BYTES_MAX = 8 * REQUEST_BYTES_MAX


class Fault(NamedTuple):
    """Why no more is read from a peer."""

    status: int
    words: str


MALFORMED = Fault(400, "This is no request of HTTP/1.1.")
TOO_LARGE = Fault(413, "The request is longer than 16 MB, which no request may be.")
HEAD_TOO_LARGE = Fault(431, "The headers of the request are longer than 64 KB.")
TIMED_OUT = Fault(408, "The request did not come to its end.")


class RequestReader:
    """Takes bytes in, and keeps whole requests in `requests`; a fault is the last of them."""

    def __init__(self) -> None:
        self.requests: deque[Request | Fault] = deque()
        self.ended = False
        self.in_message = False
        self.expects_continue = False
        self._begin_parser()

    def _begin_parser(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._headers: dict[bytes, bytes] = {}
        self._head = self._headers
        self._body: bytes | bytearray = b""
        self._in_head = False
        self._began_here = False
        self._message_bytes = 0

    def feed(self, data: bytes) -> None:
        """Read on. Once `ended`, what is fed has no meaning any more."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._pass_over_offer(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            self.end(MALFORMED)
            return
        if self.in_message:
            self._measure(len(data))

    def _pass_over_offer(self, rest: bytes) -> None:
        """Read a request anew without its offer to speak HTTP/2 or another protocol, which made the parser stop.

        Java's own HTTP client makes that offer with every request, and goes on in HTTP/1.1 when nobody takes it.
        """
        offer = self.requests[-1]
        if not isinstance(offer, Request) or offer.method == b"CONNECT":
            self.end(MALFORMED)
            return
        self.requests.pop()
        self.ended = False
        self._begin_parser()
        passed_over = (b"upgrade", b"http2-settings", b"connection")
        lines = b"".join(b"%b: %b\r\n" % item for item in offer.headers.items() if item[0] not in passed_over)
        closing = b"" if offer.keep_alive else b"connection: close\r\n"
        self.feed(b"%b %b HTTP/1.1\r\n%b%b\r\n%b" % (offer.method, offer.url, lines, closing, rest))

    def end(self, fault: Fault) -> None:
        """Read no more, for a reason that the peer is told after its answers."""
        if not self.ended:
            self.ended = True
            self.expects_continue = False
            self._body = b""
            self.requests.append(fault)

    def _measure(self, length: int) -> None:
        if self._began_here:
            self._began_here = False
            return
        self._message_bytes += length
        if self._in_head and self._message_bytes > HEAD_BYTES_MAX:
            self.end(HEAD_TOO_LARGE)
        elif self._message_bytes > _MESSAGE_BYTES_MAX:
            self.end(TOO_LARGE)

    # What the parser calls.

    def on_message_begin(self) -> None:
        """A request begins."""
        self.in_message = self._in_head = self._began_here = True
        self._url = b""
        self._headers = {}
        self._body = b""
        self._message_bytes = 0

    def on_url(self, url: bytes) -> None:
        """The target of the request, or a part of it."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; of a repeated one the last holds."""
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """The head is whole: whoever announces too long a body need not send it."""
        self._in_head = False
        self._head = headers = self._headers
        self._headers = {}  # for what trails behind a body in chunks, and is nothing we ask for
        length = headers.get(b"content-length", b"")
        if len(length) >= _DIGITS_OF_LONG_BODIES and int(length) > REQUEST_BYTES_MAX:
            self.end(TOO_LARGE)
        elif b"expect" in headers:
            expected = headers[b"expect"].lower() == b"100-continue"
            self.expects_continue = expected and self._parser.get_http_version() == "1.1" and not self.ended

    def on_body(self, body: bytes) -> None:
        """A part of the body, mostly the whole."""
        if self.ended:
            return
        have = self._body
        if not have:
            self._body = have = body
        elif isinstance(have, bytearray):
            have += body
        else:
            self._body = have = bytearray(have)
            have += body
        if len(have) > REQUEST_BYTES_MAX:
            self.end(TOO_LARGE)

    def on_message_complete(self) -> None:
        """The request is whole; one that closes the connection is the last."""
        self.in_message = self.expects_continue = False
        if self.ended:
            return
        parser = self._parser
        keep_alive = parser.should_keep_alive()
        self.ended = not keep_alive
        self.requests.append(Request(parser.get_method(), self._url, self._head, bytes(self._body), keep_alive))
