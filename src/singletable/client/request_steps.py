"""Request steps: reads and writes as generators without I/O. They yield requests and receive the responses.

Each read and write is one generator, for synchronous code and asyncio. `run` runs the generator on the caller's thread,
`run_async` on an event loop. Both can send the requests of one step concurrently.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from singletable.client.transport import Meanwhile, SendResult
from singletable.errors import RequestRefused, SingletableError, Unreachable
from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from singletable.client.responses import PageChunks  # imports msgspec

R = TypeVar("R")
DESIGN_STATE = "design state"
"""The source of the request that reads the design state of a table."""
_OTHER_ERRORS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RecursionError)
"""The exceptions that the processing of an invalid response can raise."""


class Call(NamedTuple):
    """One request: the name of the operation, and its parameters in DynamoDB JSON."""

    operation: str
    parameters: dict[str, Any]
    repeatable: bool = True
    """Whether the request can be sent again if its response was lost."""
    source: str | None = None
    """The name of the pattern, or of the kind of read or write, in the metrics and in the log."""
    uses: tuple[Any, ...] = ()
    """During a migration: the uses of the old and new form of items that the phase must allow when this is sent."""


@dataclass(frozen=True)
class IndependentCalls:
    """Requests that succeed or fail independently."""

    calls: Sequence[Call]
    meanwhile: Meanwhile | None = None


@dataclass(frozen=True, slots=True)
class CallForChunks:
    """A request for a page, which the transport may return in chunks."""

    call: Call


@dataclass(frozen=True)
class Pause:
    """A pause before the next request."""

    seconds: float


Step = Sequence[Call] | IndependentCalls | CallForChunks | Pause
"""The values that steps can yield."""

Steps = Generator[Step, Sequence[bytes], R]
"""A generator that yields independent requests, receives the bodies of their responses, and returns a result."""


def send_each(calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Steps[Sequence[SendResult]]:
    """Send requests and return the result or error of each."""
    results: Sequence[Any] = yield IndependentCalls(calls, meanwhile)
    return results


def in_chunks(call: Call) -> Steps[bytes | PageChunks]:
    """Send a request for a page and return the body of the response, or its chunks."""
    responses: Sequence[Any] = yield CallForChunks(call)
    return responses[0]  # type: ignore[no-any-return]  # `CallForChunks` receives this type


def pause(seconds: float) -> Steps[None]:
    """Wait for a number of seconds."""
    yield Pause(seconds)


def concurrently(generators: Sequence[Steps[R]]) -> Steps[list[R | SingletableError]]:
    """Run several generators and send their requests together.

    Return the result or error of each generator, in order.
    """
    results: dict[int, R | SingletableError] = {}
    waiting: dict[int, Step] = {}

    def advance_one(number: int, advance: Callable[[], Step]) -> None:
        try:
            waiting[number] = advance()
        except StopIteration as finished:
            results[number] = finished.value
        except SingletableError as problem:
            results[number] = problem

    for number, generator in enumerate(generators):
        advance_one(number, partial(next, generator))
    while waiting:
        yielded, waiting = waiting, {}
        paused = {number for number, each in yielded.items() if isinstance(each, Pause)}
        if len(paused) == len(yielded):
            yield Pause(max(each.seconds for each in yielded.values() if isinstance(each, Pause)))
        calls = {number: _calls(yielded[number]) for number in yielded if number not in paused}
        results_of_calls = iter(
            (yield from send_each([call for own in calls.values() for call in own])) if calls else ()
        )
        for number in yielded:
            own: list[Any] = [next(results_of_calls) for _ in calls.get(number, ())]
            failed = next((each for each in own if not isinstance(each, bytes)), None)
            if failed is None or isinstance(yielded[number], IndependentCalls):
                advance_one(number, partial(generators[number].send, own))
            else:
                advance_one(number, partial(generators[number].throw, failed))
    return [results[number] for number in range(len(generators))]


def with_responses(steps: Steps[R], respond: Callable[[Step], Steps[Any]]) -> Steps[R]:
    """Run steps. `respond` sends each step, perhaps as other requests, and returns its responses."""
    try:
        step = next(steps)
        while True:
            try:
                responses = yield from respond(step)
            except (RequestRefused, Unreachable) as problem:
                step = steps.throw(problem)
            else:
                step = steps.send(responses)
    except StopIteration as finished:
        result: R = finished.value
        return result
    finally:
        steps.close()


def with_uses(step: Step, uses: tuple[Any, ...]) -> Step:
    """Return a step whose requests have these uses of the old and the new form of items."""
    if isinstance(step, Pause):
        return step
    calls = tuple(call._replace(uses=uses) for call in _calls(step))
    if isinstance(step, IndependentCalls):
        return IndependentCalls(calls, step.meanwhile)
    return CallForChunks(calls[0]) if isinstance(step, CallForChunks) else calls


def _calls(step: Step) -> Sequence[Call]:
    if isinstance(step, IndependentCalls):
        return step.calls
    return (step.call,) if isinstance(step, CallForChunks) else () if isinstance(step, Pause) else step


class SyncSession(Protocol):
    """Sends requests on the caller's thread."""

    def send(self, call: Call) -> bytes:
        """Send a request and return the body of its response."""
        ...

    def send_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """Send requests and return the bodies of their responses, in order; raises the first error."""
        ...

    def send_each(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Send requests and return the result or error of each, in order."""
        ...

    def send_in_chunks(self, call: Call) -> bytes | PageChunks:
        """Send a request for a page and return the body of the response, or its chunks."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        ...


class AsyncSession(Protocol):
    """Sends requests on an event loop."""

    async def send_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """Send requests and return the bodies of their responses, in order; raises the first error."""
        ...

    async def send_each_async(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Send requests and return the result or error of each, in order."""
        ...

    async def send_in_chunks_async(self, call: Call) -> bytes | PageChunks:
        """Send a request for a page and return the body of the response, or its chunks."""
        ...

    async def wait_async(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        ...


def run(steps: Steps[R], session: SyncSession) -> R:
    """Run the steps of a read or write on this thread."""
    step: Step = ()
    responses: Sequence[Any] = ()
    try:
        step = next(steps)
        while True:
            try:
                # Most steps are one request. This branch saves them two function calls.
                if type(step) is tuple and len(step) == 1:
                    responses = (session.send(step[0]),)
                else:
                    responses = _responses(step, session)
            except (RequestRefused, Unreachable) as problem:
                responses = ()
                step = steps.throw(problem)
            else:
                step = steps.send(responses)
    except StopIteration as finished:
        result: R = finished.value
        return result
    except _OTHER_ERRORS as problem:
        _raise_if_invalid(problem, step, responses)
        raise


def _raise_if_invalid(problem: Exception, step: Step, responses: Sequence[Any]) -> None:
    from singletable.client.response_checks import raise_if_invalid  # rarely needed

    raise_if_invalid(problem, _calls(step), responses)


async def run_async(steps: Steps[R], session: AsyncSession) -> R:
    """Run the steps of a read or write on the running event loop."""
    step: Step = ()
    responses: Sequence[Any] = ()
    try:
        step = next(steps)
        while True:
            try:
                responses = await _responses_async(step, session)
            except (RequestRefused, Unreachable) as problem:
                responses = ()
                step = steps.throw(problem)
            else:
                step = steps.send(responses)
    except StopIteration as finished:
        result: R = finished.value
        return result
    except _OTHER_ERRORS as problem:
        _raise_if_invalid(problem, step, responses)
        raise


def _responses(step: Step, session: SyncSession) -> Sequence[Any]:
    if isinstance(step, CallForChunks):
        return (session.send_in_chunks(step.call),)
    if isinstance(step, IndependentCalls):
        return session.send_each(step.calls, step.meanwhile)
    if isinstance(step, Pause):
        session.wait(step.seconds)
        return ()
    return session.send_all(step)


async def _responses_async(step: Step, session: AsyncSession) -> Sequence[Any]:
    if isinstance(step, CallForChunks):
        return (await session.send_in_chunks_async(step.call),)
    if isinstance(step, IndependentCalls):
        return await session.send_each_async(step.calls, step.meanwhile)
    if isinstance(step, Pause):
        await session.wait_async(step.seconds)
        return ()
    return await session.send_all_async(step)
