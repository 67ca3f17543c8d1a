"""A session: one transport with what every request through it gets: retries, counts, and a hook to watch it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import msgspec

from singletable.client.answers import Pieces
from singletable.client.policy import Retries
from singletable.client.refusals import THROTTLING
from singletable.client.steps import Call, Outcome
from singletable.client.tracing import Tracing
from singletable.client.transport import Transport, in_process
from singletable.client.watched import Hook, Watched, asking
from singletable.errors import ArgumentRefused, RequestRefused, Unreachable

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_encode = msgspec.json.Encoder().encode
R = TypeVar("R")
A = TypeVar("A", bytes, Pieces)

# Faults of the service's own, after which a write may have been done and may not.
UNSURE = frozenset(("InternalFailure", "InternalServerError", "InternalServerErrorException"))
# What DynamoDB refuses now and may do a moment later.
PASSING = (
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
# Why DynamoDB cancels a transaction now and may carry it out a moment later.
PASSING_REASONS = frozenset(("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"))
CONCURRENT_MAX = 32


@dataclass
class Session:
    """What stands between a table and its transport."""

    transport: Transport
    retries: Retries = field(default_factory=Retries)
    hook: Hook | None = None
    tracing: Tracing | None = None
    clock: Callable[[], float] = time.time
    _threads: ThreadPoolExecutor | None = None
    _making: Lock = field(default_factory=Lock)

    @property
    def is_watched(self) -> bool:
        """Whether anybody wants to know of requests."""
        return self.hook is not None or (self.tracing is not None and self.tracing.is_on())

    def ask_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The answers, in order; several are asked for at once, each on a thread."""
        if len(calls) == 1:
            return (self._sent(calls[0], self.transport.send),)
        return self._at_once(self.ask, calls)

    async def ask_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The answers, in order; several are asked for at once."""
        return (await self.ask_async(calls[0]),) if len(calls) == 1 else await _at_once(self.ask_async, calls)

    def ask_each(self, calls: Sequence[Call]) -> Sequence[Outcome]:
        """What became of each request, in order; several are made at once, each on a thread."""
        return (self._outcome(calls[0]),) if len(calls) == 1 else self._at_once(self._outcome, calls)

    async def ask_each_async(self, calls: Sequence[Call]) -> Sequence[Outcome]:
        """The same, awaited."""
        return await _at_once(self._outcome_async, calls)

    def wait(self, seconds: float) -> None:
        """Lets some time pass."""
        time.sleep(seconds)

    async def wait_async(self, seconds: float) -> None:
        """The same, awaited."""
        import asyncio

        await asyncio.sleep(seconds)

    def ask(self, call: Call) -> bytes:
        """One answer; what passes by itself is asked again."""
        return self._sent(call, self.transport.send)

    def ask_in_pieces(self, call: Call) -> bytes | Pieces:
        """The answer to a request for a page; whole where somebody watches, or the transport has no pieces."""
        inside = None if self.is_watched else in_process(self.transport)
        return self.ask(call) if inside is None else self._sent(call, inside.send_for_pieces)

    async def ask_async(self, call: Call) -> bytes:
        """One answer, awaited."""
        return await self._sent_async(call, self.transport.send_async)

    async def ask_in_pieces_async(self, call: Call) -> bytes | Pieces:
        """The answer to a request for a page, awaited."""
        inside = None if self.is_watched else in_process(self.transport)
        if inside is None:
            return await self.ask_async(call)
        return await self._sent_async(call, inside.send_for_pieces_async)

    def _sent(self, call: Call, send: Callable[[str, bytes], A]) -> A:
        body = _body(call)
        attempt, started = 1, time.perf_counter()
        while True:
            try:
                answer = send(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                if not self._is_passing(call, problem, attempt):
                    self._watched(call, attempt, started, None, problem)
                    raise
                time.sleep(self.retries.pause(attempt))
                attempt += 1
                continue
            if self.is_watched:
                self._watched(call, attempt, started, answer)
            return answer

    async def _sent_async(self, call: Call, send: Callable[[str, bytes], Awaitable[A]]) -> A:
        body = _body(call)
        attempt, started = 1, time.perf_counter()
        while True:
            try:
                answer = await send(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                if not self._is_passing(call, problem, attempt):
                    self._watched(call, attempt, started, None, problem)
                    raise
                await self.wait_async(self.retries.pause(attempt))
                attempt += 1
                continue
            if self.is_watched:
                self._watched(call, attempt, started, answer)
            return answer

    def _outcome(self, call: Call) -> Outcome:
        try:
            return self.ask(call)
        except (RequestRefused, Unreachable) as problem:
            return problem

    async def _outcome_async(self, call: Call) -> Outcome:
        try:
            return await self.ask_async(call)
        except (RequestRefused, Unreachable) as problem:
            return problem

    def _at_once(self, ask: Callable[[Call], R], calls: Sequence[Call]) -> Sequence[R]:
        threads = self._threads or self._made_threads()
        contexts = [copy_context() for _ in calls]  # what is current here is current on the threads
        return list(threads.map(lambda context, call: context.run(ask, call), contexts, calls))

    def _made_threads(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor

        with self._making:
            self._threads = self._threads or ThreadPoolExecutor(CONCURRENT_MAX, thread_name_prefix="singletable")
        return self._threads

    def _is_passing(self, call: Call, problem: RequestRefused | Unreachable, attempt: int) -> bool:
        if attempt >= self.retries.attempts:
            return False
        if isinstance(problem, Unreachable):
            return call.repeatable or not problem.sent
        if _is_passing_cancellation(problem):
            return True
        return problem.code in PASSING and (call.repeatable or problem.code not in UNSURE)

    def _watched(
        self,
        call: Call,
        attempts: int,
        started: float,
        answer: bytes | Pieces | None,
        refusal: RequestRefused | Unreachable | None = None,
    ) -> None:
        seconds = time.perf_counter() - started
        watched = Watched(call.operation, call.parameters, attempts, seconds, refusal, asking.get())
        if self.tracing is not None and self.tracing.is_on():
            self.tracing.note(watched, answer if isinstance(answer, bytes) else None)
        if self.hook is not None:
            self.hook(watched)

    def close(self) -> None:
        """Ends the threads and the transport."""
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
        self.transport.close()

    async def close_async(self) -> None:
        """The same, awaited."""
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
        await self.transport.close_async()


def _body(call: Call) -> bytes:
    try:
        return _encode(call.parameters)
    except UnicodeEncodeError as problem:
        said = problem.object[max(0, problem.start - 10) : problem.end]
        raise ArgumentRefused(
            f"the text {said!r} holds half of a surrogate pair, which has no UTF-8 form; pass whole characters"
        ) from None


def _is_passing_cancellation(refusal: RequestRefused) -> bool:
    """Whether a transaction was cancelled for nothing but what passes by itself."""
    if refusal.code != "TransactionCanceledException":
        return False
    codes = {reason.get("Code", "None") for reason in refusal.fields.get("CancellationReasons") or ()} - {"None"}
    return bool(codes) and codes <= PASSING_REASONS


async def _at_once(ask: Callable[[Call], Awaitable[R]], calls: Sequence[Call]) -> Sequence[R]:
    import asyncio

    room = asyncio.Semaphore(CONCURRENT_MAX)

    async def ask_in_turn(call: Call) -> R:
        async with room:
            return await ask(call)

    return await asyncio.gather(*(ask_in_turn(call) for call in calls))
