"""Work without input and output: generators that yield requests and are sent the answers, run by a thread or by a loop.

Every read and write of the data layer is written once, in this form. `run` drives it on the caller's thread,
`run_async` on an event loop; what is asked at once may be asked concurrently by either.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from singletable.client.transport import Meanwhile, Outcome
from singletable.errors import RequestRefused, SingletableError, Unreachable

if TYPE_CHECKING:
    from singletable.client.answers import Pieces  # which loads msgspec

R = TypeVar("R")


class Call(NamedTuple):
    """One request: the operation by DynamoDB's name, and its parameters in DynamoDB JSON."""

    operation: str
    parameters: dict[str, Any]
    repeatable: bool = True
    """Whether it may be sent again when its answer was lost."""


@dataclass(frozen=True)
class Each:
    """Requests of which one may be rejected and the others count all the same."""

    calls: Sequence[Call]
    meanwhile: Meanwhile | None = None


@dataclass(frozen=True, slots=True)
class InPieces:
    """A request for a page whose items may come in pieces, where the transport has them so."""

    call: Call


@dataclass(frozen=True)
class Pause:
    """Some time that passes before the next request."""

    seconds: float


Asked = Sequence[Call] | Each | InPieces | Pause
"""What work may yield."""

Steps = Generator[Asked, Sequence[bytes], R]
"""Yields requests that do not depend on each other, is sent the bodies of their answers, and returns the result."""


def each(calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Steps[Sequence[Outcome]]:
    """The outcome of each of these requests."""
    outcomes: Sequence[Any] = yield Each(calls, meanwhile)
    return outcomes


def in_pieces(call: Call) -> Steps[bytes | Pieces]:
    """The answer to a request for a page: its body, or its items in pieces."""
    answers: Sequence[Any] = yield InPieces(call)
    return answers[0]  # type: ignore[no-any-return]  # of the one kind that this step yields


def pause(seconds: float) -> Steps[None]:
    """Lets some time pass."""
    yield Pause(seconds)


def concurrently(works: Sequence[Steps[R]]) -> Steps[list[R | SingletableError]]:
    """Several works side by side: their requests are made together; the result or the error of each, in order."""
    results: dict[int, R | SingletableError] = {}
    waiting: dict[int, Asked] = {}

    def step(number: int, advance: Callable[[], Asked]) -> None:
        try:
            waiting[number] = advance()
        except StopIteration as finished:
            results[number] = finished.value
        except SingletableError as problem:
            results[number] = problem

    for number, work in enumerate(works):
        step(number, partial(next, work))
    while waiting:
        asked, waiting = waiting, {}
        paused = {number for number, each in asked.items() if isinstance(each, Pause)}
        if len(paused) == len(asked):
            yield Pause(max(each.seconds for each in asked.values() if isinstance(each, Pause)))
        calls = {number: _calls(asked[number]) for number in asked if number not in paused}
        outcomes = iter((yield from each([call for own in calls.values() for call in own])) if calls else ())
        for number in asked:
            own: list[Any] = [next(outcomes) for _ in calls.get(number, ())]
            failed = next((each for each in own if not isinstance(each, bytes)), None)
            if failed is None or isinstance(asked[number], Each):
                step(number, partial(works[number].send, own))
            else:
                step(number, partial(works[number].throw, failed))
    return [results[number] for number in range(len(works))]


def _calls(asked: Asked) -> Sequence[Call]:
    if isinstance(asked, Each):
        return asked.calls
    return (asked.call,) if isinstance(asked, InPieces) else () if isinstance(asked, Pause) else asked


class Asks(Protocol):
    """Answers requests on the caller's thread."""

    def ask(self, call: Call) -> bytes:
        """The body of one answer."""
        ...

    def ask_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The bodies of the answers, in order; raises RequestRefused for the first that is refused."""
        ...

    def ask_each(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """What became of each request, in order."""
        ...

    def ask_in_pieces(self, call: Call) -> bytes | Pieces:
        """The answer to a request for a page."""
        ...

    def wait(self, seconds: float) -> None:
        """Lets some time pass."""
        ...


class AsksAsync(Protocol):
    """Whoever answers requests on an event loop."""

    async def ask_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The same, awaited."""
        ...

    async def ask_each_async(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """The same, awaited."""
        ...

    async def ask_in_pieces_async(self, call: Call) -> bytes | Pieces:
        """The same, awaited."""
        ...

    async def wait_async(self, seconds: float) -> None:
        """The same, awaited."""
        ...


def run(steps: Steps[R], session: Asks) -> R:
    """Does the work on this thread."""
    try:
        asked = next(steps)
        while True:
            try:
                # Nearly always one request, which is worth a shorter way.
                if type(asked) is tuple and len(asked) == 1:
                    answers: Sequence[Any] = (session.ask(asked[0]),)
                else:
                    answers = _answers(asked, session)
            except (RequestRefused, Unreachable) as problem:
                asked = steps.throw(problem)
            else:
                asked = steps.send(answers)
    except StopIteration as finished:
        result: R = finished.value
        return result


async def run_async(steps: Steps[R], session: AsksAsync) -> R:
    """Does the work on the running event loop."""
    try:
        asked = next(steps)
        while True:
            try:
                answers = await _answers_async(asked, session)
            except (RequestRefused, Unreachable) as problem:
                asked = steps.throw(problem)
            else:
                asked = steps.send(answers)
    except StopIteration as finished:
        result: R = finished.value
        return result


def _answers(asked: Asked, session: Asks) -> Sequence[Any]:
    if isinstance(asked, InPieces):
        return (session.ask_in_pieces(asked.call),)
    if isinstance(asked, Each):
        return session.ask_each(asked.calls, asked.meanwhile)
    if isinstance(asked, Pause):
        session.wait(asked.seconds)
        return ()
    return session.ask_all(asked)


async def _answers_async(asked: Asked, session: AsksAsync) -> Sequence[Any]:
    if isinstance(asked, InPieces):
        return (await session.ask_in_pieces_async(asked.call),)
    if isinstance(asked, Each):
        return await session.ask_each_async(asked.calls, asked.meanwhile)
    if isinstance(asked, Pause):
        await session.wait_async(asked.seconds)
        return ()
    return await session.ask_all_async(asked)
