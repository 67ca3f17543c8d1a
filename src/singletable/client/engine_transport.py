"""Transport to the embedded engine. No other client module imports the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from singletable.client.responses import Capacity, PageChunks, error_from
from singletable.client.transport import STREAM_READS, EncodedRequest, Meanwhile, SendResult, Transport
from singletable.engine.dispatch import DYNAMODB, STREAMS
from singletable.engine.engine import Engine, RequestMethods
from singletable.engine.storage.store import WriterBusy
from singletable.engine.waiting_requests import WaitingRequests
from singletable.errors import ArgumentRefused, RequestRefused
from singletable.wire.error_responses import error_body

Result = TypeVar("Result")
CHUNKS_MAX = 64
"""The maximum number of chunks to decode one by one; an unfiltered page of 1 MB has fewer chunks."""


class EngineTransport(Transport):
    """Sends requests to an engine in this process. Opens the engine, unless the caller passes an open one."""

    def __init__(self, url: str, engine: RequestMethods | None = None, now: Callable[[], float] | None = None) -> None:
        self.name = url
        self._owns_engine = engine is None
        self.engine: RequestMethods = engine if engine is not None else Engine(url, now=now or time.time)
        self.now = self.engine.now
        self._answer = self.engine.answer
        self._waiting = WaitingRequests(self.engine.waits)

    def send(self, operation: str, body: bytes) -> bytes:
        """Execute a request and return the body of the response."""
        answer = self._answer((STREAMS if operation in STREAM_READS else DYNAMODB) + operation, body)
        if answer.status != 200:
            raise error_from(answer.body)
        return answer.body

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Execute a request and return the body of the response.

        A request runs on the event loop, because it takes only microseconds. If it must wait for other writers or flush
        to disk, it runs in a thread.
        """
        answer = await self._run_at_once(partial(self.engine.respond, DYNAMODB + operation, body))
        if answer.wrote and self.engine.store.path is not None:
            import asyncio

            await asyncio.to_thread(self.engine.store.flush)
        if answer.status != 200:
            raise error_from(answer.body)
        return answer.body

    def send_for_chunks(self, operation: str, body: bytes) -> PageChunks:
        """Execute a Query and return its page in chunks."""
        try:
            page = self.engine.result(DYNAMODB + operation, body)
        except RequestRefused as error:
            raise error_from(error_body(error)) from None
        return _chunks(page)

    async def send_for_chunks_async(self, operation: str, body: bytes) -> PageChunks:
        """Execute a Query on the event loop and return its page in chunks.

        A Query takes only microseconds and writes nothing.
        """
        return await self._run_at_once(partial(self.send_for_chunks, operation, body))

    async def _run_at_once(self, run: Callable[[], Result]) -> Result:
        """Execute a call on the event loop, or in a thread if it must wait for another writer."""
        waits = self.engine.waits
        waits.seconds = 0.0
        try:
            return run()
        except WriterBusy:
            pass
        finally:
            waits.reset()
        return await self._waiting.run(run)

    def release_memory(self) -> None:
        """Unmap the parts of the store file that reads have mapped into memory."""
        self.engine.store.release_memory()

    def send_each(self, requests: Sequence[EncodedRequest], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Execute several requests and return their results in order. All their writes share one group commit."""
        if meanwhile is not None:
            meanwhile()
        try:
            with self.engine.group_commit():
                answers = [self.engine.respond(DYNAMODB + operation, body) for operation, body in requests]
        except BaseException:
            try:  # an interrupt may have occurred at the end of the group commit
                self.engine.store.abandon()
            finally:
                self.engine.store.abandon()
            raise
        if any(answer.wrote for answer in answers):
            self.engine.store.flush()
        return [answer.body if answer.status == 200 else error_from(answer.body) for answer in answers]

    def close(self) -> None:
        """Close the engine, unless the caller owns it."""
        self._waiting.close()
        if self._owns_engine:
            self.engine.close()

    async def close_async(self) -> None:
        """Close the engine, unless the caller owns it."""
        self.close()


def _chunks(page: Any) -> PageChunks:
    """Return the chunks of a PageResult; its type is `Any` here, because only the first Query imports the class."""
    items: Sequence[Any] = page.items or ()
    if len(items) > CHUNKS_MAX:  # a filtered page has one chunk per item
        items = (b",".join(items),)
    capacity = Capacity(page.consumed_capacity["CapacityUnits"]) if page.consumed_capacity else None
    return PageChunks(items, page.last_evaluated_key or None, capacity)


def engine_transport(place: object, now: Callable[[], float] | None = None) -> EngineTransport:
    """Return a transport to a new engine at a URL, or to an open engine, which the caller must close."""
    if isinstance(place, str):
        return EngineTransport(place, now=now)
    if not isinstance(place, RequestMethods):
        raise ArgumentRefused(f"cannot open a table at {place!r}; pass a URL, such as memory:, or an open Engine")
    path = place.store.path
    return EngineTransport("memory:" if path is None else f"file:{path}", place)
