"""Session: sends requests through a transport, retries them, and reports them to hooks, tracing and metrics."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from singletable.client.metrics import Metrics
from singletable.client.request_log import DEBUG, RequestLog, is_lasting
from singletable.client.request_steps import DESIGN_STATE, Call
from singletable.client.responses import PageChunks, not_utf8
from singletable.client.retries import CONFLICTS, RETRYABLE, UNKNOWN_OUTCOME, Retries, is_retryable_cancellation
from singletable.client.tracing import RequestEvent, RequestHook, Tracing, current_pattern
from singletable.client.transport import Meanwhile, SendResult, Transport, in_process
from singletable.errors import RequestRefused, Unreachable
from singletable.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from singletable.client.design_lease import DesignLease

_encode = msgspec.json.Encoder().encode
R = TypeVar("R")
A = TypeVar("A", bytes, PageChunks)
Problem = RequestRefused | Unreachable

CONCURRENT_MAX = 32


class SessionDependent(Protocol):
    """An object that uses a session in the background."""

    def close(self) -> None:
        """Stop using the session."""
        ...

    async def close_async(self) -> None:
        """Stop using the session, without blocking the event loop."""
        ...


@dataclass
class Session:
    """A transport with retries, a hook, tracing, metrics and a log."""

    transport: Transport
    retries: Retries = field(default_factory=Retries)
    hook: RequestHook | None = None
    tracing: Tracing | None = None
    clock: Callable[[], float] = time.time
    metrics: Metrics | None = None
    log: RequestLog = field(default_factory=RequestLog)
    lease: DesignLease | None = None
    """The client's knowledge about the design of its table; None if no other client can change the design."""
    dependents: list[SessionDependent] = field(default_factory=list)
    """Objects that use the session in the background. The session closes them before its transport."""

    @property
    def is_observed(self) -> bool:
        """Whether a hook, a tracer or the log receives every request."""
        if self.hook is not None or (self.tracing is not None and self.tracing.is_on()):
            return True
        logger = self.log.logger
        return self.log.is_on() if logger is None else logger.isEnabledFor(DEBUG)

    def send(self, call: Call) -> bytes:
        """Send a request and return the body of its response; retries retryable errors."""
        if self.lease is not None and (call.uses or not self.lease.passes()):
            self._check_lease(self.lease, call)
        if not self.is_observed:
            body = _body(call)
            try:
                return self.transport.send(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                return self._send_with_retries(call, self.transport.send, problem)
        return self._send_with_retries(call, self.transport.send)

    def send_all(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """Send several requests concurrently and return the bodies of their responses, in order."""
        if len(calls) == 1:
            return (self.send(calls[0]),)
        responses: list[bytes] = []
        for result in self.send_each(calls):
            if not isinstance(result, bytes):
                raise result
            responses.append(result)
        return responses

    async def send_all_async(self, calls: Sequence[Call]) -> Sequence[bytes]:
        """Send several requests concurrently and return the bodies of their responses, in order."""
        return (
            (await self.send_async(calls[0]),) if len(calls) == 1 else await _send_concurrently(self.send_async, calls)
        )

    def send_each(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Send several requests and return the result or error of each, in order. Retry retryable errors.

        The session calls `meanwhile` once, while it waits for the responses.
        """
        if self.lease is not None and (not self.lease.passes() or any(call.uses for call in calls)):
            for call in calls:
                self._check_lease(self.lease, call)
        attempts = [self._attempts(call, None) for call in calls]
        results: dict[int, SendResult] = {}
        pauses: dict[int, float] = {}
        bodies: dict[int, bytes] = {}

        def advance(number: int, response: SendResult | None) -> None:
            attempt = attempts[number]
            try:
                step = attempt.throw(response) if isinstance(response, Exception) else attempt.send(response)
            except StopIteration as finished:
                results[number] = finished.value
            except (RequestRefused, Unreachable) as problem:
                results[number] = problem
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
                responses = self.transport.send_each(requests, meanwhile)
                meanwhile = None
                for number, response in zip(sent, responses, strict=True):
                    advance(number, response)
            else:
                paused, pauses = pauses, {}
                time.sleep(max(paused.values()))
                for number in paused:
                    advance(number, None)
        return [results[number] for number in range(len(calls))]

    async def send_each_async(self, calls: Sequence[Call], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Send several requests concurrently and return the result or error of each, in order."""
        return await _send_concurrently(self._result_async, calls, meanwhile)

    def wait(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        time.sleep(seconds)

    async def wait_async(self, seconds: float) -> None:
        """Wait for a number of seconds without blocking the event loop."""
        import asyncio

        await asyncio.sleep(seconds)

    def send_in_chunks(self, call: Call) -> bytes | PageChunks:
        """Send a request for a page. Return chunks if the transport supports them and nothing observes the request."""
        inside = None if self.is_observed else in_process(self.transport)
        if inside is None:
            return self.send(call)
        if self.lease is not None and (call.uses or not self.lease.passes()):
            self._check_lease(self.lease, call)
        return self._send_with_retries(call, inside.send_for_chunks)

    async def send_async(self, call: Call) -> bytes:
        """Send a request and return the body of its response; retries retryable errors."""
        if self.lease is not None and (call.uses or not self.lease.passes()):
            await self._check_lease_async(self.lease, call)
        if not self.is_observed:
            body = _body(call)
            try:
                return await self.transport.send_async(call.operation, body)
            except (RequestRefused, Unreachable) as problem:
                return await self._send_with_retries_async(call, self.transport.send_async, problem)
        return await self._send_with_retries_async(call, self.transport.send_async)

    async def send_in_chunks_async(self, call: Call) -> bytes | PageChunks:
        """Send a request for a page. Return chunks if the transport supports them and nothing observes the request."""
        inside = None if self.is_observed else in_process(self.transport)
        if inside is None:
            return await self.send_async(call)
        if self.lease is not None and (call.uses or not self.lease.passes()):
            await self._check_lease_async(self.lease, call)
        return await self._send_with_retries_async(call, inside.send_for_chunks_async)

    def _check_lease(self, lease: DesignLease, call: Call) -> None:
        """Read the design state again if it is due, and raise TableDiffers if the client must not send the request."""
        if call.source == DESIGN_STATE:  # the request that reads the state
            return
        if lease.is_due:
            request = lease.request()
            asked_at = lease.asked_at
            # a failed read leaves the known state unchanged; its age then limits the writes
            with suppress(RequestRefused, Unreachable):
                lease.renew(self._send_with_retries(request, self.transport.send), asked_at)
        lease.check(call.operation, call.uses)

    async def _check_lease_async(self, lease: DesignLease, call: Call) -> None:
        if call.source == DESIGN_STATE:
            return
        if lease.is_due:
            request = lease.request()
            asked_at = lease.asked_at
            with suppress(RequestRefused, Unreachable):
                lease.renew(await self._send_with_retries_async(request, self.transport.send_async), asked_at)
        lease.check(call.operation, call.uses)

    def _attempts(self, call: Call, first: Problem | None) -> Generator[bytes | float, Any, Any]:
        """Run the retry loop of one request, without I/O. Yield a body to send or seconds to wait; return the response.

        `first` is the error of the first attempt, if the caller has already made that attempt.
        """
        body, started = _body(call), time.perf_counter()
        attempt = 1
        while True:
            try:
                if first is not None:
                    raise first
                response = yield body
            except (RequestRefused, Unreachable) as problem:
                first = None
                is_retried = self._is_retryable(call, problem, attempt)
                if self.metrics is not None:
                    self.metrics.problem(call.source or call.operation, problem, is_retried=is_retried)
                if not is_retried:
                    self._report(call, attempt, started, None, problem)
                    raise
                self.log.retry(call.operation, call.source, attempt, self.retries.attempts, problem)
            else:
                if self.is_observed:
                    self._report(call, attempt, started, response)
                return response
            yield self.retries.pause(attempt)
            attempt += 1
            if self.lease is not None and call.source != DESIGN_STATE:
                self.lease.check(call.operation, call.uses)  # the attempts can last longer than a phase

    def _send_with_retries(self, call: Call, send: Callable[[str, bytes], A], first: Problem | None = None) -> A:
        attempts = self._attempts(call, first)
        try:
            step = next(attempts)
            while True:
                if not isinstance(step, bytes):
                    time.sleep(step)
                    step = next(attempts)
                    continue
                try:
                    response = send(call.operation, step)
                except (RequestRefused, Unreachable) as problem:
                    step = attempts.throw(problem)
                else:
                    step = attempts.send(response)
        except StopIteration as finished:
            result: A = finished.value
            return result

    async def _send_with_retries_async(
        self, call: Call, send: Callable[[str, bytes], Awaitable[A]], first: Problem | None = None
    ) -> A:
        attempts = self._attempts(call, first)
        try:
            step = next(attempts)
            while True:
                if not isinstance(step, bytes):
                    await self.wait_async(step)
                    step = next(attempts)
                    continue
                try:
                    response = await send(call.operation, step)
                except (RequestRefused, Unreachable) as problem:
                    step = attempts.throw(problem)
                else:
                    step = attempts.send(response)
        except StopIteration as finished:
            result: A = finished.value
            return result

    async def _result_async(self, call: Call) -> SendResult:
        try:
            return await self.send_async(call)
        except (RequestRefused, Unreachable) as problem:
            return problem

    def _is_retryable(self, call: Call, problem: RequestRefused | Unreachable, attempt: int) -> bool:
        if attempt >= self.retries.attempts:
            return False
        if getattr(self.transport, "retries_itself", False) and not _is_retried_only_here(problem):
            return False
        if isinstance(problem, Unreachable):
            return call.repeatable or not problem.sent
        if is_retryable_cancellation(problem):
            return True
        return problem.code in RETRYABLE and (call.repeatable or problem.code not in UNKNOWN_OUTCOME)

    def _report(
        self,
        call: Call,
        attempts: int,
        started: float,
        response: bytes | PageChunks | None,
        error: RequestRefused | Unreachable | None = None,
    ) -> None:
        seconds = time.perf_counter() - started
        if not self.is_observed and (error is None or not is_lasting(error)):
            return
        parameters = msgspec.json.decode(_body(call))  # parameters can contain items encoded as JSON
        event = RequestEvent(call.operation, parameters, attempts, seconds, error, current_pattern.get())
        body = response if isinstance(response, bytes) else None
        self.log.finished(event, body)
        if self.tracing is not None and self.tracing.is_on():
            self.tracing.record(event, body)
        if self.hook is not None:
            self.hook(event)

    def close(self) -> None:
        """Close the transport."""
        while self.dependents:
            self.dependents.pop().close()
        self.transport.close()

    async def close_async(self) -> None:
        """Close the transport."""
        while self.dependents:
            await self.dependents.pop().close_async()
        await self.transport.close_async()


def _is_retried_only_here(problem: RequestRefused | Unreachable) -> bool:
    """Return whether only the session retries this error, even if the transport has its own retries."""
    return isinstance(problem, RequestRefused) and (is_retryable_cancellation(problem) or problem.code in CONFLICTS)


def _body(call: Call) -> bytes:
    try:
        return _encode(call.parameters)
    except UnicodeEncodeError as problem:
        raise not_utf8(problem) from None


async def _send_concurrently(
    send: Callable[[Call], Awaitable[R]], calls: Sequence[Call], meanwhile: Meanwhile | None = None
) -> Sequence[R]:
    import asyncio

    slots = asyncio.Semaphore(CONCURRENT_MAX)

    async def send_in_slot(call: Call) -> R:
        async with slots:
            return await send(call)

    responses = asyncio.gather(*map(send if len(calls) <= CONCURRENT_MAX else send_in_slot, calls))
    if meanwhile is not None:
        try:
            await asyncio.sleep(0)  # lets the loop send the requests
            meanwhile()
        except BaseException:
            responses.cancel()
            raise
    return await responses
