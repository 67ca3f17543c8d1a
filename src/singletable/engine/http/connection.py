"""One connection: requests are answered in their order, and nothing piles up for a peer that does not keep up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial

from singletable.engine.http.alertness import Alertness
from singletable.engine.http.head import HeadWriter
from singletable.engine.http.message import Request, Response
from singletable.engine.http.reader import TIMED_OUT, RequestReader
from singletable.engine.http.service import Service
from singletable.engine.http.shared_flush import SharedFlush

# Up to here one write of a copy is quicker than two writes.
_COPIED_BYTES_MAX = 64 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True)
class Patience:
    """How long a server waits for its peers."""

    request_seconds: float = 300
    """From the first byte of a request to its last."""
    answer_seconds: float = 300
    """For a peer that does not read what it is sent."""
    idle_seconds: float = 3600
    """For the next request."""
    linger_seconds: float = 2
    """For the end of a connection after its last answer, which a peer that still sends would otherwise not see."""
    stop_seconds: float = 10
    """For all of it, when the server is to stop."""


@dataclass
class Surroundings:
    """What all connections of a server share."""

    service: Service
    heads: HeadWriter
    flush: SharedFlush | None = None
    patience: Patience = Patience()
    connections: set[Connection] = field(default_factory=set)
    now: float = 0.0
    """The time of the loop, some seconds ago at most: nobody needs it more exactly, and asking costs."""
    stopping: bool = False
    waiting: list[Connection] = field(default_factory=list)
    """Those with requests that were read in this round of the loop."""
    alertness: Alertness = field(default_factory=Alertness)
    leaving: list[tuple[asyncio.Transport, bytes]] | None = None
    """Answers of this round, which are sent together; None between rounds."""

    def work_soon(self, connection: Connection) -> None:
        """Answers a connection after all that can be read now was read.

        Reading, answering and sending are done for all connections one after the other: code that has just run runs
        several times as fast as after a visit to the kernel, and what they write is committed at once.
        """
        if len(self.connections) == 1:
            soon = self.alertness.came()
            connection.work()
            self.alertness.answered(soon=soon)
            return
        if not self.waiting:
            asyncio.get_running_loop().call_soon(self._work_all)
        self.waiting.append(connection)

    def _work_all(self) -> None:
        waiting, self.waiting = self.waiting, []
        if len(waiting) == 1:
            waiting[0].work()
            return
        answered = self._answer_all(waiting)
        self.leaving = []
        for connection, request, response in answered:
            connection.deliver(request, response)
        self.send_off()
        self.leaving = None
        for connection in waiting:
            connection.go_on()

    def _answer_all(self, waiting: list[Connection]) -> list[tuple[Connection, Request, Response]]:
        """The answer to the next request of each connection, all of them when what they wrote is there."""
        service = self.service
        answered: list[tuple[Connection, Request, Response]] = []
        try:
            with service.together():
                for connection in waiting:
                    request = connection.next_request()
                    if request is not None:
                        answered.append((connection, request, service.answer(request)))
        except Exception as problem:
            return [
                (connection, request, service.failed(problem, request.headers)) for connection, request, _ in answered
            ]
        return answered

    def send_off(self) -> None:
        """Sends what was answered so far in this round."""
        if self.leaving:
            leaving, self.leaving = self.leaving, []
            for transport, data in leaving:
                transport.write(data)


class Connection(asyncio.Protocol):
    """Does one thing at a time: a request waits until the answer before it is on its way."""

    _transport: asyncio.Transport

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._reader = RequestReader()
        self._flushing = False
        self._congested = False
        self._reading = True
        self._half_closed = False
        self._lost = False
        self._lingering: asyncio.TimerHandle | None = None
        self._since = surroundings.now

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A peer has come."""
        # uvloop's transports are no subclasses of asyncio's, only of their kind.
        self._transport = transport  # type: ignore[assignment]
        self._surroundings.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The peer is gone, and with it whatever it was to be answered."""
        self._lost = self._reader.ended = True
        self._reader.requests.clear()
        self._surroundings.connections.discard(self)
        if self._lingering is not None:
            self._lingering.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer what the peer asks; after its last answer it is no longer listened to."""
        reader = self._reader
        if reader.ended:
            return
        if not reader.in_message:
            self._since = self._surroundings.now
        reader.feed(data)
        if reader.requests or reader.expects_continue:
            self._surroundings.work_soon(self)

    def eof_received(self) -> bool:
        """The peer sends no more; what it has asked already is still answered."""
        self._half_closed = self._reader.ended = True
        return bool(self._reader.requests) or self._flushing

    def pause_writing(self) -> None:
        """The peer does not read its answers: it gets no more of them until it does."""
        self._congested = True
        self._since = self._surroundings.now

    def resume_writing(self) -> None:
        """The peer has read."""
        self._congested = False
        self.work()

    def work(self) -> None:
        """Answer what can be answered now, and read on when all of it was."""
        while (request := self.next_request()) is not None:
            self.deliver(request, self._surroundings.service.answer(request))
        self._listen_or_not()

    def go_on(self) -> None:
        """After the answer to one request: take up the next, or read on."""
        if self._reader.requests and not (self._congested or self._flushing):
            self._surroundings.work_soon(self)
        else:
            self._listen_or_not()

    def next_request(self) -> Request | None:
        """The request to be answered now; what was no request is answered here, as the last thing that is."""
        requests = self._reader.requests
        if not requests or self._congested or self._flushing:
            return None
        request = requests.popleft()
        if isinstance(request, Request):
            return request
        self._send(self._surroundings.service.refuse(request), keep_alive=False)
        return None

    def _listen_or_not(self) -> None:
        """Read on when nothing waits to be answered, and not before."""
        requests = self._reader.requests
        if self._reading is bool(requests):
            self._reading = not self._reading
            (self._transport.resume_reading if self._reading else self._transport.pause_reading)()
        if not requests and not self._flushing:
            if self._reader.expects_continue:
                self._reader.expects_continue = False
                self._write(_CONTINUE)
            if self._half_closed:
                self._surroundings.send_off()
                self._transport.close()

    def deliver(self, request: Request, response: Response) -> None:
        """Send an answer, once it is as durable as it has to be."""
        flush = self._surroundings.flush
        if response.wrote and flush is not None:
            self._flushing = True
            flush.wait(partial(self._flushed, request, response))
        else:
            self._send(response, request.keep_alive)

    def _flushed(self, request: Request, response: Response, problem: BaseException | None) -> None:
        self._flushing = False
        if self._lost:
            return
        if problem is not None:
            response = self._surroundings.service.failed(problem, request.headers)
        self._send(response, request.keep_alive)
        self.work()

    def _send(self, response: Response, keep_alive: bool) -> None:
        surroundings = self._surroundings
        keep_alive = keep_alive and not surroundings.stopping
        head = surroundings.heads.write(response, keep_alive)
        body = response.body
        if response.bodiless:
            self._write(head)
        elif len(body) <= _COPIED_BYTES_MAX:
            self._write(head + body)
        else:
            # Not by `writelines`, after which some releases of asyncio forget to say that the peer does not keep up.
            self._write(head)
            self._write(body)
            surroundings.send_off()
        self._since = surroundings.now
        if not keep_alive:
            surroundings.send_off()
            self._part()

    def _write(self, data: bytes) -> None:
        leaving = self._surroundings.leaving
        if leaving is None:
            self._transport.write(data)
        else:
            leaving.append((self._transport, data))

    def _part(self) -> None:
        """The last answer is given: show its end, and hear the peer out, since closing at once could take it away."""
        self._reader.ended = True
        self._reader.requests.clear()
        if self._transport.can_write_eof():
            self._transport.write_eof()
        loop = asyncio.get_running_loop()
        self._lingering = loop.call_later(self._surroundings.patience.linger_seconds, self._transport.close)

    # What the server calls.

    def look_at_the_clock(self) -> None:
        """Give up on a peer that keeps us waiting for too long."""
        waited, patience = self._surroundings.now - self._since, self._surroundings.patience
        if self._flushing or self._lingering is not None:
            return
        if self._congested:
            if waited > patience.answer_seconds:
                self._transport.abort()
        elif self._reader.in_message:
            if waited > patience.request_seconds:
                self._reader.end(TIMED_OUT)
                self.work()
        elif waited > patience.idle_seconds:
            self._transport.close()

    def leave_if_idle(self) -> None:
        """Close, when nothing is asked and nothing is being asked."""
        busy = self._reader.requests or self._flushing or self._congested or self._reader.in_message
        if not busy or self._lingering is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close, whatever is under way."""
        self._transport.abort()
