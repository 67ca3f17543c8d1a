"""From a whole HTTP request to its answer: what the API's front door says itself, and what it asks the engine."""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Callable

from singletable.engine.http.content_coding import (
    COMPRESSED_BYTES_MIN,
    NotDecodable,
    TooLarge,
    chosen_coding,
    compressed,
    decoded_body,
)
from singletable.engine.http.message import JSON_1_0, REQUEST_ID_BITS, Request, RespondingEngine, Response
from singletable.engine.http.reader import REQUEST_BYTES_MAX, TOO_LARGE, Fault
from singletable.errors import RequestRefused
from singletable.wire.refusal import refusal_body, refusal_status

# What a request may call its body, and how its answer is then called. The service knows no 1.1; clients do.
_CONTENT_TYPES = {
    JSON_1_0: JSON_1_0,
    b"application/x-amz-json-1.1": b"application/x-amz-json-1.1",
    b"application/json": b"application/json",
    b"": b"application/json",
}
_UNKNOWN_OPERATION = b"<UnknownOperationException/>\n"
_INTERNAL_ERROR = RequestRefused(
    "InternalServerError", "The server encountered an internal error trying to fulfill the request."
)
_TOO_LARGE = RequestRefused("RequestEntityTooLarge", TOO_LARGE.words)
_CORS = b"Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: x-amzn-RequestId, x-amz-crc32\r\n"
_PREFLIGHT_SECONDS = 172800
_PREFLIGHT_HEADERS = {
    b"access-control-request-headers": b"Access-Control-Allow-Headers",
    b"access-control-request-method": b"Access-Control-Allow-Methods",
}

Check = Callable[[Request], None]


class Service:
    """Answers requests one at a time; `check`, when there is one, refuses those that nobody known has signed."""

    def __init__(
        self,
        engine: RespondingEngine,
        *,
        check: Check | None = None,
        region: str = "us-east-1",
        chance: random.Random | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        self._respond = engine.respond
        self.together = engine.together
        self._check = check
        # The space at the end is the service's.
        self._health = f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        self._draw = (chance or random.Random()).getrandbits  # noqa: S311  # request ids are no secret
        self._log = log or _log_to_stderr

    def answer(self, request: Request) -> Response:
        """The answer, whatever the request is; of a fault of ours the client learns only that there was one."""
        headers = request.headers
        content_type = headers.get(b"content-type", b"")
        answer_type = _CONTENT_TYPES.get(content_type) or _CONTENT_TYPES.get(content_type.partition(b";")[0].strip())
        body = request.body
        if request.method != b"POST" or answer_type is None or (body and not content_type):
            return self._answer_other(request)
        extra = _CORS if b"origin" in headers else b""
        try:
            if self._check is not None:
                self._check(request)
            if b"content-encoding" in headers:
                body = decoded_body(request, REQUEST_BYTES_MAX)
            answer = self._respond(headers.get(b"x-amz-target", b"").decode("latin-1"), body)
            body = answer.body
            if len(body) > COMPRESSED_BYTES_MIN and b"accept-encoding" in headers:
                coding = chosen_coding(headers[b"accept-encoding"])
                if coding is not None:
                    body = compressed(body, coding)
                    extra += b"Content-Encoding: %b\r\n" % coding.encode()
            return Response(answer.status, body, self._draw(REQUEST_ID_BITS), answer_type, extra, answer.wrote)
        except RequestRefused as refusal:
            return self._refused(refusal, self._next_id(), answer_type, extra)
        except TooLarge:
            return self._refused(_TOO_LARGE, self._next_id(), answer_type, extra)
        except NotDecodable:  # captured against the service, which calls it an error of its own
            return self._refused(_INTERNAL_ERROR, self._next_id(), answer_type, extra)
        except Exception as problem:
            return self.failed(problem, headers)

    def failed(self, problem: BaseException, headers: dict[bytes, bytes]) -> Response:
        """The answer to a request that we could not answer, for a reason that only the log gets to see."""
        request_id = self._next_id()
        self._log(f"request {request_id:052X} failed\n{''.join(traceback.format_exception(problem))}")
        return self._refused(_INTERNAL_ERROR, request_id, JSON_1_0, _cors(headers))

    def refuse(self, fault: Fault) -> Response:
        """The answer to what was not even read to its end."""
        if fault is TOO_LARGE:
            return self._refused(_TOO_LARGE, self._next_id(), JSON_1_0, b"")
        return Response(fault.status, fault.words.encode(), self._next_id(), b"text/plain")

    def _next_id(self) -> int:
        return self._draw(REQUEST_ID_BITS)

    def _refused(self, refusal: RequestRefused, request_id: int, content_type: bytes, extra: bytes) -> Response:
        return Response(refusal_status(refusal), refusal_body(refusal), request_id, content_type, extra)

    def _answer_other(self, request: Request) -> Response:
        """Requests that are none of the API: health checks, the preflights of browsers, and mistakes."""
        method, headers = request.method, request.headers
        if method == b"OPTIONS" and b"origin" in headers:
            return Response(200, b"", self._next_id(), b"text/plain", _preflight(headers))
        if method in (b"GET", b"HEAD"):
            response_id, bodiless = self._next_id(), method == b"HEAD"
            return Response(200, self._health, response_id, b"text/plain", _cors(headers), bodiless=bodiless)
        return Response(404, _UNKNOWN_OPERATION, self._next_id(), b"text/xml", _cors(headers))


def _cors(headers: dict[bytes, bytes]) -> bytes:
    return _CORS if b"origin" in headers else b""


def _preflight(headers: dict[bytes, bytes]) -> bytes:
    """What a browser asks whether it may, it may."""
    lines = [_CORS, b"Access-Control-Max-Age: %d\r\n" % _PREFLIGHT_SECONDS]
    for asked, allowed in _PREFLIGHT_HEADERS.items():
        if asked in headers:
            lines.append(b"%b: %b\r\n" % (allowed, headers[asked]))
    return b"".join(lines)


def _log_to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
