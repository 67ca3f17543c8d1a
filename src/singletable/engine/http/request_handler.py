"""The service of the HTTP server: turns a complete HTTP request into a response, and calls the engine for API calls."""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Callable

from singletable.engine.http.browser_guard import ALLOW_ALL, BrowserGuard
from singletable.engine.http.content_coding import (
    COMPRESSED_BYTES_MIN,
    NotDecodable,
    TooLarge,
    chosen_coding,
    compressed,
    decoded_body,
)
from singletable.engine.http.http_messages import JSON_1_0, REQUEST_ID_BITS, HttpRequest, HttpResponse, RespondingEngine
from singletable.engine.http.request_parser import REQUEST_BYTES_MAX, TOO_LARGE, Fault
from singletable.engine.storage.sqlite_errors import WriterBusy
from singletable.errors import RequestRefused
from singletable.wire.error_responses import error_body, error_status

# The content type of the response, for each content type of a request. Some clients send version 1.1, which DynamoDB
# does not support.
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
_TOO_LARGE = RequestRefused("RequestEntityTooLarge", TOO_LARGE.message)
RequestCheck = Callable[[HttpRequest], None]
EngineOf = Callable[[HttpRequest], RespondingEngine]


class Service:
    """Answers one request at a time.

    If `check` is given, it rejects requests without a valid signature. If `check` is not given, `guard` rejects
    requests from web pages. `head_check` makes those checks that do not need the body. `engine_of` returns the engine
    with the permissions of the caller.
    """

    def __init__(
        self,
        engine: RespondingEngine,
        *,
        check: RequestCheck | None = None,
        head_check: RequestCheck | None = None,
        engine_of: EngineOf | None = None,
        guard: BrowserGuard | None = None,
        region: str = "us-east-1",
        chance: random.Random | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        self._respond = engine.respond
        self.group_commit = engine.group_commit
        self.waits = engine.waits
        self._check = check
        self._head_check = head_check
        self._engine_of = engine_of
        self._guard = guard or (BrowserGuard() if check is None else ALLOW_ALL)
        # DynamoDB's response also ends with a space.
        self._health = f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        self._draw = (chance or random.Random()).getrandbits  # noqa: S311  # request ids are not secret
        self._log = log or _log_to_stderr

    def keeps_body(self, request: HttpRequest) -> bool:
        """Return whether the body of a request is needed. The head is enough to reject a forbidden request."""
        if self._guard.problem(request.headers) is not None:
            return False
        if self._head_check is not None:
            try:
                self._head_check(request)
            except RequestRefused:
                return False
        return True

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Return the response to any request. Details of an internal error go to the log, not to the client.

        Raise WriterBusy if the request must wait for another writer and this thread does not wait.
        """
        headers = request.headers
        if (problem := self._guard.problem(headers)) is not None:
            return self._forbidden(problem)
        content_type = headers.get(b"content-type", b"")
        answer_type = _CONTENT_TYPES.get(content_type) or _CONTENT_TYPES.get(content_type.partition(b";")[0].strip())
        body = request.body
        if request.method != b"POST" or answer_type is None or (body and not content_type):
            return self._answer_non_api(request)
        extra = self._guard.cors(headers) if b"origin" in headers else b""
        try:
            if self._check is not None:
                self._check(request)
            if b"content-encoding" in headers:
                body = decoded_body(request, REQUEST_BYTES_MAX)
            respond = self._respond if self._engine_of is None else self._engine_of(request).respond
            answer = respond(headers.get(b"x-amz-target", b"").decode("latin-1"), body)
            body = answer.body
            if len(body) > COMPRESSED_BYTES_MIN and b"accept-encoding" in headers:
                coding = chosen_coding(headers[b"accept-encoding"])
                if coding is not None:
                    body = compressed(body, coding)
                    extra += b"Content-Encoding: %b\r\n" % coding.encode()
            return HttpResponse(answer.status, body, self._draw(REQUEST_ID_BITS), answer_type, extra, answer.wrote)
        except RequestRefused as error:
            return self._error(error, self._next_id(), answer_type, extra)
        except TooLarge:
            return self._error(_TOO_LARGE, self._next_id(), answer_type, extra)
        except NotDecodable:  # DynamoDB reports an internal error (captured from AWS)
            return self._error(_INTERNAL_ERROR, self._next_id(), answer_type, extra)
        except WriterBusy:
            raise
        except Exception as error:
            return self.internal_error(error, headers)

    def internal_error(self, error: BaseException, headers: dict[bytes, bytes]) -> HttpResponse:
        """Log an unexpected error, and return the response that reports an internal error."""
        request_id = self._next_id()
        self._log(f"request {request_id:052X} failed\n{''.join(traceback.format_exception(error))}")
        return self._error(_INTERNAL_ERROR, request_id, JSON_1_0, self._guard.cors(headers))

    def reject(self, fault: Fault) -> HttpResponse:
        """Return the response to a request that could not be parsed."""
        if fault is TOO_LARGE:
            return self._error(_TOO_LARGE, self._next_id(), JSON_1_0, b"")
        return HttpResponse(fault.status, fault.message.encode(), self._next_id(), b"text/plain")

    def _forbidden(self, problem: str) -> HttpResponse:
        """Return the response to a request that the guard rejects, as an error that SDKs show to the user."""
        body = error_body(RequestRefused("AccessDeniedException", problem))
        return HttpResponse(403, body, self._next_id())

    def _next_id(self) -> int:
        return self._draw(REQUEST_ID_BITS)

    def _error(self, error: RequestRefused, request_id: int, content_type: bytes, extra: bytes) -> HttpResponse:
        return HttpResponse(error_status(error), error_body(error), request_id, content_type, extra)

    def _answer_non_api(self, request: HttpRequest) -> HttpResponse:
        """Return the response to a request outside the API: a health check, a CORS preflight, or an invalid method."""
        method, headers = request.method, request.headers
        if method == b"OPTIONS" and b"origin" in headers:
            return HttpResponse(200, b"", self._next_id(), b"text/plain", self._guard.preflight(headers))
        if method in (b"GET", b"HEAD"):
            response_id, bodiless = self._next_id(), method == b"HEAD"
            return HttpResponse(
                200, self._health, response_id, b"text/plain", self._guard.cors(headers), bodiless=bodiless
            )
        return HttpResponse(404, _UNKNOWN_OPERATION, self._next_id(), b"text/xml", self._guard.cors(headers))


def _log_to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
