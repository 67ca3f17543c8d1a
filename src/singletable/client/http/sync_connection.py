"""Blocking HTTP connections, and a thread-safe pool of idle connections."""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from singletable.client.http.address import Address
from singletable.client.http.network_errors import NetworkErrors
from singletable.client.http.response_parser import (
    FAST_RESPONSES,
    InvalidResponse,
    ParsedResponse,
    ResponseIds,
    ResponseParser,
    fast_response,
)
from singletable.client.retries import Timeouts
from singletable.client.transport import Meanwhile
from singletable.errors import Unreachable
from singletable.values.fast_path import NotOnFastPath

if TYPE_CHECKING:
    from ssl import SSLContext

RECEIVED_BYTES = 64 * 1024
RECEIVED_BYTES_OF_LARGE = 256 * 1024
IDLE_MAX = 64
_TIMEOUTS = (TimeoutError, BlockingIOError)

ResponseCheck = Callable[[bytes], bool]
"""A function that returns whether the body of a successful response belongs to the request."""


class _Stale(Exception):
    """The connection closed before the client sent the whole request, so the server cannot have executed it."""


class SyncConnection:
    """One connection, used by one thread at a time."""

    def __init__(
        self,
        address: Address,
        timeouts: Timeouts,
        context: SSLContext | None,
        errors: NetworkErrors,
        ids: ResponseIds | None = None,
    ) -> None:
        self._errors = errors
        self._ids = ids or ResponseIds()
        self._last_id = b""
        self._read_seconds = timeouts.read
        self._reader = ResponseParser()
        try:
            if address.proxy is None:
                connected = socket.create_connection((address.host, address.port), timeouts.connect)
            else:
                from singletable.client.http.proxies import open_socket

                connected = open_socket(address, address.proxy, timeouts.connect)
        except OSError as problem:
            raise errors.connect_failed(problem) from problem
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is not None:
                connected = context.wrap_socket(connected, server_hostname=address.host)
            self._waits_in_kernel = context is None and _set_kernel_timeout(connected, timeouts.read)
            connected.settimeout(None if self._waits_in_kernel else timeouts.read)
        except OSError as problem:
            connected.close()
            raise errors.connect_failed(problem) from problem
        self._socket = connected
        self._unread = UnreadData(connected.fileno())
        # The TLS layer may hold decrypted data, which a check of the socket does not find.
        self._decrypted_bytes: Callable[[], int] | None = getattr(connected, "pending", None)

    def exchange(self, request: bytes) -> ParsedResponse:
        """Send a request and return the response; after an exception, the connection cannot be reused."""
        self.send(request)
        return self.response()

    def send(self, request: bytes) -> None:
        """Send a request; call `response` next."""
        try:
            self._socket.sendall(request)
        except _TIMEOUTS as problem:
            raise self._errors.send_timeout() from problem
        except OSError as problem:
            raise _Stale from problem

    def response(self) -> ParsedResponse:
        """Return the response to the request that was sent."""
        response = self._next_response()
        if self._ids.is_repeated(self._last_id, response):
            raise self._errors.response_to_another_request()
        self._last_id = response.request_id
        return response

    def _next_response(self) -> ParsedResponse:
        try:
            data = self._socket.recv(RECEIVED_BYTES)
            try:
                response = fast_response(data)
            except NotOnFastPath:
                FAST_RESPONSES.misses += 1
            else:
                FAST_RESPONSES.hits += 1
                return response
            return self._read(data)
        except _TIMEOUTS as problem:
            raise self._errors.read_timeout() from problem
        except OSError as problem:
            raise self._errors.broken(problem) from problem
        except InvalidResponse as problem:
            raise self._errors.invalid_response(problem) from problem

    def _read(self, data: bytes) -> ParsedResponse:
        """Read and return the response that starts with these bytes."""
        response = self._reader.feed(data) if data else None
        return self._rest() if response is None and data else self._whole(response)

    def _rest(self) -> ParsedResponse:
        """Read and return the rest of a response that has started."""
        deadline = time.monotonic() + self._read_seconds
        response = None
        while response is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            data = self._socket.recv(RECEIVED_BYTES_OF_LARGE)
            if not data:
                return self._whole(None)
            response = self._reader.feed(data)
        self._socket.settimeout(None if self._waits_in_kernel else self._read_seconds)
        return response

    def _whole(self, response: ParsedResponse | None) -> ParsedResponse:
        response = response or self._reader.ended()
        if response is None:
            raise self._errors.cut_off(begun=self._reader.started)
        return response

    def is_usable(self) -> bool:
        """Return whether the connection is open and has no unread data, such as a second copy of a response."""
        try:
            return not self._unread.has_arrived() and not (self._decrypted_bytes and self._decrypted_bytes())
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


class SyncPool:
    """The idle connections to one host.

    The most recently used connection is reused first, so that unneeded connections time out.
    """

    def __init__(self, connect: Callable[[], SyncConnection], errors: NetworkErrors) -> None:
        self._connect = connect
        self._errors = errors
        self._idle: list[SyncConnection] = []
        self._is_closed = False
        _POOLS.add(self)

    def exchange(self, request: bytes, belongs: ResponseCheck) -> ParsedResponse:
        """Send a request over an idle or a new connection, and return the response.

        If `belongs` returns False for the response, the connection is closed, because its next response can be wrong
        too.
        """
        connection = self._idle_one()
        if connection is not None:
            try:
                return self._exchange(connection, request, belongs)
            except _Stale:
                self.clear()  # the server has probably closed the other idle connections too
            except Unreachable:
                self.clear()
                raise
        try:
            return self._exchange(self._connect(), request, belongs)
        except _Stale:
            raise self._errors.closed_while_sending() from None

    def exchange_each(
        self, requests: Sequence[tuple[bytes, ResponseCheck]], meanwhile: Meanwhile | None = None
    ) -> list[ParsedResponse | Unreachable]:
        """Send all requests, then read the responses in order; return the response or the error of each request."""
        begun: list[SyncConnection | Unreachable] = []
        responses: list[ParsedResponse | Unreachable] = []
        try:
            for request, _ in requests:
                begun.append(self._send(request))
            if meanwhile is not None:
                meanwhile()
            is_late = False
            for each, (_, belongs) in zip(begun, requests, strict=True):
                response = each if isinstance(each, Unreachable) else self._receive(each, belongs, is_late=is_late)
                is_late = is_late or (isinstance(response, Unreachable) and isinstance(response.__cause__, _TIMEOUTS))
                responses.append(response)
        except BaseException:  # after an interrupt, a connection with an unread response cannot be reused
            for each in begun[len(responses) :]:
                if isinstance(each, SyncConnection):
                    each.close()
            raise
        return responses

    def _send(self, request: bytes) -> SyncConnection | Unreachable:
        """Send a request and return its connection, or the error."""
        for find in (self._idle_one, lambda: None):
            try:
                connection = find() or self._connect()
                connection.send(request)
            except _Stale:
                self.clear()
            except Unreachable as problem:
                self.clear()
                return problem
            else:
                return connection
        return self._errors.closed_while_sending()

    def _receive(
        self, connection: SyncConnection, belongs: ResponseCheck, *, is_late: bool
    ) -> ParsedResponse | Unreachable:
        """Return the response to a request, or the error.

        If `is_late` is True, another response timed out: return a timeout error unless this response has begun to
        arrive.
        """
        try:
            if is_late and connection.is_usable():
                raise self._errors.read_timeout()
            return self._release(connection, self._checked(connection.response(), belongs))
        except Unreachable as problem:
            connection.close()
            self.clear()
            return problem

    def _checked(self, response: ParsedResponse, belongs: ResponseCheck) -> ParsedResponse:
        if response.status == 200 and not belongs(response.body):
            raise self._errors.response_to_another_request()
        return response

    def _exchange(self, connection: SyncConnection, request: bytes, belongs: ResponseCheck) -> ParsedResponse:
        try:
            response = self._checked(connection.exchange(request), belongs)
        except BaseException:
            connection.close()
            raise
        return self._release(connection, response)

    def _release(self, connection: SyncConnection, response: ParsedResponse) -> ParsedResponse:
        """Return a connection to the pool if its response allows reuse; otherwise close it."""
        if response.keep_alive and len(self._idle) < IDLE_MAX:
            self._idle.append(connection)
            if self._is_closed:  # the pool was closed while this connection was in use
                self.clear()
        else:
            connection.close()
        return response

    def _idle_one(self) -> SyncConnection | None:
        while True:
            try:
                connection = self._idle.pop()  # atomic, so two threads never get the same connection
            except IndexError:
                return None
            if connection.is_usable():
                return connection
            connection.close()

    def clear(self) -> None:
        """Close all idle connections."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:
                return
            connection.close()

    def close(self) -> None:
        """Close idle connections now, and busy connections once their response has arrived."""
        self._is_closed = True
        self.clear()


_POOLS: weakref.WeakSet[SyncPool] = weakref.WeakSet()


def _close_after_fork() -> None:
    """Close inherited connections in a forked child process; the connections of the parent stay open."""
    for pool in _POOLS:
        pool.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_after_fork)


def _set_kernel_timeout(connected: socket.socket, seconds: float) -> bool:
    """Let the kernel enforce the timeout, which saves a poll call per request.

    Return False if the system does not support this.
    """
    if sys.platform == "win32":
        return False
    whole_seconds = int(seconds)
    limit = struct.pack("ll", whole_seconds, int((seconds - whole_seconds) * 1_000_000))
    try:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    except OSError:
        return False
    return True


class UnreadData:
    """Shows whether a socket has unread data or was closed by the server.

    Keep the socket open while you use this object.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll: Callable[[int], Sequence[object]] | None = None
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            self._poll = poll.poll

    def has_arrived(self) -> bool:
        """Return whether a read would not block."""
        if self._poll is None:
            return bool(select.select([self._descriptor], [], [], 0)[0])
        return bool(self._poll(0))
