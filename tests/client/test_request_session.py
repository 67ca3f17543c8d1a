"""Sessions: which requests are retried, how often they are retried, and what hooks receive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from singletable import ConditionFailed, RequestRefused, Throttled, Unreachable, field, key
from singletable.client.request_session import Session
from singletable.client.request_steps import Call
from singletable.client.retries import Retries, Timeouts
from singletable.client.tracing import RequestEvent
from singletable.client.transport import Transport
from tests.client.between import between
from tests.client.places import Place
from tests.client.shop import Customer, Order, Shop, order

QUICK = Retries(attempts=4, first_seconds=0.0)


class Failing(Transport):
    """A transport that raises the given errors and then responds."""

    name = "failing:"

    def __init__(self, *problems: Exception) -> None:
        self.problems = list(problems)
        self.sent = 0

    def send(self, operation: str, body: bytes) -> bytes:
        self.sent += 1
        if self.problems:
            raise self.problems.pop(0)
        return b"{}"

    async def send_async(self, operation: str, body: bytes) -> bytes:
        return self.send(operation, body)

    def close(self) -> None:
        pass

    async def close_async(self) -> None:
        pass


def ask(session: Session, call: Call, awaited: bool) -> bytes:
    return asyncio.run(session.send_async(call)) if awaited else session.send(call)


READ = Call("GetItem", {})
WRITE = Call("UpdateItem", {}, repeatable=False)
LOST = [lambda: Unreachable("lost", sent=True), lambda: RequestRefused("InternalServerError", "sorry")]
NOT_DONE = [
    lambda: Unreachable("not sent", sent=False),
    lambda: Throttled("ThrottlingException", "slower"),
    lambda: RequestRefused("TransactionConflictException", "later"),
]


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("problem", [*LOST, *NOT_DONE])
def test_request_session_retries_a_read_after_every_retryable_error(
    problem: Callable[[], Exception], awaited: bool
) -> None:
    transport = Failing(problem(), problem(), problem())
    assert ask(Session(transport, QUICK), READ, awaited) == b"{}"
    assert transport.sent == 4


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("problem", LOST)
def test_request_session_does_not_retry_a_write_with_a_lost_response(
    problem: Callable[[], Exception], awaited: bool
) -> None:
    transport = Failing(problem())
    with pytest.raises((Unreachable, RequestRefused)):
        ask(Session(transport, QUICK), WRITE, awaited)
    assert transport.sent == 1


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("problem", NOT_DONE)
def test_request_session_retries_a_write_that_was_not_executed(problem: Callable[[], Exception], awaited: bool) -> None:
    transport = Failing(problem())
    assert ask(Session(transport, QUICK), WRITE, awaited) == b"{}"
    assert transport.sent == 2


@pytest.mark.parametrize("awaited", [False, True])
def test_request_session_raises_throttling_when_retries_are_exhausted(awaited: bool) -> None:
    transport = Failing(*(Throttled("ProvisionedThroughputExceededException", "slower") for _ in range(9)))
    with pytest.raises(Throttled, match="slower") as throttled:
        ask(Session(transport, QUICK), READ, awaited)
    assert transport.sent == 4
    assert isinstance(throttled.value, RequestRefused)
    assert throttled.value.code == "ProvisionedThroughputExceededException"


def test_request_session_does_not_retry_other_errors() -> None:
    transport = Failing(RequestRefused("ValidationException", "no"))
    with pytest.raises(RequestRefused):
        Session(transport, QUICK).send(READ)
    assert transport.sent == 1


def test_retries_pause_twice_as_long_each_time_with_jitter() -> None:
    retries = Retries(first_seconds=0.1, seconds_max=0.5)
    assert [retries.pause(attempt, lambda: 1.0) for attempt in range(1, 6)] == [0.1, 0.2, 0.4, 0.5, 0.5]
    assert retries.pause(3, lambda: 0.25) == 0.1
    assert 0 <= retries.pause(1) <= 0.1


@pytest.mark.parametrize("wrong", [0, -1, float("nan")])
def test_retries_settings_reject_a_timeout_that_is_not_above_zero(wrong: float) -> None:
    for name in ("connect", "read"):
        with pytest.raises(ValueError, match=rf"timeouts\.{name} must be"):
            Timeouts(**{name: wrong})


def test_request_session_calls_a_hook_for_every_request(place: Place) -> None:
    seen: list[RequestEvent] = []
    with place.open(Shop, hook=seen.append) as shop:
        seen.clear()
        shop.put(order(1))
        shop.order("o0001")
        list(shop.orders_of_customer.all("c1"))
        with pytest.raises(ConditionFailed):
            shop.update(order(1), field(Order, lambda o: o.note).set("x"), where=lambda o: o.status == "OPEN")
    told = [(each.operation, each.pattern, each.attempts) for each in seen]
    assert told[:3] == [("PutItem", None, 1), ("GetItem", "order", 1), ("Query", "orders_of_customer", 1)]
    assert told[3] == ("UpdateItem", None, 1)
    assert seen[0].error is None
    assert isinstance(seen[3].error, RequestRefused)
    assert seen[0].parameters["TableName"] == "Shop"
    assert all(each.seconds > 0 for each in seen)


@pytest.mark.parametrize("awaited", [False, True])
def test_request_session_executes_a_write_with_a_lost_response_once(shop: Shop, awaited: bool) -> None:
    shop.put(order(1))
    total = field(Order, lambda o: o.total)
    lose = iter([True])

    def lost(operation: str, answer: object) -> None:
        if operation == "UpdateItem" and next(lose, False):
            raise Unreachable("lost", sent=True)

    between(shop, answer=lost)

    def add() -> object:
        asked = (key(Order, id="o0001"), total.add(5))
        return asyncio.run(shop.aio.update(*asked)) if awaited else shop.update(*asked)

    with pytest.raises(Unreachable):
        add()
    found = shop.order("o0001")
    assert found is not None
    assert found.total == 5


def test_request_session_retries_a_repeatable_put(shop: Shop) -> None:
    lose = iter([True, True])

    def lost(operation: str, answer: object) -> None:
        if operation == "PutItem" and next(lose, False):
            raise Unreachable("lost", sent=True)

    seen = between(shop, answer=lost)
    shop.put(order(1))
    assert seen.operations == ["PutItem"] * 3
    lose = iter([True])
    with pytest.raises(Unreachable):
        shop.create(Customer(id="c1", name="Ada"))
