"""Steps: yielded requests are sent, waited for, or rejected, on a thread and on an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from singletable.client.request_session import Session
from singletable.client.request_steps import Call, Steps, pause, run, run_async, send_each
from singletable.client.retries import Retries
from singletable.client.transport import SendResult, Transport
from singletable.errors import RequestRefused, Unreachable


class Echo(Transport):
    """A transport that responds with the operation, and rejects some operations."""

    name = "echo:"

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, operation: str, body: bytes) -> bytes:
        self.sent.append(operation)
        if operation == "Refused":
            raise RequestRefused("ValidationException", "no")
        if operation == "Lost":
            raise Unreachable("gone", sent=True)
        return operation.encode()

    async def send_async(self, operation: str, body: bytes) -> bytes:
        return self.send(operation, body)

    def close(self) -> None: ...
    async def close_async(self) -> None: ...


class Watch(Session):
    """A session that records pauses without waiting."""

    waited: list[float]

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    async def wait_async(self, seconds: float) -> None:
        self.waited.append(seconds)


def session(attempts: int = 2) -> Watch:
    made = Watch(Echo(), Retries(attempts, first_seconds=0.0))
    made.waited = []
    return made


def calls(*operations: str) -> list[Call]:
    return [Call(operation, {}) for operation in operations]


def driven(steps: Steps[object], watch: Watch, awaited: bool) -> object:
    return asyncio.run(run_async(steps, watch)) if awaited else run(steps, watch)


BOTH = pytest.mark.parametrize("awaited", [False, True])


@BOTH
def test_request_steps_receive_the_results_of_send_each_in_order(awaited: bool) -> None:
    outcomes: list[Sequence[SendResult]] = []

    def steps() -> Steps[str]:
        outcomes.append((yield from send_each(calls("A", "Refused", "B", "Lost"))))
        outcomes.append((yield from send_each(calls("Refused"))))
        (answer,) = yield calls("C")
        return answer.decode()

    with_one = session()
    assert driven(steps(), with_one, awaited) == "C"
    first, second = outcomes
    assert [first[0], first[2]] == [b"A", b"B"]
    assert [type(first[1]), type(first[3]), type(second[0])] == [RequestRefused, Unreachable, RequestRefused]
    with_one.close()


@BOTH
def test_request_steps_that_pause_wait_in_the_session(awaited: bool) -> None:
    def steps() -> Steps[None]:
        yield from pause(0.25)
        yield calls("A")
        yield from pause(0.5)

    watch = session()
    driven(steps(), watch, awaited)
    assert watch.waited == [0.25, 0.5]


@BOTH
def test_an_error_is_raised_inside_the_request_steps_that_sent_the_request(awaited: bool) -> None:
    def steps() -> Steps[str]:
        try:
            yield calls("A", "Refused")
        except RequestRefused as refusal:
            return refusal.message
        return "none"

    watch = session()
    assert driven(steps(), watch, awaited) == "no"
    watch.close()


def test_request_session_really_waits() -> None:
    session = Session(Echo())
    before = time.perf_counter()
    session.wait(0.02)
    asyncio.run(session.wait_async(0.02))
    assert time.perf_counter() - before >= 0.039


def test_retries_pause_with_full_jitter() -> None:
    retries = Retries(attempts=9, first_seconds=0.1, seconds_max=1.0)
    longest = [retries.pause(attempt, chance=lambda: 1.0) for attempt in range(1, 7)]
    assert longest == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0, 1.0])
    assert [retries.pause(attempt, chance=lambda: 0.0) for attempt in (1, 5)] == [0.0, 0.0]
