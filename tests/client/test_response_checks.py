"""Responses that are not valid raise exceptions of the library, never those of a JSON decoder or of Python.

The seed in a message repeats a failure. `make soak` runs more seeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from singletable import SingletableError
from singletable.client.http.http_transport import HttpTransport
from singletable.client.request_steps import Call
from singletable.client.response_checks import raise_if_invalid
from singletable.errors import OutcomeUnknown, Unreachable
from tests.client.hostile_server import ASYNC_CALLS, CALLS, HostilePool, attempt, hostile_server
from tests.client.shop import Shop
from tests.engine.oracle.seeded_choices import SeededChoices
from tests.engine.soak import longer

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SEEDS = [str(number) for number in range(longer(6))]


@pytest.fixture(scope="module")
def hostile() -> Iterator[tuple[HostilePool, Shop, HttpTransport]]:
    with hostile_server() as opened:
        yield opened


@pytest.mark.parametrize("name", CALLS)
def test_response_checks_report_every_response_that_is_not_valid(name: str, hostile: Any) -> None:
    pool, shop, _ = hostile
    attempt(pool, shop, name, lambda: CALLS[name](shop), SEEDS)


@pytest.mark.parametrize("name", ASYNC_CALLS)
def test_response_checks_report_every_response_that_is_not_valid_on_an_event_loop(name: str, hostile: Any) -> None:
    pool, shop, _ = hostile
    with asyncio.Runner() as runner:

        async def call() -> object:
            return await ASYNC_CALLS[name](shop)

        attempt(pool, shop, f"async {name}", lambda: runner.run(call()), SEEDS)


@pytest.mark.parametrize("seed", range(longer(40)))
def test_opening_a_table_reports_every_response_that_is_not_valid(seed: int, hostile: Any) -> None:
    pool, _, transport = hostile
    pool.chance = SeededChoices(f"open-{seed}")
    pool.countdown = pool.chance.below(4) + 1
    with suppress(SingletableError):
        open_through(transport)
    pool.chance = None


def open_through(transport: HttpTransport) -> None:
    from singletable.client.open_table import _connected, _opening_steps
    from singletable.client.request_steps import run

    options: Any = {"create": True}
    table = _connected(Shop.design, transport, options)
    run(_opening_steps(table, "http://localhost", options), table.session)


def test_response_checks_leave_the_exceptions_of_the_callers_code_as_they_are() -> None:
    calls = [Call("GetItem", {}), Call("PutItem", {})]
    raise_if_invalid(ValueError("of an upgrade function"), calls, [b'{"Item":{"PK":{"S":"a"}}}', b"{}"])
    with pytest.raises(Unreachable, match="GetItem is not valid"):
        raise_if_invalid(ValueError("of the decoder"), calls, [b'{"Item":{"PK":{"S":7}}}', b"{}"])
    with pytest.raises(OutcomeUnknown, match="PutItem is not valid"):
        raise_if_invalid(ValueError("of the decoder"), calls, [b"{}", b'{"Attributes":{"PK":[]}}'])
