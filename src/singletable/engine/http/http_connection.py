"""One HTTP connection. It answers requests in order, and stops reading while the client does not read its responses."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial

from singletable.engine.http.http_messages import HttpRequest, HttpResponse
from singletable.engine.http.request_parser import LARGE_BODY_BYTES_MIN, OVERLOADED, TIMED_OUT, RequestParser
from singletable.engine.http.server_state import ServerState

# Up to this size, copying the head and the body into one write is faster than two writes.
_COPIED_BYTES_MAX = 64 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class HttpConnection(asyncio.Protocol):
    """The connection of a client. A request waits until the server has sent the previous response."""

    _transport: asyncio.Transport

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._parser = RequestParser(state.service.keeps_body)
        self._flushing = False
        self._congested = False
        self._reading = True
        self._half_closed = False
        self._lost = False
        self._lingering: asyncio.TimerHandle | None = None
        self._since = state.now

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register a new client."""
        # uvloop's transports are not subclasses of asyncio.Transport, but have the same methods.
        self._transport = transport  # type: ignore[assignment]
        self._state.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Discard the requests of a client that has disconnected."""
        self._lost = True
        self._parser.discard()
        self._state.bodies.set_held(self, 0)
        self._state.connections.discard(self)
        if self._lingering is not None:
            self._lingering.cancel()

    @property
    def is_lost(self) -> bool:
        """Whether the client has disconnected."""
        return self._lost

    def data_received(self, data: bytes) -> None:
        """Parse received data, and schedule complete requests. Ignore data after the last request."""
        parser = self._parser
        if parser.ended:
            return
        if not parser.in_message:
            self._since = self._state.now
        parser.feed(data)
        if parser.holds_large_body:
            self._count_held()
        if parser.requests or parser.expects_continue:
            self._state.schedule(self)

    def eof_received(self) -> bool:
        """Keep the connection open while received requests still need a response."""
        self._half_closed = self._parser.ended = True
        return bool(self._parser.requests) or self._flushing

    def pause_writing(self) -> None:
        """Stop answering a client that does not read its responses."""
        self._congested = True
        self._since = self._state.now

    def resume_writing(self) -> None:
        """Continue when the client has read its responses."""
        self._congested = False
        self.answer_requests()

    def answer_requests(self) -> None:
        """Answer all requests that can be answered now, then resume reading."""
        while (request := self.next_request()) is not None:
            response = self._state.answer(self, request)
            if response is not None:
                self.deliver(request, response)
        self._update_reading()

    def resume(self) -> None:
        """Continue after one response: schedule the next request, or resume reading."""
        if self._parser.requests and not (self._congested or self._flushing):
            self._state.schedule(self)
        else:
            self._update_reading()

    def next_request(self) -> HttpRequest | None:
        """Return the next request to answer, or None. Send a parser fault to the client as the last response."""
        requests = self._parser.requests
        if not requests or self._congested or self._flushing:
            return None
        request = requests.popleft()
        if self._parser.holds_large_body:
            self._count_held()
        if isinstance(request, HttpRequest):
            return request
        self._send(self._state.service.reject(request), keep_alive=False)
        return None

    def _update_reading(self) -> None:
        """Pause reading while a request waits for its response; otherwise resume reading."""
        requests = self._parser.requests
        if self._reading is bool(requests):
            self._reading = not self._reading
            (self._transport.resume_reading if self._reading else self._transport.pause_reading)()
        if not requests and not self._flushing:
            if self._parser.expects_continue:
                self._parser.expects_continue = False
                self._write(_CONTINUE)
            if self._half_closed:
                self._state.send_outgoing()
                self._transport.close()

    def deliver(self, request: HttpRequest, response: HttpResponse) -> None:
        """Send a response. If the server flushes writes, wait for the flush first.

        With a single client, the flush runs on the event loop, because no other client waits meanwhile.
        """
        flush = self._state.flush
        if not response.wrote or flush is None:
            self._send(response, request.keep_alive)
        elif len(self._state.connections) > 1:
            self._flushing = True
            flush.wait(partial(self._after_flush, request, response))
        else:
            error = flush.flush_now()
            if error is not None:
                response = self._state.service.internal_error(error, request.headers)
            self._send(response, request.keep_alive)

    def deliver_later(self, request: HttpRequest, response: asyncio.Future[HttpResponse]) -> None:
        """Send a response when it is complete. The next request waits for it, as it waits for a flush."""
        self._flushing = True
        response.add_done_callback(partial(self._after_wait, request))

    def _after_wait(self, request: HttpRequest, done: asyncio.Future[HttpResponse]) -> None:
        self._flushing = False
        error = None if done.cancelled() else done.exception()
        if self._lost or done.cancelled():
            return
        response = done.result() if error is None else self._state.service.internal_error(error, request.headers)
        self.deliver(request, response)
        self.answer_requests()

    def _after_flush(self, request: HttpRequest, response: HttpResponse, error: BaseException | None) -> None:
        self._flushing = False
        if self._lost:
            return
        if error is not None:
            response = self._state.service.internal_error(error, request.headers)
        self._send(response, request.keep_alive)
        self.answer_requests()

    def _send(self, response: HttpResponse, keep_alive: bool) -> None:
        state = self._state
        keep_alive = keep_alive and not state.stopping
        head = state.heads.write(response, keep_alive)
        body = response.body
        if response.bodiless:
            self._write(head)
        elif len(body) <= _COPIED_BYTES_MAX:
            self._write(head + body)
        else:
            # `writelines` is not used here, because some releases of asyncio do not call `pause_writing` after it.
            self._write(head)
            self._write(body)
            state.send_outgoing()
        self._since = state.now
        if not keep_alive:
            state.send_outgoing()
            self._end()

    def _write(self, data: bytes) -> None:
        outgoing = self._state.outgoing
        if outgoing is None:
            self._transport.write(data)
        else:
            outgoing.append((self._transport, data))

    def _end(self) -> None:
        """Close the connection after a delay.

        Without the delay, the client might be unable to read the last response.
        """
        self._parser.ended = True
        self._parser.requests.clear()
        if self._transport.can_write_eof():
            with suppress(OSError):  # the client has reset the connection
                self._transport.write_eof()
        loop = asyncio.get_running_loop()
        self._lingering = loop.call_later(self._state.timeouts.linger_seconds, self._transport.close)

    def _count_held(self) -> None:
        """Count the large bodies of this connection in the budget of the server."""
        held_bytes = self._parser.held_bytes
        self._parser.holds_large_body = is_large = held_bytes >= LARGE_BODY_BYTES_MIN
        self._state.bodies.set_held(self, held_bytes if is_large else 0)

    # The server calls these methods.

    def drop_body(self) -> None:
        """Reject the incomplete request. If complete requests hold the memory, close the connection."""
        parser = self._parser
        if parser.in_message:
            parser.end(OVERLOADED)
        parser.holds_large_body = False
        if parser.held_bytes >= LARGE_BODY_BYTES_MIN:
            self._transport.abort()
        else:
            self._state.schedule(self)

    def check_timeouts(self) -> None:
        """Close the connection of a client that exceeds a timeout."""
        waited, timeouts = self._state.now - self._since, self._state.timeouts
        if self._flushing or self._lingering is not None:
            return
        if self._congested:
            if waited > timeouts.answer_seconds:
                self._transport.abort()
        elif self._parser.in_message:
            if waited > timeouts.request_seconds:
                self._parser.end(TIMED_OUT)
                self.answer_requests()
        elif waited > timeouts.idle_seconds:
            self._transport.close()

    def close_if_idle(self) -> None:
        """Close the connection unless a request is being received or answered."""
        busy = self._parser.requests or self._flushing or self._congested or self._parser.in_message
        if not busy or self._lingering is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()
