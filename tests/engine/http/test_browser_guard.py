"""The Host and Origin headers that the server accepts, and its CORS headers."""

from __future__ import annotations

import pytest

from singletable.engine.http.browser_guard import ALLOW_ALL, BrowserGuard


def problem(guard: BrowserGuard, **headers: str) -> str | None:
    return guard.problem({name.encode(): value.encode() for name, value in headers.items()})


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.1:8000", "192.168.1.7:8000", "[::1]", "[::1]:8000", "[fe80::1]:80"),
        *("localhost", "localhost:8000", "LOCALHOST:8000", "localhost.:8000", "table.localhost:8000"),
    ],
)
def test_the_browser_guard_accepts_ip_addresses_and_localhost(host: str) -> None:
    guard = BrowserGuard()
    assert problem(guard, host=host) is None
    assert problem(guard, host=host) is None  # from the set of accepted hosts


@pytest.mark.parametrize(
    "host",
    [
        *("pages.example", "pages.example:8000", "127.0.0.1.pages.example", "localhost.pages.example", "notlocalhost"),
        *("", "127.0.0.1:8000:1", "[::1", "127.0.0.1@pages.example", "localhost pages.example", "[pages.example]"),
    ],
)
def test_the_browser_guard_rejects_other_hosts(host: str) -> None:
    guard = BrowserGuard()
    for _ in range(2):
        text = problem(guard, host=host)
        assert text is not None
        assert repr(host) in text
        assert "--allow-host" in text


def test_the_browser_guard_accepts_allowed_hosts() -> None:
    guard = BrowserGuard(hosts=["DynamoDB"])
    assert problem(guard, host="dynamodb:8000") is None
    assert problem(guard, host="dynamodb2:8000") is not None


def test_the_browser_guard_accepts_a_request_without_a_host() -> None:
    assert problem(BrowserGuard()) is None


@pytest.mark.parametrize(
    "origin", ["https://pages.example", "null", "", "http://localhost:8001", "http://127.0.0.1:8000"]
)
def test_the_browser_guard_rejects_every_origin_that_is_not_allowed(origin: str) -> None:
    text = problem(BrowserGuard(origins=["http://localhost:8002"]), host="localhost", origin=origin)
    assert text is not None
    assert f"--allow-origin {origin}" in text


def test_the_browser_guard_allows_an_origin_by_its_exact_name() -> None:
    guard = BrowserGuard(origins=["http://Localhost:8001/"])
    assert problem(guard, host="localhost", origin="http://localhost:8001") is None
    assert problem(guard, host="localhost", origin="http://localhost:80010") is not None
    assert problem(guard, host="localhost", origin="https://localhost:8001") is not None


def test_the_browser_guard_checks_the_host_of_an_allowed_origin_too() -> None:
    assert problem(BrowserGuard(origins=["http://a.example"]), host="a.example", origin="http://a.example") is not None


def test_the_browser_guard_of_a_server_with_access_keys_accepts_everything() -> None:
    assert problem(ALLOW_ALL, host="pages.example", origin="https://pages.example") is None
    assert ALLOW_ALL.cors({b"origin": b"https://pages.example"}).startswith(b"Access-Control-Allow-Origin: *\r\n")


def test_the_browser_guard_remembers_only_a_limited_number_of_hosts() -> None:
    guard = BrowserGuard()
    for number in range(1000):
        assert problem(guard, host=f"127.0.0.1:{number}") is None
    assert len(guard._accepted_hosts) <= 100


def test_the_browser_guard_answers_a_preflight_of_an_allowed_origin() -> None:
    headers = {
        b"origin": b"http://localhost:8001",
        b"access-control-request-headers": b"a, b",
        b"access-control-request-method": b"POST",
    }
    assert BrowserGuard(origins=["http://localhost:8001"]).preflight(headers).decode().splitlines() == [
        "Access-Control-Allow-Origin: http://localhost:8001",
        "Vary: Origin",
        "Access-Control-Expose-Headers: x-amzn-RequestId, x-amz-crc32",
        "Access-Control-Max-Age: 172800",
        "Access-Control-Allow-Headers: a, b",
        "Access-Control-Allow-Methods: POST",
    ]
