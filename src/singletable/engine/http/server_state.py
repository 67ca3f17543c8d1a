"""The state that all connections of a server share: timeouts, request batches, busy polling and flushes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING
from zlib import crc32

from singletable.engine.http.body_budget import BodyBudget
from singletable.engine.http.http_messages import HttpRequest, HttpResponse, http_date
from singletable.engine.http.request_handler import Service
from singletable.engine.storage.sqlite_errors import WriterBusy
from singletable.engine.waiting_requests import WaitingRequests

if TYPE_CHECKING:
    from singletable.engine.http.http_connection import HttpConnection

POLLING_SECONDS = 0.0002

FlushCallback = Callable[[BaseException | None], None]


@dataclass(frozen=True)
class ServerTimeouts:
    """The timeouts of a server for its clients, in seconds."""

    request_seconds: float = 300
    """The maximum time from the first byte of a request to its last byte."""
    answer_seconds: float = 300
    """The maximum time for a client to read its response."""
    idle_seconds: float = 3600
    """The maximum time between two requests of a connection."""
    linger_seconds: float = 2
    """The delay before closing a connection, so that the client can still read the last response."""
    stop_seconds: float = 10
    """The maximum time that running requests get to finish when the server stops."""


def processor_count() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class BusyPolling:
    """Polls for the next request of a single fast client instead of sleeping.

    An idle event loop sleeps in the kernel, and waking it up takes as long as a response. When a request arrives right
    after the previous response, the loop polls for the next one for a short time. It does not poll for slow clients. On
    a single processor it does not poll either, because the client needs the processor.
    """

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds if seconds is not None else POLLING_SECONDS if processor_count() > 1 else 0.0
        self._clock = clock
        self._responded_at = -1.0
        self._is_polling = False

    @property
    def is_polling(self) -> bool:
        """Whether the loop polls for the next request."""
        return self._is_polling

    def is_fast_client(self) -> bool:
        """Return whether the request that has just arrived came right after the last response."""
        return self._clock() - self._responded_at < self._seconds

    def after_response(self, *, fast: bool) -> None:
        """Record a response. Start polling if the client is fast."""
        self._responded_at = self._clock()
        if fast and not self._is_polling:
            self._is_polling = True
            asyncio.get_running_loop().call_soon(self._poll)

    def _poll(self) -> None:
        """Schedule this method again. A loop with a scheduled callback checks for requests without sleeping."""
        if self._clock() - self._responded_at < self._seconds:
            asyncio.get_running_loop().call_soon(self._poll)
        else:
            self._is_polling = False


class SharedFlush:
    """Flushes the store in a thread, one flush at a time. Responses that arrive meanwhile share the next flush.

    A queue and one callback per flush cost less than an executor and its futures, which took as long as a fast flush.
    """

    def __init__(self, flush: Callable[[], None]) -> None:
        self._flush = flush
        self._thread: Thread | None = None
        self._loops: SimpleQueue[asyncio.AbstractEventLoop | None] = SimpleQueue()
        self._callbacks: list[FlushCallback] = []
        self._in_flush: list[FlushCallback] = []

    def wait(self, callback: FlushCallback) -> None:
        """Call `callback` in the event loop when all commits so far are on disk. Pass the error if the flush fails."""
        self._callbacks.append(callback)
        if not self._in_flush:
            self._start()

    def flush_now(self) -> Exception | None:
        """Flush in the calling thread, which saves two switches between threads. Return the error, or None."""
        try:
            self._flush()
        except Exception as error:  # the response reports every error of a flush, as with a flush in the thread
            return error
        return None

    def close(self) -> None:
        """End the thread. No callback may be waiting."""
        if self._thread is not None:
            self._loops.put(None)
            self._thread.join()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="flush", daemon=True)
            self._thread.start()
        self._in_flush, self._callbacks = self._callbacks, []
        self._loops.put(asyncio.get_running_loop())

    def _run(self) -> None:
        while (loop := self._loops.get()) is not None:
            error: BaseException | None = None
            try:
                self._flush()
            except BaseException as problem:
                error = problem
            with suppress(RuntimeError):  # the loop is closed, so every connection is closed too
                loop.call_soon_threadsafe(self._finish, error)

    def _finish(self, error: BaseException | None) -> None:
        finished, self._in_flush = self._in_flush, []
        if self._callbacks:
            self._start()
        for callback in finished:
            callback(error)


@dataclass
class ServerState:
    """The state of a server. The server answers the requests of one iteration of the event loop as a batch."""

    service: Service
    heads: HeadWriter
    flush: SharedFlush | None = None
    waiting: WaitingRequests | None = None
    timeouts: ServerTimeouts = ServerTimeouts()
    connections: set[HttpConnection] = field(default_factory=set)
    bodies: BodyBudget = field(default_factory=BodyBudget)
    now: float = 0.0
    """The time of the event loop. It is updated only every few seconds, which is precise enough for timeouts."""
    stopping: bool = False
    batch: dict[HttpConnection, None] = field(default_factory=dict)
    """The connections with requests that arrived in this iteration of the loop.

    Each connection occurs once, in order.
    """
    polling: BusyPolling = field(default_factory=BusyPolling)
    outgoing: list[tuple[asyncio.Transport, bytes]] | None = None
    """The responses of the batch, which are sent together. None between batches."""

    def schedule(self, connection: HttpConnection) -> None:
        """Answer the requests of a connection after the loop has read from all connections.

        The server first reads from all connections, then answers all requests, and then sends all responses. This order
        is faster for two reasons. Code runs several times faster if no system call has just removed it from the
        processor's caches. And the writes of the batch are one group commit.

        A connection whose data arrives in several reads is in the batch only once. Otherwise, the batch would also
        answer its next request, although the first response may still wait for a flush or for the client.
        """
        if len(self.connections) == 1:
            fast = self.polling.is_fast_client()
            connection.answer_requests()
            self.polling.after_response(fast=fast)
            return
        if not self.batch:
            asyncio.get_running_loop().call_soon(self._answer_batch)
        self.batch[connection] = None

    def _answer_batch(self) -> None:
        batch, self.batch = list(self.batch), {}
        if len(batch) == 1:
            batch[0].answer_requests()
            return
        responses = self._respond_to_all(batch)
        self.outgoing = []
        for connection, request, response in responses:
            connection.deliver(request, response)
        self.send_outgoing()
        self.outgoing = None
        for connection in batch:
            connection.resume()

    def _respond_to_all(self, batch: list[HttpConnection]) -> list[tuple[HttpConnection, HttpRequest, HttpResponse]]:
        """Run the next request of each connection, commit all writes together, and return the responses."""
        service = self.service
        responses: list[tuple[HttpConnection, HttpRequest, HttpResponse]] = []
        try:
            with service.group_commit():
                for connection in batch:
                    request = connection.next_request()
                    if request is not None and (response := self.answer(connection, request)) is not None:
                        responses.append((connection, request, response))
        except Exception as error:
            return [
                (connection, request, service.internal_error(error, request.headers))
                for connection, request, _ in responses
            ]
        return responses

    def answer(self, connection: HttpConnection, request: HttpRequest) -> HttpResponse | None:
        """Return the response. Return None if a thread runs the request, because it must wait for another writer."""
        try:
            return self.service.answer(request)
        except WriterBusy:
            assert self.waiting is not None
            run = partial(self.service.answer, request)
            connection.deliver_later(request, self.waiting.start(run, lambda: connection.is_lost))
            return None

    def send_outgoing(self) -> None:
        """Send the responses that the batch has produced so far."""
        if self.outgoing:
            outgoing, self.outgoing = self.outgoing, []
            for transport, data in outgoing:
                transport.write(data)


class HeadWriter:
    """Writes response heads as DynamoDB does. The parts that are slow to format are cached for a second."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._second = 0
        self._cache: dict[tuple[int, bytes, bool], bytes] = {}

    def write(self, response: HttpResponse, keep_alive: bool) -> bytes:
        """Return the head of a response. Its checksum is computed from the body as sent, after compression."""
        second = int(self._clock())
        if second != self._second:
            self._second = second
            self._cache.clear()
        status = response.status
        key = (status, response.content_type, keep_alive)
        start = self._cache.get(key)
        if start is None:
            start = self._format(key)
        body = response.body
        return b"%bContent-Length: %d\r\nx-amzn-RequestId: %052X\r\nx-amz-crc32: %d\r\n%b\r\n" % (
            start,
            len(body),
            response.request_id,
            crc32(body),
            response.extra,
        )

    def _format(self, key: tuple[int, bytes, bool]) -> bytes:
        status, content_type, keep_alive = key
        lines = (
            f"HTTP/1.1 {status} {_PHRASES.get(status, '')}",
            "Server: Server",
            f"Date: {http_date(self._second)}",
            f"Content-Type: {content_type.decode('latin-1')}",
            f"Connection: {'keep-alive' if keep_alive else 'close'}",
        )
        start = "".join(f"{line}\r\n" for line in lines).encode("latin-1")
        if len(self._cache) < _CACHED_HEADS_MAX:
            self._cache[key] = start
        return start


_PHRASES = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    408: "Request Timeout",
    403: "Forbidden",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


_CACHED_HEADS_MAX = 64
