"""Opening a table: with and without requests, on a thread and on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from singletable import ArgumentRefused, NotConnected, RequestRefused, TableDiffers, Unreachable
from singletable.client import open_table
from singletable.client.open_table import OpenOptions
from singletable.client.tracing import RequestEvent
from singletable.engine.access.authorization import PrincipalEngine
from singletable.engine.access.policy_document import parse_policies
from singletable.engine.access.principal import Principal
from singletable.engine.engine import Engine
from tests.client.http.scripted import scripted
from tests.client.places import Place
from tests.client.shop import Shop, order


def test_open_and_open_async_have_the_same_options() -> None:
    options = set(inspect.signature(Shop.open).parameters) - {"url"}
    assert options == set(OpenOptions.__annotations__)


def test_open_async_opens_a_table_without_blocking_requests(place: Place) -> None:
    async def run() -> None:
        async with await Shop.open_async(place.url, create=True) as shop:
            await shop.aio.put(order(1))
            assert await shop.order.aio("o0001") == order(1)

    asyncio.run(run())


def test_open_async_finds_aws_settings_in_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def transport_for(*_: Any) -> Any:
        threads.append(threading.current_thread())
        raise NotConnected("no settings")

    monkeypatch.setattr(open_table, "transport_for", transport_for)
    with pytest.raises(NotConnected):
        asyncio.run(Shop.open_async("dynamodb://eu-west-1"))
    assert threads
    assert threads[0] is not threading.main_thread()


def test_open_async_closes_its_engine_if_the_table_differs(tmp_path: Path) -> None:
    url = f"file:{tmp_path}/shop.db"
    Engine(url).close()
    with pytest.raises(TableDiffers, match="does not exist"):
        asyncio.run(Shop.open_async(url))
    Engine(url, sync="full").close()


def test_open_without_a_check_sends_no_request() -> None:
    with scripted() as server, Shop.open(server.url, check=False) as shop:
        assert (server.connections, server.requests) == (0, [])
        shop.order("o1")
        assert len(server.requests) == 1
    Shop.open("http://127.0.0.1:9", check=False).close()
    with pytest.raises(Unreachable):
        Shop.open("http://127.0.0.1:9")


def test_open_without_a_check_still_creates_a_table_in_memory() -> None:
    with Shop.open("memory:", check=False) as shop:
        shop.put(order(1))


def test_open_rejects_create_without_a_check() -> None:
    with pytest.raises(ArgumentRefused, match="create=True sends requests, but check=False sends no request"):
        Shop.open("memory:", create=True, check=False)


@pytest.fixture
def engine() -> Generator[Engine, None, None]:
    with Engine(sweep_seconds=None) as found:
        yield found


def limited(engine: Engine, *actions: str) -> PrincipalEngine:
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    policies = parse_policies({"Version": "2012-10-17", "Statement": [statement]})
    return engine.as_principal(Principal("arn:aws:iam::000000000000:role/app", policies))


def test_opening_without_a_check_sends_nothing(engine: Engine) -> None:
    requests: list[RequestEvent] = []
    with Shop.open(engine, check=False, hook=requests.append):
        assert requests == []
    with pytest.raises(TableDiffers, match="does not exist"):
        Shop.open(engine, hook=requests.append)
    assert [request.operation for request in requests] == ["DescribeTable"]


def test_the_check_needs_the_permissions_to_describe_the_table_and_to_read_its_design_state(engine: Engine) -> None:
    Shop.open(engine, create=True).close()
    Shop.open(limited(engine, "dynamodb:DescribeTable", "dynamodb:GetItem")).close()
    with pytest.raises(RequestRefused, match="not authorized to perform: dynamodb:GetItem"):
        Shop.open(limited(engine, "dynamodb:DescribeTable"))
    with pytest.raises(RequestRefused, match="not authorized to perform: dynamodb:DescribeTable"):
        Shop.open(limited(engine, "dynamodb:GetItem"))
    Shop.open(limited(engine, "dynamodb:GetItem"), check=False).close()


def test_closing_a_table_of_a_principal_leaves_the_engine_open(engine: Engine) -> None:
    Shop.open(engine, create=True).close()
    with Shop.open(limited(engine, "dynamodb:*")):
        pass
    assert engine.call("ListTables", {})["TableNames"] == [Shop.design.name]


def test_open_creates_no_store_for_a_mistyped_path(tmp_path: Path) -> None:
    path = tmp_path / "typo.db"
    with pytest.raises(TableDiffers, match=r"there is no store at file:.*typo\.db"):
        Shop.open(f"file:{path}")
    assert list(tmp_path.iterdir()) == []
    Shop.open(f"file:{path}", create=True).close()
    Shop.open(f"file:{path}").close()


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("retries", 3, r"Shop\.open: retries must be Retries\(\.\.\.\), got 3"),
        ("timeouts", 5, r"timeouts must be Timeouts\(\.\.\.\), got 5"),
        ("name", 5, "name must be a str, got 5"),
        ("secret", 5, "secret must be text, bytes, or a list of them, got int"),
        ("cursor_seconds", "60", "cursor_seconds must be a number of seconds, got '60'"),
        ("check", "no", "check must be True or False, got 'no'"),
        ("hook", 5, "hook must be a function, got 5"),
        ("now", 5, "now must be a function, got 5"),
    ],
)
def test_open_rejects_options_of_the_wrong_type(option: str, value: Any, message: str) -> None:
    with pytest.raises(ArgumentRefused, match=message):
        Shop.open("http://127.0.0.1:9", **{option: value})
