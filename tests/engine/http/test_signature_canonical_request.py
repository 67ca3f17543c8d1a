"""Computed signatures compared with AWS's own example, and queries in their canonical form."""

from __future__ import annotations

import pytest

from singletable.engine.http.http_messages import HttpRequest
from singletable.engine.http.signature import compute_signature, query_parameters
from singletable.wire.signing import Scope

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
MOMENT = "20150830T123600Z"
SCOPE = Scope("20150830", "us-east-1", "service")


def test_the_http_server_computes_the_signature_of_the_aws_test_suite_to_check_a_request() -> None:
    headers = {b"host": b"example.amazonaws.com", b"x-amz-date": MOMENT.encode()}
    request = HttpRequest(b"GET", b"/", headers, b"", True)
    assert compute_signature(SECRET, MOMENT, SCOPE, request, (), ("host", "x-amz-date")) == (
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    )


@pytest.mark.parametrize(
    ("url", "query"),
    [
        (b"/", []),
        (b"/?", []),
        (b"/?a", [("a", "")]),
        (b"/?b=2&a=1&a=0", [("b", "2"), ("a", "1"), ("a", "0")]),
        (b"/?a=b%20c+d=e&&%C3%A4=%FF", [("a", "b c+d=e"), ("ä", "\udcff")]),
    ],
)
def test_a_query_is_decoded_in_its_order_for_the_signature(url: bytes, query: list[tuple[str, str]]) -> None:
    assert query_parameters(HttpRequest(b"GET", url, {}, b"", True)) == query


def test_the_order_of_a_query_does_not_change_its_signature() -> None:
    def signed(url: bytes) -> str:
        request = HttpRequest(b"GET", url, {b"host": b"h"}, b"", True)
        return compute_signature(SECRET, MOMENT, SCOPE, request, query_parameters(request), ("host",))

    assert signed(b"/?b=2&a=1&a=0") == signed(b"/?a=0&a=1&b=2&X-Amz-Signature=anything")
    assert signed(b"/?a=%7e%2F") == signed(b"/?a=~/")
    assert signed(b"/?a=1") != signed(b"/?a=2")


def test_the_signature_of_a_repeated_header_covers_all_its_values() -> None:
    def signed(headers: dict[bytes, bytes], repeated: dict[bytes, bytes]) -> str:
        request = HttpRequest(b"POST", b"/", headers, b"", True, repeated)
        return compute_signature(SECRET, MOMENT, SCOPE, request, (), ("accept-encoding",))

    once = signed({b"accept-encoding": b"gzip,identity"}, {})
    assert signed({b"accept-encoding": b"gzip"}, {b"accept-encoding": b"gzip,identity"}) == once
    assert signed({b"accept-encoding": b"gzip"}, {}) != once
