"""boto3 clients as a transport: hooks and instrumentation see each request, and no exception of botocore is raised.

The other tests of this folder also run on this transport (`places.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.client import BaseClient  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from moto import mock_aws

from singletable import (
    AlreadyExists,
    ArgumentRefused,
    NotConnected,
    RequestRefused,
    Retries,
    Table,
    Throttled,
    Timeouts,
    Unreachable,
    entity,
    field,
    get,
    key,
    native,
    pattern,
)
from singletable.engine import Engine
from singletable.engine.boto3_clients import ACCESS_KEY, boto3_client, boto3_resource
from tests.client.http.scripted import refused, response, scripted
from tests.client.shop import Order, Shop, order


@entity(key=("BLOB#{id}", "DATA"), gsi1=(native("hash"), "BLOB"))
@dataclass
class Blob:
    id: str
    hash: bytes
    parts: list[bytes]
    tags: set[bytes]


class Blobs(Table, entities=[Blob]):
    @pattern()
    def blob(self, id: str) -> Blob | None:
        """Get a blob by ID."""
        return get(Blob)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine("memory:", sweep_seconds=None) as opened:  # a sweep is a write, which could get an injected conflict
        yield opened


def client_at(url: str, **config: Any) -> Any:
    settings = Config(retries={"total_max_attempts": 1}, read_timeout=1, connect_timeout=1, **config)
    return boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=url, config=settings, **ACCESS_KEY)


def test_binary_values_pass_through_a_boto3_client(engine: Engine) -> None:
    with Blobs.open(boto3_client(engine), create=True) as blobs:
        blob = Blob("b1", b"\x00\xff", [b"", b"\x80"], {b"x", b"y"})
        blobs.put(blob)
        assert blobs.blob("b1") == blob
        with Blobs.open(engine) as direct:
            assert direct.blob("b1") == blob
        with pytest.raises(AlreadyExists) as exists:
            blobs.create(blob)
        assert exists.value.item == blob


def test_event_hooks_of_a_boto3_client_see_every_request(engine: Engine) -> None:
    client = boto3_client(engine)
    sent: list[tuple[str, str]] = []
    client.meta.events.register(
        "provide-client-params.dynamodb.*", lambda params, model, **_: sent.append((model.name, params["TableName"]))
    )
    with Shop.open(client, create=True) as shop:
        sent.clear()
        shop.put(order(1))
        shop.order("o0001")
        shop.orders_of_customer("c1")
        asyncio.run(shop.order.aio("o0001"))
    assert sent == [(name, "Shop") for name in ("PutItem", "GetItem", "Query", "GetItem")]


def test_the_boto3_transport_shows_every_request_to_instrumentation_that_patches_botocore(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-Ray, Datadog and OpenTelemetry's botocore instrumentation replace this method, even after the table is open."""
    calls: list[str] = []
    original = BaseClient._make_api_call

    def recorded(client: Any, operation: str, parameters: dict[str, Any]) -> Any:
        answer = original(client, operation, parameters)
        calls.append(f"{operation} {answer['ResponseMetadata']['HTTPStatusCode']}")
        return answer

    with Shop.open(boto3_client(engine), create=True) as shop:
        monkeypatch.setattr(BaseClient, "_make_api_call", recorded)
        shop.put(order(1))
        shop.order("o0001")
    assert calls == ["PutItem 200", "GetItem 200"]


def test_the_boto3_transport_works_with_moto() -> None:
    with mock_aws():
        client = boto3.client("dynamodb", region_name="eu-west-1", **ACCESS_KEY)
        with Shop.open(client, create=True) as shop:
            shop.put_many(order(number) for number in range(30))
            assert [each.id for each in shop.orders_of_customer("c1", limit=2).items] == ["o0029", "o0028"]
            shop.update(key(Order, id="o0001"), field(Order, lambda o: o.note).set("gift"))
            with shop.transaction() as tx:
                tx.delete(key(Order, id="o0002"))
            assert [found and found.note for found in shop.get_many([key(Order, id=f"o000{n}") for n in (1, 2)])] == [
                "gift",
                None,
            ]
            assert client.describe_table(TableName="Shop")["Table"]["ItemCount"] == 29


def test_the_boto3_transport_sends_nothing_when_a_table_opens_without_a_check(engine: Engine) -> None:
    client = boto3_client(engine)
    sent: list[str] = []
    client.meta.events.register("before-send.dynamodb", lambda request, **_: sent.append(request.url))
    with Shop.open(client, check=False) as shop:
        assert sent == []
        with pytest.raises(RequestRefused, match="ResourceNotFoundException"):
            shop.order("o1")
    assert len(sent) == 1


def test_a_boto3_client_stays_open_when_its_table_is_closed(engine: Engine) -> None:
    client = boto3_client(engine)
    Shop.open(client, create=True).close()
    assert client.list_tables()["TableNames"] == ["Shop"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda engine: boto3_resource(engine).meta.client, "the client of a boto3 resource"),
        (boto3_resource, "cannot open a table with "),
        (lambda engine: boto3_client(engine, "dynamodbstreams"), "a client of 'dynamodbstreams'"),
    ],
)
def test_the_boto3_transport_accepts_only_clients_of_dynamodb(engine: Engine, given: Any, words: str) -> None:
    with pytest.raises(ArgumentRefused, match=f'{words}(.|\n)*pass a DynamoDB client: boto3.client."dynamodb"'):
        Shop.open(given(engine))


@pytest.mark.parametrize(
    "option", [{"session": object()}, {"credentials": {"AccessKeyId": "x"}}, {"timeouts": Timeouts()}]
)
def test_a_boto3_client_has_its_own_connection_settings(engine: Engine, option: Any) -> None:
    with pytest.raises(ArgumentRefused, match=f"a boto3 client does not use {next(iter(option))}="):
        Shop.open(boto3_client(engine), **option)


def test_the_boto3_transport_converts_exceptions_of_botocore(engine: Engine) -> None:
    with pytest.raises(Unreachable) as closed, Shop.open(client_at("http://127.0.0.1:9"), check=False) as shop:
        shop.order("o1")
    assert not closed.value.sent
    with scripted("close", response(503, b"<html>"), refused("AccessDeniedException", "no", 400)) as server:
        with Shop.open(client_at(server.url), check=False) as shop:
            for sent in (True, True):
                with pytest.raises(Unreachable) as lost:
                    shop.order("o1")
                assert lost.value.sent is sent
            with pytest.raises(RequestRefused) as denied:
                shop.order("o1")
        assert (denied.value.code, denied.value.message) == ("AccessDeniedException", "no")


def test_missing_credentials_of_a_boto3_client_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    client = boto3.session.Session().client("dynamodb", region_name="eu-west-1")
    with pytest.raises(NotConnected, match="Unable to locate credentials"):
        Shop.open(client)


def test_the_request_session_retries_only_conflicts_because_boto3_retries_throttling(engine: Engine) -> None:
    with Shop.open(boto3_client(engine), create=True, retries=Retries(5, 0.0)) as shop:
        engine.faults.conflicts_next = 4
        with shop.transaction() as tx:
            tx.put(order(1))
        assert shop.metrics.total.retries == 4
    throttling = refused("ProvisionedThroughputExceededException", "slow down")
    with scripted(*[throttling] * 9) as server, Shop.open(client_at(server.url), check=False) as shop:
        with pytest.raises(Throttled):
            shop.order("o1")
        assert len(server.requests) == 1


class AwaitedClient:
    """A client with coroutine methods, as aiobotocore has; `make clients` tests the real one."""

    def __init__(self, client: Any) -> None:
        self.meta, self.exceptions, self._client = client.meta, client.exceptions, client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        async def call(**parameters: Any) -> Any:
            await asyncio.sleep(0)
            return method(**parameters)

        return call


AwaitedClient.__module__ = "aiobotocore.client"


def test_the_boto3_transport_awaits_a_client_of_aioboto3(engine: Engine) -> None:
    client = AwaitedClient(boto3_client(engine))

    async def run() -> None:
        async with await Shop.open_async(client, create=True) as shop:
            await shop.aio.put_many(order(number) for number in range(30))
            assert await shop.order.aio("o0001") == order(1)
            with pytest.raises(AlreadyExists):
                await shop.aio.create(order(1))
            with pytest.raises(ArgumentRefused, match="open with an asyncio client"):
                shop.order("o0001")

    asyncio.run(run())
    with pytest.raises(ArgumentRefused, match=r"Shop\.open_async\(client\)"):
        Shop.open(client)
