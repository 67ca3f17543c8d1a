"""Work without input and output: what it yields is asked for, waited for, or refused, on a thread and on a loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from singletable.client.policy import Retries
from singletable.client.session import Session
from singletable.client.steps import Call, Steps, each, pause, run, run_async
from singletable.client.transport import Outcome, Transport
from singletable.errors import RequestRefused, Unreachable


class Echo(Transport):
    """A transport that answers with the operation, and refuses some."""

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
    """A session that notes how long it was asked to wait, and waits for nothing."""

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
def test_what_became_of_each_is_told_in_order(awaited: bool) -> None:
    outcomes: list[Sequence[Outcome]] = []

    def steps() -> Steps[str]:
        outcomes.append((yield from each(calls("A", "Refused", "B", "Lost"))))
        outcomes.append((yield from each(calls("Refused"))))
        (answer,) = yield calls("C")
        return answer.decode()

    with_one = session()
    assert driven(steps(), with_one, awaited) == "C"
    first, second = outcomes
    assert [first[0], first[2]] == [b"A", b"B"]
    assert [type(first[1]), type(first[3]), type(second[0])] == [RequestRefused, Unreachable, RequestRefused]
    with_one.close()


@BOTH
def test_a_pause_is_the_sessions(awaited: bool) -> None:
    def steps() -> Steps[None]:
        yield from pause(0.25)
        yield calls("A")
        yield from pause(0.5)

    watch = session()
    driven(steps(), watch, awaited)
    assert watch.waited == [0.25, 0.5]


@BOTH
def test_a_refusal_of_one_of_all_is_raised_where_they_were_asked(awaited: bool) -> None:
    def steps() -> Steps[str]:
        try:
            yield calls("A", "Refused")
        except RequestRefused as refusal:
            return refusal.message
        return "none"

    watch = session()
    assert driven(steps(), watch, awaited) == "no"
    watch.close()


def test_a_session_really_waits() -> None:
    session = Session(Echo())
    before = time.perf_counter()
    session.wait(0.02)
    asyncio.run(session.wait_async(0.02))
    assert time.perf_counter() - before >= 0.039


def test_pauses_have_full_jitter() -> None:
    retries = Retries(attempts=9, first_seconds=0.1, seconds_max=1.0)
    longest = [retries.pause(attempt, chance=lambda: 1.0) for attempt in range(1, 7)]
    assert longest == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0, 1.0])
    assert [retries.pause(attempt, chance=lambda: 0.0) for attempt in (1, 5)] == [0.0, 0.0]
