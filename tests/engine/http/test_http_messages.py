"""Response heads: their content, and the parts that are cached for a second."""

from __future__ import annotations

from http.client import HTTPResponse
from io import BytesIO
from typing import Any
from zlib import crc32

import pytest

from singletable.engine.http.http_messages import HttpResponse
from singletable.engine.http.server_state import HeadWriter

NOON = 1_775_822_400.0  # 2026-04-10T12:00:00Z


def parsed(head: bytes) -> HTTPResponse:
    class Socket:
        def makefile(self, *_: Any, **__: Any) -> BytesIO:
            return BytesIO(head)

    response = HTTPResponse(Socket())  # type: ignore[arg-type]  # it only calls makefile
    response.begin()
    return response


@pytest.mark.parametrize("status", [200, 400, 404, 408, 413, 431, 500])
@pytest.mark.parametrize("keep_alive", [True, False])
def test_the_http_messages_of_responses_have_the_headers_of_dynamodb(status: int, keep_alive: bool) -> None:
    response = HttpResponse(status, b'{"a":1}', 10**60, b"application/x-amz-json-1.1")
    head = parsed(HeadWriter(lambda: NOON).write(response, keep_alive))
    assert head.status == status
    assert dict(head.getheaders()) == {
        "Server": "Server",
        "Date": "Fri, 10 Apr 2026 12:00:00 GMT",
        "Content-Type": "application/x-amz-json-1.1",
        "Connection": "keep-alive" if keep_alive else "close",
        "Content-Length": "7",
        "x-amzn-RequestId": f"{10**60:052X}",
        "x-amz-crc32": str(crc32(b'{"a":1}')),
    }
    assert len(head.getheaders()) == 7


def test_the_date_in_http_messages_follows_the_clock() -> None:
    now = NOON
    writer = HeadWriter(lambda: now)
    response = HttpResponse(200, b"", 1)
    assert b"12:00:00 GMT" in writer.write(response, True)
    now += 0.9
    assert b"12:00:00 GMT" in writer.write(response, True)
    now += 0.1
    assert b"12:00:01 GMT" in writer.write(response, True)


def test_extra_header_lines_come_last_in_http_messages() -> None:
    head = HeadWriter(lambda: NOON).write(HttpResponse(200, b"", 1, extra=b"Content-Encoding: gzip\r\n"), True)
    assert head.endswith(b"\r\nContent-Encoding: gzip\r\n\r\n")
