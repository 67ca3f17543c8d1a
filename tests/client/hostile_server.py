"""A server in this process whose responses are changed at random, and typed calls that send requests to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from singletable import Retries, SingletableError, key
from singletable.client.connected_table import ConnectedTable
from singletable.client.http.http_transport import HttpTransport
from singletable.client.http.response_parser import ParsedResponse
from singletable.engine.dispatch import DYNAMODB
from singletable.engine.engine import Engine
from singletable.errors import Unreachable
from tests.client.http.scripted import transport_to
from tests.client.shop import Customer, Order, OrderItem, Shop, order
from tests.engine.fuzz.json_mutations import encoded, mutate
from tests.engine.oracle.seeded_choices import SeededChoices

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


@contextmanager
def hostile_server() -> Generator[tuple[HostilePool, Shop, HttpTransport], None, None]:
    """Open a table through the server."""
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


def attempt(pool: HostilePool, shop: Shop, name: str, run: Callable[[], object], seeds: list[str]) -> None:
    """Repeat a call, each time with another change of a response; the call may raise only our own exceptions."""
    pool.chance = None
    reset(shop)
    for seed in seeds:
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
