"""Work without input and output: generators that yield requests and are sent the answers, run by a thread or by a loop.

Every read and write of the data layer is written once, in this form. `run` drives it on the caller's thread,
`run_async` on an event loop; what is asked at once may be asked concurrently by either.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from singletable.errors import RequestRefused, Unreachable

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
    """Requests of which one may be refused and the others count all the same."""

    calls: Sequence[Call]


@dataclass(frozen=True, slots=True)
class InPieces:
    """A request for a page whose items may come in pieces, where the transport has them so."""

    call: Call


@dataclass(frozen=True)
class Pause:
    """Some time that passes before the next request."""

    seconds: float


Outcome = bytes | RequestRefused | Unreachable
"""The body of an answer, or why there is none."""

Asked = Sequence[Call] | Each | InPieces | Pause
"""What work may yield."""

Steps = Generator[Asked, Sequence[bytes], R]
"""Yields requests that do not depend on each other, is sent the bodies of their answers, and returns the result."""


def each(calls: Sequence[Call]) -> Steps[Sequence[Outcome]]:
    """What became of each of these requests."""
    outcomes: Sequence[Any] = yield Each(calls)
    return outcomes


def in_pieces(call: Call) -> Steps[bytes | Pieces]:
    """The answer to a request for a page: its body, or its items in pieces."""
    answers: Sequence[Any] = yield InPieces(call)
    return answers[0]  # type: ignore[no-any-return]  # of the one kind that this step yields


def pause(seconds: float) -> Steps[None]:
    """Lets some time pass."""
    yield Pause(seconds)


class Asks(Protocol):
    """Whoever answers requests on the caller's thread."""

    def ask_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The bodies of the answers, in order; raises RequestRefused for the first that is refused."""
        ...

    def ask_each(self, calls: Sequence[Call]) -> Sequence[Outcome]:
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

    async def ask_each_async(self, calls: Sequence[Call]) -> Sequence[Outcome]:
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
                answers = _answers(asked, session)
            except RequestRefused as refusal:
                asked = steps.throw(refusal)
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
            except RequestRefused as refusal:
                asked = steps.throw(refusal)
            else:
                asked = steps.send(answers)
    except StopIteration as finished:
        result: R = finished.value
        return result


def _answers(asked: Asked, session: Asks) -> Sequence[Any]:
    if type(asked) is tuple or type(asked) is list:  # as nearly always
        return session.ask_all(asked)
    if isinstance(asked, InPieces):
        return (session.ask_in_pieces(asked.call),)
    if isinstance(asked, Each):
        return session.ask_each(asked.calls)
    if isinstance(asked, Pause):
        session.wait(asked.seconds)
        return ()
    return session.ask_all(asked)


async def _answers_async(asked: Asked, session: AsksAsync) -> Sequence[Any]:
    if isinstance(asked, InPieces):
        return (await session.ask_in_pieces_async(asked.call),)
    if isinstance(asked, Each):
        return await session.ask_each_async(asked.calls)
    if isinstance(asked, Pause):
        await session.wait_async(asked.seconds)
        return ()
    return await session.ask_all_async(asked)
