"""Responses that are not valid raise exceptions of the library, never those of a JSON decoder or of Python.

The seed in a message repeats a failure. `make soak` runs more seeds.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from singletable import Retries, SingletableError, key
from singletable.client.connected_table import ConnectedTable
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.response_parser import ParsedResponse
from singletable.client.request_steps import Call
from singletable.client.response_checks import raise_if_invalid
from singletable.engine.dispatch import DYNAMODB
from singletable.engine.engine import Engine
from singletable.errors import OutcomeUnknown, Unreachable
from tests.client.http.scripted import transport_to
from tests.client.shop import Customer, Order, OrderItem, Shop, order
from tests.engine.fuzz.json_mutations import encoded, mutate
from tests.engine.oracle.seeded_choices import SeededChoices
from tests.engine.soak import longer

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SEEDS = longer(12)
GARBAGE = (b"", b"null", b"{", b'"text"', b"\xff\xfe", b'{"Item":"\xff"}', b"<html>", b"[" * 100_000, b'{"N":1e999}')
FIXED: Any = {"Item": {"PK": {"S": "ORDER#o0001"}}, "CancellationReasons": [{"Code": "ConditionalCheckFailed"}]}


class HostilePool:
    """The connections to a server that changes a response at random; it replaces both pools of a transport."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.chance: SeededChoices | None = None
        self.countdown = 0

    def exchange_sync(self, request: bytes, belongs: Callable[[bytes], bool]) -> ParsedResponse:
        head, _, body = request.partition(b"\r\n\r\n")
        operation = head.partition(DYNAMODB.encode())[2].partition(b"\r\n")[0].decode()
        answer = self.engine.answer(DYNAMODB + operation, body)
        self.countdown -= 1
        status, content = answer.status, answer.body
        if self.chance is not None and self.countdown == 0:
            status, content = self.changed(self.chance, status, content)
        if status == 200 and not belongs(content):
            raise Unreachable("another request", sent=True)
        return ParsedResponse(status, content, True, b"\r\ndate: never\r\n")

    def changed(self, chance: SeededChoices, status: int, body: bytes) -> tuple[int, bytes]:
        match chance.below(6):
            case 0:
                return status, chance.pick(GARBAGE)
            case 1:
                return status, body[: chance.below(len(body) + 1)]
            case 2:
                place = chance.below(max(1, len(body)))
                return status, body[:place] + bytes((chance.below(256),)) + body[place + 1 :]
            case 3:
                status = 400
                document = {"__type": f"x#{chance.pick(CODES)}", "message": "no"} | json.loads(json.dumps(FIXED))
            case _:
                document = json.loads(body)
        for _ in range(chance.below(3) + 1):
            mutate(chance, document)
        return status, encoded(document)

    def exchange_each(self, requests: Any, meanwhile: Any = None) -> list[ParsedResponse | Unreachable]:
        responses: list[ParsedResponse | Unreachable] = []
        for request, belongs in requests:
            try:
                responses.append(self.exchange_sync(request, belongs))
            except Unreachable as problem:
                responses.append(problem)
        return responses

    async def exchange_async(self, request: bytes, belongs: Callable[[bytes], bool]) -> ParsedResponse:
        return self.exchange_sync(request, belongs)

    def close(self) -> None:
        """Do nothing."""


CODES = ("ConditionalCheckFailedException", "TransactionCanceledException", "ThrottlingException", "Other")


class Facade:
    """One of the two interfaces of the pool."""

    def __init__(self, pool: HostilePool, exchange: Any) -> None:
        self.exchange, self.exchange_each, self.close = exchange, pool.exchange_each, pool.close

    def current(self) -> Facade:
        return self


@pytest.fixture(scope="module")
def hostile() -> Any:
    with Engine(sweep_seconds=None) as engine:
        pool = HostilePool(engine)
        transport = transport_to(1)
        replaced: Any = transport
        replaced._pool, replaced._pools = Facade(pool, pool.exchange_sync), Facade(pool, pool.exchange_async)
        shop = Shop.open(engine, create=True, retries=Retries(attempts=2, first_seconds=0.0))
        opened = connected(shop)
        shop.put(Customer(id="c1", name="Ada"))
        opened.session.transport = transport
        opened.session.lease = None
        yield pool, shop, transport


def connected(shop: Shop) -> ConnectedTable:
    (opened,) = [value for value in vars(shop).values() if isinstance(value, ConnectedTable)]
    return opened


def reset(shop: Shop) -> None:
    shop.put_many([order(1), order(2, "c2"), order(40), OrderItem("o0001", "a"), OrderItem("o0001", "b")])


def in_transaction(shop: Shop) -> None:
    with shop.transaction() as together:
        together.put(order(3))
        together.delete(key(Order, id="o0001"), where=lambda o: o.status == "NEVER")


CALLS: dict[str, Callable[[Shop], object]] = {
    "get": lambda shop: shop.order(id="o0001"),
    "customer": lambda shop: shop.customer(id="c1"),
    "query": lambda shop: shop.orders_of_customer("c1"),
    "filter": lambda shop: shop.open_orders_of_customer("c1"),
    "collection": lambda shop: shop.whole_order("o0001"),
    "get_many": lambda shop: shop.get_many([key(Order, id="o0001"), key(Order, id="o0002")]),
    "scan": lambda shop: list(shop.scan(reason="a test")),
    "put": lambda shop: shop.put(order(1)),
    "create": lambda shop: shop.create(order(2, "c2")),
    "update": lambda shop: shop.ship("o0001"),
    "hand over": lambda shop: shop.hand_over("o0001", "c2"),
    "delete": lambda shop: shop.delete(key(Order, id="o0001")),
    "put_many": lambda shop: shop.put_many([order(number) for number in range(30)]),
    "edit": lambda shop: shop.edit(key(Customer, id="c1"), lambda c: c.model_copy(update={"name": "Eve"})),
    "transaction": in_transaction,
}
ASYNC_CALLS: dict[str, Callable[[Shop], Any]] = {
    "get": lambda shop: shop.order.aio(id="o0001"),
    "query": lambda shop: shop.orders_of_customer.aio("c1"),
    "put": lambda shop: shop.aio.put(order(1)),
    "get_many": lambda shop: shop.aio.get_many([key(Order, id="o0001")]),
}


def attempt(pool: HostilePool, shop: Shop, name: str, run: Callable[[], object]) -> None:
    pool.chance = None
    reset(shop)
    for seed in range(SEEDS):
        pool.chance = SeededChoices(f"{name}-{seed}")
        pool.countdown = pool.chance.below(2) + 1
        try:
            run()
        except SingletableError:
            continue
        except Exception as problem:
            raise AssertionError(f"{name}, seed {seed}: {problem!r}") from problem
    pool.chance = None
    assert shop.order(id="o0040") == order(40)


@pytest.mark.parametrize("name", CALLS)
def test_response_checks_report_every_response_that_is_not_valid(name: str, hostile: Any) -> None:
    pool, shop, _ = hostile
    attempt(pool, shop, name, lambda: CALLS[name](shop))


@pytest.mark.parametrize("name", ASYNC_CALLS)
def test_response_checks_report_every_response_that_is_not_valid_on_an_event_loop(name: str, hostile: Any) -> None:
    pool, shop, _ = hostile
    with asyncio.Runner() as runner:

        async def call() -> object:
            return await ASYNC_CALLS[name](shop)

        attempt(pool, shop, f"async {name}", lambda: runner.run(call()))


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
