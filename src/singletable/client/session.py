"""A session: one transport with what every request through it gets: retries, counts, and a hook to watch it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

import msgspec

from singletable.client.steps import Call
from singletable.client.transport import Transport
from singletable.errors import RequestRefused, Unreachable

_encode = msgspec.json.Encoder().encode

# What DynamoDB refuses now and may do a moment later.
PASSING = frozenset(
    (
        "InternalServerError",
        "ItemCollectionSizeLimitExceededException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransactionInProgressException",
    )
)
CONCURRENT_MAX = 32


@dataclass(frozen=True)
class Retries:
    """How often a request is sent again, and how long is waited before: full jitter, doubled each time."""

    attempts: int = 5
    first_seconds: float = 0.05
    seconds_max: float = 5.0

    def pause(self, attempt: int, chance: Callable[[], float] = random.random) -> float:
        """The seconds to wait after so many attempts."""
        longest: float = min(self.seconds_max, self.first_seconds * 2.0 ** (attempt - 1))
        return chance() * longest


@dataclass
class Watched:
    """One request as a hook sees it, when it is over: how often it was sent, how long it took, why it was refused."""

    operation: str
    parameters: dict[str, Any]
    attempts: int
    seconds: float
    refusal: RequestRefused | Unreachable | None = None


Hook = Callable[[Watched], None]


@dataclass
class Session:
    """What stands between a table and its transport."""

    transport: Transport
    retries: Retries = field(default_factory=Retries)
    hook: Hook | None = None
    clock: Callable[[], float] = time.time
    _threads: ThreadPoolExecutor | None = None

    def ask_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The answers, in order; several are asked for at once, each on a thread."""
        if len(calls) == 1:
            return (self.ask(calls[0]),)
        if self._threads is None:
            self._threads = ThreadPoolExecutor(CONCURRENT_MAX, thread_name_prefix="singletable")
        # Each thread gets the caller's context, as a task would: whoever watches requests knows whose they are.
        contexts = [copy_context() for _ in calls]
        return list(self._threads.map(lambda context, call: context.run(self.ask, call), contexts, calls))

    async def ask_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """The answers, in order; several are asked for at once."""
        if len(calls) == 1:
            return (await self.ask_async(calls[0]),)
        room = asyncio.Semaphore(CONCURRENT_MAX)

        async def ask(call: Call) -> bytes:
            async with room:
                return await self.ask_async(call)

        return await asyncio.gather(*(ask(call) for call in calls))

    def ask(self, call: Call) -> bytes:
        """One answer; what passes by itself is asked again."""
        body = _encode(call.parameters)
        attempt, started = 1, time.perf_counter()
        while True:
            try:
                answer = self.transport.send(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                if not self._is_passing(call, problem, attempt):
                    self._watched(call, attempt, started, problem)
                    raise
                time.sleep(self.retries.pause(attempt))
                attempt += 1
                continue
            if self.hook is not None:
                self._watched(call, attempt, started)
            return answer

    async def ask_async(self, call: Call) -> bytes:
        """One answer, awaited."""
        body = _encode(call.parameters)
        attempt, started = 1, time.perf_counter()
        while True:
            try:
                answer = await self.transport.send_async(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                if not self._is_passing(call, problem, attempt):
                    self._watched(call, attempt, started, problem)
                    raise
                await asyncio.sleep(self.retries.pause(attempt))
                attempt += 1
                continue
            if self.hook is not None:
                self._watched(call, attempt, started)
            return answer

    def _is_passing(self, call: Call, problem: RequestRefused | Unreachable, attempt: int) -> bool:
        if attempt >= self.retries.attempts:
            return False
        if isinstance(problem, Unreachable):
            return call.repeatable or not problem.sent
        return problem.code in PASSING

    def _watched(
        self, call: Call, attempts: int, started: float, refusal: RequestRefused | Unreachable | None = None
    ) -> None:
        if self.hook is not None:
            self.hook(Watched(call.operation, call.parameters, attempts, time.perf_counter() - started, refusal))

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
