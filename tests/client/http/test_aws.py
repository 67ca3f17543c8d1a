"""`dynamodb://REGION`: botocore's credentials, endpoints and retries, and none of its exceptions."""

from __future__ import annotations

import asyncio
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import RefreshableCredentials  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, CredentialRetrievalError  # type: ignore[import-untyped]

from singletable import NotConnected, Table
from singletable.client.connecting import transport_for
from singletable.client.http.aws import BotocoreKeys
from singletable.client.http.signer import Signer
from singletable.client.http.transport import HttpTransport
from tests.client.http.scripted import scripted
from tests.client.http.test_signer import headers_of


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of whoever runs the tests."""
    import os

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")


def opened(url: str) -> HttpTransport:
    transport = transport_for(url)
    assert isinstance(transport, HttpTransport)
    transport.close()
    return transport


@pytest.mark.usefixtures("keys")
def test_a_region_has_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = opened("dynamodb://eu-west-1")
    assert transport.server == ("dynamodb.eu-west-1.amazonaws.com", 443)
    assert transport.name == "dynamodb://eu-west-1"
    assert transport.retries is None
    authorization = headers_of(transport._signer.request("GetItem", b"{}"))["authorization"]
    assert "/eu-west-1/dynamodb/aws4_request" in authorization
    assert opened("dynamodb://cn-north-1").server[0] == "dynamodb.cn-north-1.amazonaws.com.cn"
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")
    assert opened("dynamodb://us-east-1").server[0] == "dynamodb-fips.us-east-1.amazonaws.com"


@pytest.mark.usefixtures("keys")
def test_an_endpoint_and_retries_can_be_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened("dynamodb://eu-west-1?endpoint=http://localhost:8000").server == ("localhost", 8000)
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://localhost:8001")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "7")
    transport = opened("dynamodb://eu-west-1")
    assert transport.server == ("localhost", 8001)
    assert transport.retries is not None
    assert transport.retries.attempts == 7


def test_no_credentials_are_told_with_the_way_out() -> None:
    with pytest.raises(NotConnected, match=r"no credentials were found.*\n.*\n.*open http://HOST:PORT instead"):
        transport_for("dynamodb://eu-west-1")


@pytest.mark.parametrize("url", ["dynamodb://eu-west-1?profile=nobody", "dynamodb://eu_west!1"])
@pytest.mark.usefixtures("keys")
def test_no_exception_of_botocore_gets_out(url: str) -> None:
    with pytest.raises(NotConnected, match="botocore finds no way to DynamoDB"):
        transport_for(url)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("botocore")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "botocore", None)
    with pytest.raises(NotConnected, match=r"pip install 'singletable\[aws\]'"):
        transport_for("dynamodb://eu-west-1")


def test_a_table_is_opened_in_a_region(monkeypatch: pytest.MonkeyPatch, keys: None) -> None:
    from tests.client.shop import Shop, order

    answers: dict[str, Any] = {}
    with Shop.open("memory:") as model:
        opened_model = model._opened()

        def answer(operation: str, body: bytes) -> bytes:
            answers[operation] = body
            return opened_model.session.transport.send(operation, body)

        monkeypatch.setattr(HttpTransport, "send", lambda self, operation, body: answer(operation, body))
        with Shop.open("dynamodb://eu-west-1") as shop:
            assert isinstance(shop, Table)
            shop.put(order(1))
            assert shop.order("o0001") == order(1)
        assert set(answers) == {"DescribeTable", "PutItem", "GetItem"}


def expiring(renew: Any, seconds: float = 60) -> BotocoreKeys:
    credentials = RefreshableCredentials(
        "OLD", "hidden", "old-token", datetime.now(UTC) + timedelta(seconds=seconds), renew, "assume-role"
    )
    return BotocoreKeys(credentials, (BotoCoreError, RuntimeError))


def renewed() -> dict[str, str]:
    expiry = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    return {"access_key": "NEW", "secret_key": "hidden", "token": "new-token", "expiry_time": expiry}


def test_credentials_that_expire_are_renewed() -> None:
    source = expiring(renewed)
    assert source.takes_long()
    request = headers_of(Signer("db", "eu-west-1", source).request("GetItem", b"{}"))
    assert request["x-amz-security-token"] == "new-token"
    assert not source.takes_long()
    assert not expiring(renewed, seconds=3600).takes_long()


def test_a_loop_does_not_wait_for_new_credentials() -> None:
    threads: list[threading.Thread] = []

    def renew() -> dict[str, str]:
        threads.append(threading.current_thread())
        return renewed()

    with scripted() as server:
        transport = server.transport()
        transport._signer.source = expiring(renew)
        asyncio.run(transport.send_async("GetItem", b"{}"))
        assert b"new-token" in server.requests[0]
        assert threads
        assert threads[0] is not threading.main_thread()


def test_credentials_that_cannot_be_renewed_are_told() -> None:
    def refuse() -> dict[str, str]:
        raise CredentialRetrievalError(provider="sso", error_msg="the session has expired")

    source = expiring(refuse)
    with pytest.raises(NotConnected, match=r"cannot be renewed: .*the session has expired\n  Sign in again"):
        source.keys()
