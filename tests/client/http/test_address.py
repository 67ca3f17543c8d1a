"""URLs: host, credentials and options. Messages contain no secrets."""

from __future__ import annotations

import asyncio
import traceback

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import ArgumentRefused, NotConnected, Retries, SingletableError
from singletable.client.http.address import Address, parse_address
from singletable.client.http.credentials import LOCAL_CREDENTIALS, Credentials
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.proxies import with_proxy
from singletable.client.open_table import transport_for
from singletable.engine.engine import Engine
from singletable.engine.http.signed_request import send_request
from tests.client.http.test_signer import headers_of
from tests.client.shop import Shop


@pytest.mark.parametrize(
    ("url", "address", "authority"),
    [
        ("http://localhost:8000", Address("localhost", 8000, False), "localhost:8000"),
        ("http://localhost:8000/", Address("localhost", 8000, False), "localhost:8000"),
        ("http://db", Address("db", 80, False), "db"),
        ("https://db.example", Address("db.example", 443, True), "db.example"),
        ("https://db.example:80", Address("db.example", 80, True), "db.example:80"),
        ("http://[::1]:8000", Address("::1", 8000, False), "[::1]:8000"),
        ("http://bücher.example", Address("xn--bcher-kva.example", 80, False), "xn--bcher-kva.example"),
    ],
)
def test_an_http_address_is_parsed_from_a_url(url: str, address: Address, authority: str) -> None:
    found, keys, options = parse_address(url)
    assert (found, keys, options) == (address, None, {})
    assert found.authority == authority


def test_an_http_address_separates_credentials_and_options() -> None:
    address, keys, options = parse_address("http://AKID:se%2Fcret@db:8000?region=eu-west-1")
    assert address.url == "http://db:8000"
    assert keys == Credentials("AKID", "se/cret")
    assert options == {"region": "eu-west-1"}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://:8000", "is not a valid address"),
        ("http://AKID:hidden@db:eight", "is not a valid address"),
        ("http://AKID:hidden@db:0", "is not a valid address"),
        ("http://AKID:hidden@db/path", "has a path"),
        ("http://AKID@db", "incomplete access key"),
        ("http://AKID:hidden@db?colour=red", "unknown option; the valid options are profile, region"),
        ("htp://AKID:hidden@db", "is not a valid URL for a table"),
        ("dynamodb://AKID:hidden@eu-west-1", "has no valid region"),
        ("dynamodb://eu-west-1/shop", "has no valid region"),
        ("dynamodb://eu-west-1?table=shop", "unknown option 'table'; the valid options are endpoint_url, profile"),
    ],
)
def test_an_http_address_rejects_an_invalid_url_without_showing_its_secret(url: str, words: str) -> None:
    with pytest.raises(ArgumentRefused, match=words) as refused:
        transport_for(url)
    assert "hidden" not in str(refused.value)


def sent_with(url: str) -> tuple[str, str, str | None]:
    """Return the access key, the region and the token that a transport signs with."""
    transport = transport_for(url)
    assert isinstance(transport, HttpTransport)
    headers = headers_of(transport._signer.request("GetItem", b"{}"))
    key_id, _, region, _, _ = headers["authorization"].split("Credential=")[1].split(",")[0].split("/")
    shown = f"{transport!r} {transport.name}"
    assert key_id not in shown
    transport.close()
    return key_id, region, headers.get("x-amz-security-token")


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION", "DEFAULT_REGION", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)


def test_http_credentials_come_from_the_url_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sent_with("http://db:8000") == (LOCAL_CREDENTIALS.key_id, "us-east-1", None)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "FROMENV")
    assert sent_with("http://db:8000")[0] == LOCAL_CREDENTIALS.key_id  # an incomplete key is ignored
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "TOKEN")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    assert sent_with("http://db:8000") == ("FROMENV", "eu-west-1", "TOKEN")
    assert sent_with("http://URLKEY:hidden@db:8000?region=ap-south-1") == ("URLKEY", "ap-south-1", None)


def test_http_credentials_of_a_profile_are_read_by_botocore(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "credentials"
    file.write_text("[shop]\naws_access_key_id = PROFILED\naws_secret_access_key = hidden\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    assert sent_with("http://db:8000?profile=shop")[0] == "PROFILED"
    with pytest.raises(NotConnected, match="nobody"):
        transport_for("http://db:8000?profile=nobody")


FORMS = [
    "http://AKID:{}@127.0.0.1:1",
    "http://{}@127.0.0.1:1",
    "http://AKID:{}@127.0.0.1:eight",
    "http://AKID:{}@127.0.0.1:1?colour=red",
    "http:/AKID:{}@127.0.0.1:1",
    "htp://AKID:{}@127.0.0.1:1",
    "AKID:{}@127.0.0.1:1",
    "dynamodb://AKID:{}@eu-west-1",
    "dynamodb://eu-west-1?endpoint_url=http://AKID:{}@127.0.0.1:1",
]
BESIDE_SECRET = st.text("aZ9/?#@:%[]=&;\\ \u2100", max_size=5)
"""Characters that end a part of a URL, that `urlsplit` rejects with a message, or that it normalizes."""


@pytest.mark.parametrize("form", FORMS)
@given(before=BESIDE_SECRET, after=BESIDE_SECRET)
@settings(max_examples=6)
def test_no_message_about_an_http_address_shows_its_secret(form: str, before: str, after: str) -> None:
    url = form.format(f"{before}hidden{after}")
    once = Retries(attempts=1)
    for use in (
        lambda: repr(transport_for(url)),
        lambda: Shop.open(url, retries=once, credentials=Credentials("AKID", "x")),
        lambda: asyncio.run(Shop.open_async(url, retries=once)),
        lambda: send_request(url, "ListTables", {}),
        lambda: repr(with_proxy(Address("db.example", 443, True), {"HTTPS_PROXY": url})),
        lambda: Engine(url).close(),
    ):
        try:
            shown = str(use())
        except SingletableError as refused:
            shown = "".join(traceback.format_exception(refused))
        assert "hidden" not in shown
