"""What the front door answers by itself, what it asks the engine, and what becomes of the engine's answers."""

from __future__ import annotations

import gzip
import random
import zlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.http.content_coding import COMPRESSED_BYTES_MIN
from singletable.engine.http.message import REQUEST_ID_BITS, Request, Response
from singletable.engine.http.reader import MALFORMED, REQUEST_BYTES_MAX, TOO_LARGE
from singletable.engine.http.service import Service
from singletable.errors import RequestRefused
from tests.engine.http.serving import FakeEngine


def service(**options: Any) -> Service:
    return Service(FakeEngine(), **options)


def request(action: str = "Echo", body: bytes = b"{}", method: str = "POST", **headers: str) -> Request:
    given = {"x-amz-target": f"DynamoDB_20120810.{action}", "content-type": "application/x-amz-json-1.0"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method.encode(), b"/", {name.encode(): v.encode() for name, v in given.items() if v}, body, True)


def error(response: Response) -> tuple[int, str]:
    return response.status, msgspec.json.decode(response.body)["__type"].rpartition("#")[2]


def test_the_engine_gets_the_target_and_the_body() -> None:
    engine = FakeEngine()
    response = Service(engine).answer(request("Echo", b'{"a":1}'))
    assert engine.asked == [("DynamoDB_20120810.Echo", b'{"a":1}')]
    assert (response.status, response.body, response.wrote) == (200, b'{"a":1}', False)


def test_a_request_without_a_target_is_the_engines_to_refuse() -> None:
    engine = FakeEngine()
    assert error(Service(engine).answer(request(x_amz_target=""))) == (400, "UnknownOperationException")
    assert engine.asked == [("", b"{}")]


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
def test_an_answer_is_of_the_type_of_its_request(content_type: str, answered: str) -> None:
    assert service().answer(request(content_type=content_type)).content_type == answered.encode()


# Captured against the service, all of them.
@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_unknown_operations(method: str) -> None:
    response = service().answer(request(method=method))
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")
    assert zlib.crc32(response.body) == 3552371480


@pytest.mark.parametrize("content_type", ["", "whatever", "application/jsonasdf", "application/x-www-form-urlencoded"])
def test_a_body_that_is_no_json_by_its_type_is_an_unknown_operation(content_type: str) -> None:
    response = service().answer(request(content_type=content_type))
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")


def test_a_get_asks_for_health() -> None:
    response = service(region="eu-west-1").answer(request(method="GET"))
    assert (response.status, response.body) == (200, b"healthy: dynamodb.eu-west-1.amazonaws.com ")
    assert not response.bodiless
    assert zlib.crc32(service().answer(request(method="GET")).body) == 3128867991
    assert service().answer(request(method="HEAD")).bodiless


def test_a_browser_may_what_it_asks_for() -> None:
    preflight = request(
        method="OPTIONS",
        origin="http://localhost:8001",
        access_control_request_headers="a, b",
        access_control_request_method="POST",
    )
    response = service().answer(preflight)
    assert (response.status, response.body) == (200, b"")
    assert response.extra.decode().splitlines() == [
        "Access-Control-Allow-Origin: *",
        "Access-Control-Expose-Headers: x-amzn-RequestId, x-amz-crc32",
        "Access-Control-Max-Age: 172800",
        "Access-Control-Allow-Headers: a, b",
        "Access-Control-Allow-Methods: POST",
    ]


@pytest.mark.parametrize("action", ["Echo", "Refuse", "Break"])
def test_a_browser_may_read_every_answer(action: str) -> None:
    response = service(log=lambda _: None).answer(request(action, origin="http://localhost:8001"))
    assert response.extra.startswith(b"Access-Control-Allow-Origin: *\r\n")
    assert service(log=lambda _: None).answer(request(action)).extra == b""


def test_a_fault_of_ours_is_told_to_the_log_and_not_to_the_client() -> None:
    logged: list[str] = []
    response = service(log=logged.append).answer(request("Break"))
    assert error(response) == (500, "InternalServerError")
    assert b"ingredient" not in response.body
    assert b"Runtime" not in response.body
    (text,) = logged
    assert f"{response.request_id:052X}" in text
    assert "RuntimeError: the secret ingredient" in text


def test_a_log_is_the_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    service().answer(request("Break"))
    assert "RuntimeError: the secret ingredient" in capsys.readouterr().err


def test_what_is_no_request_is_told_so() -> None:
    assert error(service().refuse(TOO_LARGE)) == (413, "RequestEntityTooLarge")
    assert service().refuse(MALFORMED).status == 400


def test_request_ids_have_52_characters_and_differ() -> None:
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
def test_long_answers_are_compressed_when_the_client_asks(length: int, accepted: str) -> None:
    body = b"x" * length
    response = service().answer(request("Echo", body, accept_encoding=accepted))
    if length <= COMPRESSED_BYTES_MIN or accepted in ("identity", ""):
        assert (response.body, response.extra) == (body, b"")
    else:
        decompressed = gzip.decompress(response.body) if accepted == "gzip" else zlib.decompress(response.body)
        assert decompressed == body
        assert response.extra == f"Content-Encoding: {accepted}\r\n".encode()


def test_a_gzipped_request_is_unpacked_for_the_engine() -> None:
    response = service().answer(request("Echo", gzip.compress(b'{"a":1}'), content_encoding="gzip"))
    assert response.body == b'{"a":1}'


def test_a_request_that_cannot_be_unpacked_fails_as_the_service_lets_it_fail() -> None:
    engine = FakeEngine()
    answer = Service(engine).answer
    assert error(answer(request("Echo", b"{}", content_encoding="gzip"))) == (500, "InternalServerError")
    bomb = gzip.compress(bytes(REQUEST_BYTES_MAX + 1))
    assert error(answer(request("Echo", bomb, content_encoding="gzip"))) == (413, "RequestEntityTooLarge")
    assert engine.asked == []


def test_nothing_of_an_unsigned_request_reaches_the_engine() -> None:
    def check(_: Request) -> None:
        raise RequestRefused("MissingAuthenticationTokenException", "Request is missing Authentication Token")

    engine = FakeEngine()
    response = Service(engine, check=check).answer(request(content_encoding="gzip"))
    assert error(response) == (400, "MissingAuthenticationTokenException")
    assert zlib.crc32(response.body) == 2088342776, "the service's own body has another checksum"
    assert engine.asked == []
    assert Service(engine, check=check).answer(request(method="GET")).status == 200


@given(st.binary(), st.dictionaries(st.binary(), st.binary()), st.sampled_from([b"POST", b"GET", b"OPTIONS", b"X"]))
def test_every_request_is_answered(body: bytes, headers: dict[bytes, bytes], method: bytes) -> None:
    assert service().answer(Request(method, b"/", headers, body, True)).status in (200, 400, 404, 500)
