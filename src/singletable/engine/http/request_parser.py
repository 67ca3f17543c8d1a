"""The HTTP request parser of a connection. It turns chunks of bytes into complete requests, with size limits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import httptools

from singletable.engine.http.http_messages import HttpRequest

# DynamoDB rejects a longer request before any other check (captured from AWS).
REQUEST_BYTES_MAX = 16 * 1024 * 1024
_DIGITS_OF_LONG_BODIES = len(str(REQUEST_BYTES_MAX))
LARGE_BODY_BYTES_MIN = 64 * 1024
# DynamoDB rejects a longer request line and longer headers with status 400 (tests of Alternator that pass on DynamoDB).
HEAD_BYTES_MAX = 16 * 1024
_REQUEST_LINE_BYTES = len("  HTTP/1.1\r\n")
_HEADER_LINE_BYTES = len(": \r\n")
_EMPTY_LINE_BYTES = len("\r\n")
# A body that is sent in chunks of one byte needs six times its length. The parser rejects messages longer than this.
_MESSAGE_BYTES_MAX = 8 * REQUEST_BYTES_MAX


class Fault(NamedTuple):
    """The reason why the server stops reading from a client, as a status and a message."""

    status: int
    message: str


MALFORMED = Fault(400, "Malformed HTTP/1.1 request.")
TOO_LARGE = Fault(413, "The request exceeds the limit of 16 MB.")
HEAD_TOO_LARGE = Fault(400, "The request line and headers exceed the limit of 16 KB.")
TIMED_OUT = Fault(408, "Timed out while receiving the request.")
OVERLOADED = Fault(503, "The server is receiving too many large requests at the same time. Send the request again.")

BodyCheck = Callable[[HttpRequest], bool]


class RequestParser:
    """Parses bytes into `requests`. A fault ends the parsing and becomes the last entry.

    `keeps_body` receives the head of a request whose body has not arrived completely. If it returns False, the server
    rejects the request for any body, so the parser discards the body.
    """

    def __init__(self, keeps_body: BodyCheck | None = None) -> None:
        self._keeps_body = keeps_body
        self.requests: deque[HttpRequest | Fault] = deque()
        self.ended = False
        self.in_message = False
        self.expects_continue = False
        self.holds_large_body = False
        """Whether a large body has arrived since the owner of the parser last reset this flag."""
        self._start_parser()

    def _start_parser(self) -> None:
        # This is a reference cycle. `discard` breaks it.
        self._parser = httptools.HttpRequestParser(self)
        self._url = b""
        self._headers: dict[bytes, bytes] = {}
        self._repeated: dict[bytes, bytes] = {}
        self._head = self._headers
        self._body: bytes | bytearray = b""
        self._discards = self._is_checked = False
        self._in_head = False
        self._head_bytes = 0
        self._began_here = self._got_body = False
        self._message_bytes = self._bytes_without_body = 0

    @property
    def held_bytes(self) -> int:
        """The size of the bodies in memory: of the incomplete request, and of the requests that wait for a response."""
        return len(self._body) + sum(len(each.body) for each in self.requests if isinstance(each, HttpRequest))

    def discard(self) -> None:
        """Stop parsing and release all memory at once, without waiting for the garbage collector."""
        self.ended = True
        self.requests.clear()
        self._url = self._body = b""
        self._headers = self._head = {}
        del self._parser

    def feed(self, data: bytes) -> None:
        """Parse more bytes. Do not call this method after `ended` is set."""
        self._got_body = False
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._ignore_upgrade(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            self.end(MALFORMED)
            return
        if self.in_message and not self.ended:
            self._measure(len(data))
            if self._keeps_body is not None and not (self._in_head or self._is_checked or self.ended):
                self._check_head(self._keeps_body)

    def _ignore_upgrade(self, rest: bytes) -> None:
        """Parse a request again without its Upgrade header (HTTP/2 or another protocol), which stops the parser.

        Java's HTTP client offers an upgrade with every request. If the server ignores it, the client continues in
        HTTP/1.1.
        """
        offer = self.requests[-1]
        if not isinstance(offer, HttpRequest) or offer.method == b"CONNECT":
            self.end(MALFORMED)
            return
        self.requests.pop()
        self.ended = False
        self._start_parser()
        ignored = (b"upgrade", b"http2-settings", b"connection")
        lines = b"".join(b"%b: %b\r\n" % item for item in offer.headers.items() if item[0] not in ignored)
        closing = b"" if offer.keep_alive else b"connection: close\r\n"
        self.feed(b"%b %b HTTP/1.1\r\n%b%b\r\n%b" % (offer.method, offer.url, lines, closing, rest))

    def end(self, fault: Fault) -> None:
        """Stop parsing, and queue a fault for the client after the complete requests."""
        if not self.ended:
            self.ended = True
            self.expects_continue = False
            self._body = b""
            self.requests.append(fault)

    def _measure(self, length: int) -> None:
        """Limit the length of an incomplete message, and the bytes before and after its body, such as trailers."""
        if self._began_here:  # the data can also contain earlier requests
            self._began_here = False
            return
        self._message_bytes += length
        self._bytes_without_body = 0 if self._got_body else self._bytes_without_body + length
        if self._bytes_without_body > HEAD_BYTES_MAX:
            self.end(HEAD_TOO_LARGE)
        elif self._message_bytes > _MESSAGE_BYTES_MAX:
            self.end(TOO_LARGE)

    def _check_head(self, keeps_body: BodyCheck) -> None:
        """Decide whether to keep the body. If not, a client that expects `100 Continue` gets its response at once."""
        self._is_checked = True
        request = HttpRequest(
            self._parser.get_method(), self._url, self._head, b"", keep_alive=False, repeated=self._repeated
        )
        if keeps_body(request):
            return
        self._discards = True
        self._body = b""
        if self.expects_continue:
            self.expects_continue = False
            self.ended = True
            self.requests.append(request)

    # httptools calls these methods.

    def on_message_begin(self) -> None:
        """Start a request."""
        self.in_message = self._in_head = self._began_here = True
        self._url = b""
        self._headers = {}
        if self._repeated:
            self._repeated = {}
        self._body = b""
        self._discards = self._is_checked = False
        self._message_bytes = self._bytes_without_body = 0
        self._head_bytes = _REQUEST_LINE_BYTES + _EMPTY_LINE_BYTES

    def on_url(self, url: bytes) -> None:
        """Append a part of the request target."""
        self._url += url
        self._head_bytes += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header. If a header is repeated, its last value counts; for Accept-Encoding, the first one counts.

        DynamoDB considers only the first Accept-Encoding (tests of Alternator that pass on DynamoDB).
        """
        lowered = name.lower()
        self._head_bytes += len(name) + len(value) + _HEADER_LINE_BYTES
        if lowered in self._headers:
            first = self._headers[lowered]
            self._repeated[lowered] = b"%b,%b" % (self._repeated.get(lowered, first), value)
            if lowered == b"accept-encoding":
                value = first
        self._headers[lowered] = value
        if self._head_bytes > HEAD_BYTES_MAX:
            self.end(HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Check the complete head. Reject a large Content-Length before the client sends the body."""
        self._in_head = False
        self._head = headers = self._headers
        self._headers = {}  # receives the trailers of a chunked body, which the server ignores
        length = headers.get(b"content-length", b"")
        if self._head_bytes + len(self._parser.get_method()) > HEAD_BYTES_MAX:
            self.end(HEAD_TOO_LARGE)
        elif len(length) >= _DIGITS_OF_LONG_BODIES and int(length) > REQUEST_BYTES_MAX:
            self.end(TOO_LARGE)
        elif b"expect" in headers:
            expected = headers[b"expect"].lower() == b"100-continue"
            self.expects_continue = expected and self._parser.get_http_version() == "1.1" and not self.ended

    def on_body(self, body: bytes) -> None:
        """Append a part of the body. Most bodies arrive as one part."""
        self._got_body = True
        if self.ended or self._discards:
            return
        have = self._body
        if not have:
            self._body = have = body
        elif isinstance(have, bytearray):
            have += body
        else:
            self._body = have = bytearray(have)
            have += body
        if len(have) >= LARGE_BODY_BYTES_MIN:
            self.holds_large_body = True
            if len(have) > REQUEST_BYTES_MAX:
                self.end(TOO_LARGE)

    def on_message_complete(self) -> None:
        """Queue the complete request. A request that closes the connection is the last one."""
        self.in_message = self.expects_continue = False
        if self.ended:
            return
        parser = self._parser
        keep_alive = parser.should_keep_alive()
        self.ended = not keep_alive
        body, self._body = bytes(self._body), b""
        self.requests.append(HttpRequest(parser.get_method(), self._url, self._head, body, keep_alive, self._repeated))
