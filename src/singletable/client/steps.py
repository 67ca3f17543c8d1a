"""Work without input and output: generators that yield requests and are sent the answers, run by a thread or by a loop.

Every read and write of the data layer is written once, in this form. `run` drives it on the caller's thread,
`run_async` on an event loop; what is asked at once may be asked concurrently by either.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from singletable.errors import RequestRefused

R = TypeVar("R")


class Call(NamedTuple):
    """One request: the operation by DynamoDB's name, and its parameters in DynamoDB JSON."""

    operation: str
    parameters: dict[str, Any]
    repeatable: bool = True
    """Whether it may be sent again when its answer was lost."""


Steps = Generator[Sequence[Call], Sequence[bytes], R]
"""Yields requests that do not depend on each other, is sent the bodies of their answers, and returns the result."""


class Asks(Protocol):
    """Whoever answers requests on the caller's thread."""

    def ask_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The bodies of the answers, in order; raises RequestRefused for the first that is refused."""
        ...


class AsksAsync(Protocol):
    """Whoever answers requests on an event loop."""

    async def ask_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The same, awaited."""
        ...


def run(steps: Steps[R], session: Asks) -> R:
    """Does the work on this thread."""
    try:
        calls = next(steps)
        while True:
            try:
                answers = session.ask_all(calls)
            except RequestRefused as refusal:
                calls = steps.throw(refusal)
            else:
                calls = steps.send(answers)
    except StopIteration as finished:
        result: R = finished.value
        return result


async def run_async(steps: Steps[R], session: AsksAsync) -> R:
    """Does the work on the running event loop."""
    try:
        calls = next(steps)
        while True:
            try:
                answers = await session.ask_all_async(calls)
            except RequestRefused as refusal:
                calls = steps.throw(refusal)
            else:
                calls = steps.send(answers)
    except StopIteration as finished:
        result: R = finished.value
        return result
