"""Opening a table: with and without requests, on a thread and on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path
from typing import Any

import pytest

from singletable import ArgumentRefused, NotConnected, TableDiffers, Unreachable
from singletable.client import open_table
from singletable.client.open_table import OpenOptions
from singletable.engine import Engine
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
    with pytest.raises(ArgumentRefused, match="create=True sends requests and check=False sends none"):
        Shop.open("memory:", create=True, check=False)
