"""Credentials: values, mappings of STS, botocore's objects, functions that return them, and sessions."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.credentials import Credentials as BotocoreKeys  # type: ignore[import-untyped]
from botocore.session import Session as BotocoreSession  # type: ignore[import-untyped]

from singletable import ArgumentRefused, Credentials, Retries
from singletable.client.http.credentials import CredentialsFunction
from singletable.client.http.http_transport import HttpTransport
from singletable.client.open_table import transport_for
from singletable.engine import Engine
from tests.client.http.scripted import scripted
from tests.client.http.test_signer import headers_of
from tests.client.shop import Shop

NOW = datetime(2026, 5, 1, tzinfo=UTC)
STS = {"AccessKeyId": "STSKEY", "SecretAccessKey": "hidden", "SessionToken": "token"}


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION", "DEFAULT_REGION", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)


def signed_with(url: str, **options: Any) -> tuple[str, str, str | None]:
    """Return the access key, the region and the token that a transport signs with."""
    transport = transport_for(url, options)  # type: ignore[arg-type]  # the options of one test
    assert isinstance(transport, HttpTransport)
    headers = headers_of(transport._signer.request("GetItem", b"{}"))
    transport.close()
    key_id, _, region, *_ = headers["authorization"].split("Credential=")[1].split(",")[0].split("/")
    return key_id, region, headers.get("x-amz-security-token")


@pytest.mark.parametrize(
    ("given", "key_id", "token"),
    [
        (Credentials("KEY", "hidden"), "KEY", None),
        (Credentials("KEY", "hidden", "token"), "KEY", "token"),
        (STS, "STSKEY", "token"),
        (BotocoreKeys("BOTO", "hidden"), "BOTO", None),
        (lambda: STS, "STSKEY", "token"),
        (lambda: BotocoreKeys("BOTO", "hidden", "token"), "BOTO", "token"),
    ],
)
@pytest.mark.parametrize("url", ["http://db:8000?region=eu-west-1", "dynamodb://eu-west-1"])
def test_requests_are_signed_with_given_credentials(url: str, given: Any, key_id: str, token: str | None) -> None:
    assert signed_with(url, credentials=given) == (key_id, "eu-west-1", token)


@pytest.mark.parametrize("kind", ["boto3", "botocore"])
def test_requests_are_signed_with_the_credentials_of_a_session(kind: str) -> None:
    session = boto3.Session("BOTO", "hidden", "token", region_name="eu-west-2")
    chosen = session if kind == "boto3" else session._session
    assert signed_with("dynamodb://", session=chosen) == ("BOTO", "eu-west-2", "token")
    assert signed_with("dynamodb://eu-west-1", session=chosen) == ("BOTO", "eu-west-1", "token")
    assert signed_with("http://db:8000", session=chosen) == ("BOTO", "eu-west-2", "token")


class AwaitedSession(BotocoreSession):  # type: ignore[misc]  # botocore has no type information
    """A session whose methods are coroutines, as in aiobotocore."""


AwaitedSession.__module__ = "aiobotocore.session"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"credentials": 5}, "credentials= must be Credentials, .*; got int"),
        ({"credentials": {"AccessKeyId": "hidden-key"}}, r'no SecretAccessKey; pass sts.assume_role\(...\)\["Creden'),
        (
            {"credentials": STS, "session": boto3.Session("a", "b")},
            "session= and credentials= both provide credentials",
        ),
        ({"session": object()}, "session= must be a session of boto3 or botocore, got builtins.object"),
        ({"session": AwaitedSession()}, r"with aioboto3, pass its client: Shop.open_async\(client\)"),
    ],
)
@pytest.mark.parametrize("url", ["http://db:8000", "dynamodb://eu-west-1"])
def test_invalid_credentials_are_rejected_without_showing_them(url: str, options: Any, words: str) -> None:
    with pytest.raises(ArgumentRefused, match=words) as rejected:
        transport_for(url, options)
    assert "hidden" not in str(rejected.value)


@pytest.mark.parametrize("options", [{"session": boto3.Session("a", "b")}, {"credentials": STS}])
def test_the_embedded_engine_needs_no_credentials(options: Any) -> None:
    with pytest.raises(ArgumentRefused, match="the embedded engine does not use"):
        Shop.open("memory:", **options)
    with Engine("memory:") as engine, pytest.raises(ArgumentRefused, match="the embedded engine does not use"):
        Shop.open(engine, **options)


def test_a_function_is_called_again_before_its_credentials_expire() -> None:
    seconds = [0.0]
    calls: list[float] = []

    def assume() -> dict[str, Any]:
        calls.append(seconds[0])
        expiry = NOW + timedelta(seconds=seconds[0] + 900)
        return {**STS, "Expiration": expiry if len(calls) % 2 else expiry.isoformat()}

    source = CredentialsFunction(assume, lambda: NOW.timestamp() + seconds[0])
    assert source.needs_refresh()
    assert source.current().token == "token"
    seconds[0] = 839
    assert not source.needs_refresh()
    source.current()
    assert calls == [0]
    seconds[0] = 840
    assert source.needs_refresh()
    source.current()
    source.current()
    assert calls == [0, 840]


def test_credentials_from_a_function_without_an_expiry_time_are_read_once() -> None:
    calls: list[str] = []

    def find() -> dict[str, str]:
        calls.append("find")
        return STS

    source = CredentialsFunction(find, lambda: 1e12)
    for _ in range(3):
        source.current()
    assert (len(calls), source.needs_refresh()) == (1, False)


def test_credentials_from_a_function_do_not_block_the_event_loop() -> None:
    threads: list[threading.Thread] = []

    def assume() -> dict[str, str]:
        threads.append(threading.current_thread())
        return STS

    async def run(url: str) -> None:
        async with await Shop.open_async(url, credentials=assume, check=False, retries=Retries(1)) as shop:
            await shop.aio.delete_many([])
            transport = shop._opened().session.transport
            assert threads == []
            await asyncio.gather(transport.send_async("GetItem", b"{}"), transport.send_async("GetItem", b"{}"))

    with scripted() as server:
        asyncio.run(run(server.url))
        assert {headers_of(each)["x-amz-security-token"] for each in server.requests} == {"token"}
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
