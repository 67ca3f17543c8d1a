"""The HTTP service: its own responses, its calls of the engine, and the responses made from engine replies."""

from __future__ import annotations

import gzip
import random
import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.browser_guard import BrowserGuard
from singletable.engine.http.content_coding import COMPRESSED_BYTES_MIN
from singletable.engine.http.http_messages import REQUEST_ID_BITS, HttpRequest, HttpResponse
from singletable.engine.http.request_handler import Service
from singletable.engine.http.request_parser import MALFORMED, REQUEST_BYTES_MAX, TOO_LARGE
from singletable.errors import RequestRefused
from tests.engine.http.server_under_test import FakeEngine


def service(**options: Any) -> Service:
    return Service(FakeEngine(), **options)


def request(action: str = "Echo", body: bytes = b"{}", method: str = "POST", **headers: str) -> HttpRequest:
    given = {"x-amz-target": f"DynamoDB_20120810.{action}", "content-type": "application/x-amz-json-1.0"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpRequest(method.encode(), b"/", {name.encode(): v.encode() for name, v in given.items() if v}, body, True)


def error(response: HttpResponse) -> tuple[int, str]:
    return response.status, msgspec.json.decode(response.body)["__type"].rpartition("#")[2]


def test_the_request_handler_passes_the_target_and_the_body_to_the_engine() -> None:
    engine = FakeEngine()
    response = Service(engine).answer(request("Echo", b'{"a":1}'))
    assert engine.requests == [("DynamoDB_20120810.Echo", b'{"a":1}')]
    assert (response.status, response.body, response.wrote) == (200, b'{"a":1}', False)


def test_the_request_handler_lets_the_engine_reject_a_request_without_a_target() -> None:
    engine = FakeEngine()
    assert error(Service(engine).answer(request(x_amz_target=""))) == (400, "UnknownOperationException")
    assert engine.requests == [("", b"{}")]


@pytest.mark.parametrize(
    ("content_type", "answered"),
    [
        ("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
        ("application/x-amz-json-1.1", "application/x-amz-json-1.1"),
        ("application/json", "application/json"),
        (" application/json  ;  charset=utf-8", "application/json"),
        ("application/x-amz-json-1.0;blahblah", "application/x-amz-json-1.0"),
    ],
)
def test_a_response_of_the_request_handler_has_the_content_type_of_its_request(
    content_type: str, answered: str
) -> None:
    assert service().answer(request(content_type=content_type)).content_type == answered.encode()


# All of these were captured from the service.
@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_the_request_handler_treats_other_methods_as_unknown_operations(method: str) -> None:
    response = service().answer(request(method=method))
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")
    assert zlib.crc32(response.body) == 3552371480


@pytest.mark.parametrize("content_type", ["", "whatever", "application/jsonasdf", "application/x-www-form-urlencoded"])
def test_the_request_handler_treats_a_content_type_other_than_json_as_an_unknown_operation(content_type: str) -> None:
    response = service().answer(request(content_type=content_type))
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")


def test_the_request_handler_answers_a_get_request_as_a_health_check() -> None:
    response = service(region="eu-west-1").answer(request(method="GET"))
    assert (response.status, response.body) == (200, b"healthy: dynamodb.eu-west-1.amazonaws.com ")
    assert not response.bodiless
    assert zlib.crc32(service().answer(request(method="GET")).body) == 3128867991
    assert service().answer(request(method="HEAD")).bodiless


@pytest.mark.parametrize(("method", "action"), [("POST", "Echo"), ("GET", ""), ("OPTIONS", ""), ("POST", "Write")])
def test_the_request_handler_rejects_a_web_page_and_explains_how_to_allow_it(method: str, action: str) -> None:
    engine = FakeEngine()
    response = Service(engine).answer(request(action, method=method, origin="https://pages.example"))
    assert error(response) == (403, "AccessDeniedException")
    assert "--allow-origin https://pages.example" in msgspec.json.decode(response.body)["message"]
    assert (response.extra, engine.requests) == (b"", [])


def test_the_request_handler_rejects_a_host_name_that_resolves_to_this_machine() -> None:
    engine = FakeEngine()
    response = Service(engine).answer(request(host="rebound.example:8000"))
    assert error(response) == (403, "AccessDeniedException")
    assert "--allow-host rebound.example" in msgspec.json.decode(response.body)["message"]
    assert engine.requests == []


def test_the_request_handler_with_a_signature_check_needs_no_browser_guard() -> None:
    signed = Service(FakeEngine(), check=lambda _: None)
    response = signed.answer(request(origin="https://pages.example", host="dynamodb.internal"))
    assert (response.status, response.extra[:30]) == (200, b"Access-Control-Allow-Origin: *")


@pytest.mark.parametrize("action", ["Echo", "Refuse", "Break"])
def test_the_request_handler_allows_a_browser_to_read_every_response_by_cors_headers(action: str) -> None:
    guard = BrowserGuard(origins=["http://localhost:8001"])
    response = service(log=lambda _: None, guard=guard).answer(request(action, origin="http://localhost:8001"))
    assert response.extra.startswith(b"Access-Control-Allow-Origin: http://localhost:8001\r\n")
    assert service(log=lambda _: None, guard=guard).answer(request(action)).extra == b""


def test_the_request_handler_logs_an_internal_error_and_hides_it_from_the_client() -> None:
    logged: list[str] = []
    response = service(log=logged.append).answer(request("Break"))
    assert error(response) == (500, "InternalServerError")
    assert b"ingredient" not in response.body
    assert b"Runtime" not in response.body
    (text,) = logged
    assert f"{response.request_id:052X}" in text
    assert "RuntimeError: the secret ingredient" in text


def test_the_request_handler_logs_to_standard_error_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    service().answer(request("Break"))
    assert "RuntimeError: the secret ingredient" in capsys.readouterr().err


def test_the_request_handler_turns_a_parser_fault_into_an_error_response() -> None:
    assert error(service().reject(TOO_LARGE)) == (413, "RequestEntityTooLarge")
    assert service().reject(MALFORMED).status == 400


def test_the_request_handler_creates_different_request_ids_of_52_characters() -> None:
    chosen = [service().answer(request()).request_id for _ in range(100)]
    assert len(set(chosen)) == 100
    assert all(0 <= each < 1 << REQUEST_ID_BITS for each in chosen)
    assert len(f"{(1 << REQUEST_ID_BITS) - 1:052X}") == 52
    again = [service(chance=random.Random(7)).answer(request()).request_id for _ in range(2)]
    assert again[0] == again[1]


@given(
    st.integers(COMPRESSED_BYTES_MIN - 2, COMPRESSED_BYTES_MIN + 2),
    st.sampled_from(["gzip", "deflate", "identity", ""]),
)
def test_the_request_handler_compresses_long_responses_if_the_client_accepts_it(length: int, accepted: str) -> None:
    body = b"x" * length
    response = service().answer(request("Echo", body, accept_encoding=accepted))
    if length <= COMPRESSED_BYTES_MIN or accepted in ("identity", ""):
        assert (response.body, response.extra) == (body, b"")
    else:
        decompressed = gzip.decompress(response.body) if accepted == "gzip" else zlib.decompress(response.body)
        assert decompressed == body
        assert response.extra == f"Content-Encoding: {accepted}\r\n".encode()


def test_the_request_handler_decompresses_a_gzip_request_for_the_engine() -> None:
    response = service().answer(request("Echo", gzip.compress(b'{"a":1}'), content_encoding="gzip"))
    assert response.body == b'{"a":1}'


def test_the_request_handler_answers_an_undecodable_request_with_the_error_of_dynamodb() -> None:
    engine = FakeEngine()
    answer = Service(engine).answer
    assert error(answer(request("Echo", b"{}", content_encoding="gzip"))) == (500, "InternalServerError")
    bomb = gzip.compress(bytes(REQUEST_BYTES_MAX + 1))
    assert error(answer(request("Echo", bomb, content_encoding="gzip"))) == (413, "RequestEntityTooLarge")
    assert engine.requests == []


def test_the_request_handler_does_not_pass_an_unsigned_request_to_the_engine() -> None:
    def check(_: HttpRequest) -> None:
        raise RequestRefused("MissingAuthenticationTokenException", "Request is missing Authentication Token")

    engine = FakeEngine()
    response = Service(engine, check=check).answer(request(content_encoding="gzip"))
    assert error(response) == (400, "MissingAuthenticationTokenException")
    assert zlib.crc32(response.body) == 2088342776, "the service's own body has another checksum"
    assert engine.requests == []
    assert Service(engine, check=check).answer(request(method="GET")).status == 200


@given(st.binary(), st.dictionaries(st.binary(), st.binary()), st.sampled_from([b"POST", b"GET", b"OPTIONS", b"X"]))
def test_the_request_handler_answers_every_request(body: bytes, headers: dict[bytes, bytes], method: bytes) -> None:
    assert service().answer(HttpRequest(method, b"/", headers, body, True)).status in (200, 400, 403, 404, 500)
