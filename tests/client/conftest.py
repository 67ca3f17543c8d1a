"""Tables for the tests of the data layer, on every transport and on servers of other projects."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from singletable import RequestRefused
from singletable.engine import Engine
from singletable.engine.boto3_clients import boto3_client
from tests.client.places import BOTO3, OURS, PEERS, PLACES, Place, forget_tables, server
from tests.client.shop import Shop

Servers = Callable[[str], str]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The servers of this worker. Each is started for the first test that needs it."""
    with ExitStack() as stack:
        started: dict[str, str] = {}
        unavailable: dict[str, str] = {}

        def url(kind: str) -> str:
            # A failed installation is not repeated for every test.
            if kind in unavailable:
                pytest.skip(unavailable[kind])
            if kind not in started:
                try:
                    started[kind] = stack.enter_context(server(kind, tmp_path_factory.mktemp(kind)))
                except pytest.skip.Exception as reason:
                    unavailable[kind] = str(reason)
                    raise
            return started[kind]

        yield url


@pytest.fixture(scope="session")
def boto3_to_engine() -> Iterator[Any]:
    """Return a boto3 client of this worker, which sends its requests to an engine in this process."""
    with Engine("memory:") as engine:
        yield boto3_client(engine)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path, servers: Servers) -> Iterator[Place]:
    kind = request.param
    if kind == BOTO3:
        client = request.getfixturevalue("boto3_to_engine")
        yield Place(kind, client)
        forget_tables(client)
        return
    if kind not in (OURS, *PEERS):
        yield Place(kind, "memory:" if kind == "memory" else f"file:{tmp_path}/shop.db")
        return
    url = servers(kind)
    yield Place(kind, url)
    forget_tables(url)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Skip a test if a server of another project does not support an action.

    Another test checks that our server does.
    """
    try:
        return (yield)
    except RequestRefused as refusal:
        place = pyfuncitem.funcargs.get("place")
        if not isinstance(place, Place) or place.kind not in PEERS or refusal.code != "UnknownOperationException":
            raise
        pytest.skip(f"{place.kind} does not support the action: {refusal.message}")


@pytest.fixture
def url(place: Place) -> Any:
    return place.url


@pytest.fixture
def shop(place: Place) -> Iterator[Shop]:
    with place.open(Shop) as opened:
        yield opened
