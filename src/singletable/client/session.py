"""A session: one transport with what every request through it gets: retries, counts, and a hook to watch it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from singletable.client.answers import Pieces
from singletable.client.policy import Retries
from singletable.client.refusals import THROTTLING, not_utf8
from singletable.client.steps import Call
from singletable.client.tracing import Tracing
from singletable.client.transport import Meanwhile, Outcome, Transport, in_process
from singletable.client.watched import Hook, Watched, asking
from singletable.errors import RequestRefused, Unreachable

_encode = msgspec.json.Encoder().encode
R = TypeVar("R")
A = TypeVar("A", bytes, Pieces)
Problem = RequestRefused | Unreachable

# Internal errors of the service, after which a write may or may not have happened.
UNSURE = frozenset(("InternalFailure", "InternalServerError", "InternalServerErrorException"))
# Errors after which the same request may succeed.
RETRYABLE = (
    THROTTLING
    | UNSURE
    | {
        "ItemCollectionSizeLimitExceededException",
        "LimitExceededException",
        "ReplicatedWriteConflictException",
        "ServiceUnavailable",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
# Reasons to cancel a transaction after which the same one may succeed.
RETRYABLE_REASONS = frozenset(("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"))
CONCURRENT_MAX = 32


@dataclass
class Session:
    """What stands between a table and its transport."""

    transport: Transport
    retries: Retries = field(default_factory=Retries)
    hook: Hook | None = None
    tracing: Tracing | None = None
    clock: Callable[[], float] = time.time

    @property
    def is_watched(self) -> bool:
        """Whether a hook or a tracer receives every request."""
        return self.hook is not None or (self.tracing is not None and self.tracing.is_on())

    def ask(self, call: Call) -> bytes:
        """The body of one answer; retryable errors are retried."""
        if self.hook is None and (self.tracing is None or not self.tracing.is_on()):
            body = _body(call)
            try:
                return self.transport.send(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                return self._sent(call, self.transport.send, problem)
        return self._sent(call, self.transport.send)

    def ask_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The bodies of several answers, in order; the requests are made concurrently."""
        if len(calls) == 1:
            return (self.ask(calls[0]),)
        answers: list[bytes] = []
        for outcome in self.ask_each(calls):
            if not isinstance(outcome, bytes):
                raise outcome
            answers.append(outcome)
        return answers

    async def ask_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The same, awaited."""
        return (await self.ask_async(calls[0]),) if len(calls) == 1 else await _at_once(self.ask_async, calls)

    def ask_each(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """The outcome of each request, in order; retryable errors are retried.

        `meanwhile` is called once, while the requests are under way.
        """
        works = [self._attempts(call, None) for call in calls]
        outcomes: dict[int, Outcome] = {}
        pauses: dict[int, float] = {}
        bodies: dict[int, bytes] = {}

        def advance(number: int, answer: Outcome | None) -> None:
            work = works[number]
            try:
                step = work.throw(answer) if isinstance(answer, Exception) else work.send(answer)
            except StopIteration as finished:
                outcomes[number] = finished.value
            except (RequestRefused, Unreachable) as problem:
                outcomes[number] = problem
            else:
                if isinstance(step, bytes):
                    bodies[number] = step
                else:
                    pauses[number] = step

        for number in range(len(calls)):
            advance(number, None)
        while bodies or pauses:
            if bodies:
                sent, bodies = bodies, {}
                requests = [(calls[each].operation, body) for each, body in sent.items()]
                answers = self.transport.send_each(requests, meanwhile)
                meanwhile = None
                for number, answer in zip(sent, answers, strict=True):
                    advance(number, answer)
            else:
                paused, pauses = pauses, {}
                time.sleep(max(paused.values()))
                for number in paused:
                    advance(number, None)
        return [outcomes[number] for number in range(len(calls))]

    async def ask_each_async(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """The same, awaited; the requests are made concurrently."""
        return await _at_once(self._outcome_async, calls, meanwhile)

    def wait(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

    async def wait_async(self, seconds: float) -> None:
        """The same, awaited."""
        import asyncio

        await asyncio.sleep(seconds)

    def ask_in_pieces(self, call: Call) -> bytes | Pieces:
        """The answer to a request for a page; whole where it is watched, or the transport has no pieces."""
        inside = None if self.is_watched else in_process(self.transport)
        return self.ask(call) if inside is None else self._sent(call, inside.send_for_pieces)

    async def ask_async(self, call: Call) -> bytes:
        """The body of one answer, awaited."""
        if self.hook is None and (self.tracing is None or not self.tracing.is_on()):
            body = _body(call)
            try:
                return await self.transport.send_async(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                return await self._sent_async(call, self.transport.send_async, problem)
        return await self._sent_async(call, self.transport.send_async)

    async def ask_in_pieces_async(self, call: Call) -> bytes | Pieces:
        """The answer to a request for a page, awaited."""
        inside = None if self.is_watched else in_process(self.transport)
        if inside is None:
            return await self.ask_async(call)
        return await self._sent_async(call, inside.send_for_pieces_async)

    def _attempts(self, call: Call, first: Problem | None) -> Generator[bytes | float, Any, Any]:
        """Sends a request as often as its errors are retryable: yields a body to send, or seconds to wait.

        `first` is the error of a first attempt that was made before.
        """
        body, started = _body(call), time.perf_counter()
        attempt = 1
        while True:
            try:
                if first is not None:
                    raise first
                answer = yield body
            except (RequestRefused, Unreachable) as problem:
                first = None
                if not self._is_retryable(call, problem, attempt):
                    self._watched(call, attempt, started, None, problem)
                    raise
            else:
                if self.is_watched:
                    self._watched(call, attempt, started, answer)
                return answer
            yield self.retries.pause(attempt)
            attempt += 1

    def _sent(self, call: Call, send: Callable[[str, bytes], A], first: Problem | None = None) -> A:
        attempts = self._attempts(call, first)
        try:
            asked = next(attempts)
            while True:
                if not isinstance(asked, bytes):
                    time.sleep(asked)
                    asked = next(attempts)
                    continue
                try:
                    answer = send(call.operation, asked)
                except (RequestRefused, Unreachable) as problem:
                    asked = attempts.throw(problem)
                else:
                    asked = attempts.send(answer)
        except StopIteration as finished:
            result: A = finished.value
            return result

    async def _sent_async(
        self, call: Call, send: Callable[[str, bytes], Awaitable[A]], first: Problem | None = None
    ) -> A:
        attempts = self._attempts(call, first)
        try:
            asked = next(attempts)
            while True:
                if not isinstance(asked, bytes):
                    await self.wait_async(asked)
                    asked = next(attempts)
                    continue
                try:
                    answer = await send(call.operation, asked)
                except (RequestRefused, Unreachable) as problem:
                    asked = attempts.throw(problem)
                else:
                    asked = attempts.send(answer)
        except StopIteration as finished:
            result: A = finished.value
            return result

    async def _outcome_async(self, call: Call) -> Outcome:
        try:
            return await self.ask_async(call)
        except (RequestRefused, Unreachable) as problem:
            return problem

    def _is_retryable(self, call: Call, problem: RequestRefused | Unreachable, attempt: int) -> bool:
        if attempt >= self.retries.attempts:
            return False
        if isinstance(problem, Unreachable):
            return call.repeatable or not problem.sent
        if _is_retryable_cancellation(problem):
            return True
        return problem.code in RETRYABLE and (call.repeatable or problem.code not in UNSURE)

    def _watched(
        self,
        call: Call,
        attempts: int,
        started: float,
        answer: bytes | Pieces | None,
        refusal: RequestRefused | Unreachable | None = None,
    ) -> None:
        seconds = time.perf_counter() - started
        if self.hook is None and (self.tracing is None or not self.tracing.is_on()):
            return
        parameters = msgspec.json.decode(_body(call))  # which may hold items as JSON
        watched = Watched(call.operation, parameters, attempts, seconds, refusal, asking.get())
        if self.tracing is not None and self.tracing.is_on():
            self.tracing.note(watched, answer if isinstance(answer, bytes) else None)
        if self.hook is not None:
            self.hook(watched)

    def close(self) -> None:
        """Closes the transport."""
        self.transport.close()

    async def close_async(self) -> None:
        """The same, awaited."""
        await self.transport.close_async()


def _body(call: Call) -> bytes:
    try:
        return _encode(call.parameters)
    except UnicodeEncodeError as problem:
        raise not_utf8(problem) from None


def _is_retryable_cancellation(refusal: RequestRefused) -> bool:
    """Whether a transaction was cancelled for nothing but what passes by itself."""
    if refusal.code != "TransactionCanceledException":
        return False
    codes = {reason.get("Code", "None") for reason in refusal.fields.get("CancellationReasons") or ()} - {"None"}
    return bool(codes) and codes <= RETRYABLE_REASONS


async def _at_once(
    ask: Callable[[Call], Awaitable[R]], calls: Sequence[Call], meanwhile: Meanwhile | None = None
) -> Sequence[R]:
    import asyncio

    room = asyncio.Semaphore(CONCURRENT_MAX)

    async def ask_in_turn(call: Call) -> R:
        async with room:
            return await ask(call)

    answers = asyncio.gather(*map(ask if len(calls) <= CONCURRENT_MAX else ask_in_turn, calls))
    if meanwhile is not None:
        try:
            await asyncio.sleep(0)  # until the requests are sent
            meanwhile()
        except BaseException:
            answers.cancel()
            raise
    return await answers
