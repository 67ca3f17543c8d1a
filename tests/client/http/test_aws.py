"""`dynamodb://REGION`: botocore's credentials, endpoints and retries, without exceptions of botocore."""

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
from singletable.client.http.aws import BotocoreCredentials
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.signer import Signer
from singletable.client.open_table import transport_for
from tests.client.http.scripted import scripted
from tests.client.http.test_signer import headers_of


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the AWS settings of the user who runs the tests."""
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
def test_an_aws_region_has_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_an_aws_endpoint_and_its_retries_can_be_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened("dynamodb://eu-west-1?endpoint_url=http://localhost:8000").server == ("localhost", 8000)
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://localhost:8001")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "7")
    transport = opened("dynamodb://eu-west-1")
    assert transport.server == ("localhost", 8001)
    assert transport.retries is not None
    assert transport.retries.attempts == 7


def test_missing_aws_credentials_are_reported_with_a_remedy() -> None:
    with pytest.raises(NotConnected, match=r"no AWS credentials found.*\n.*\n.*open http://HOST:PORT instead"):
        transport_for("dynamodb://eu-west-1")


@pytest.mark.parametrize("url", ["dynamodb://eu-west-1?profile=nobody", "dynamodb://eu_west!1"])
@pytest.mark.usefixtures("keys")
def test_aws_regions_wrap_botocore_exceptions(url: str) -> None:
    with pytest.raises(NotConnected, match="botocore cannot resolve the AWS settings"):
        transport_for(url)


def test_an_aws_region_names_a_missing_botocore_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("botocore")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "botocore", None)
    with pytest.raises(NotConnected, match=r"pip install 'singletable\[aws\]'"):
        transport_for("dynamodb://eu-west-1")


def test_a_table_is_opened_in_an_aws_region(monkeypatch: pytest.MonkeyPatch, keys: None) -> None:
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


def expiring(renew: Any, seconds: float = 60) -> BotocoreCredentials:
    credentials = RefreshableCredentials(
        "OLD", "hidden", "old-token", datetime.now(UTC) + timedelta(seconds=seconds), renew, "assume-role"
    )
    return BotocoreCredentials(credentials, (BotoCoreError, RuntimeError))


def renewed() -> dict[str, str]:
    expiry = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    return {"access_key": "NEW", "secret_key": "hidden", "token": "new-token", "expiry_time": expiry}


def test_expiring_aws_credentials_are_refreshed() -> None:
    source = expiring(renewed)
    assert source.needs_refresh()
    request = headers_of(Signer("db", "eu-west-1", source).request("GetItem", b"{}"))
    assert request["x-amz-security-token"] == "new-token"
    assert not source.needs_refresh()
    assert not expiring(renewed, seconds=3600).needs_refresh()


def test_an_event_loop_is_not_blocked_by_a_refresh_of_aws_credentials() -> None:
    threads: list[threading.Thread] = []

    def renew() -> dict[str, str]:
        threads.append(threading.current_thread())
        return renewed()

    with scripted() as server:
        transport = server.transport()
        transport._signer.credentials = expiring(renew)
        asyncio.run(transport.send_async("GetItem", b"{}"))
        assert b"new-token" in server.requests[0]
        assert threads
        assert threads[0] is not threading.main_thread()


def test_a_failed_refresh_of_aws_credentials_is_reported() -> None:
    def refuse() -> dict[str, str]:
        raise CredentialRetrievalError(provider="sso", error_msg="the session has expired")

    source = expiring(refuse)
    with pytest.raises(NotConnected, match=r"cannot be refreshed: .*the session has expired\n  Sign in again"):
        source.current()
