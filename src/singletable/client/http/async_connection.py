"""HTTP connections for asyncio, with one connection pool per event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
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
from singletable.client.http.sync_connection import IDLE_MAX, ResponseCheck, UnreadData
from singletable.client.retries import Timeouts
from singletable.values.fast_path import NotOnFastPath

if TYPE_CHECKING:
    from ssl import SSLContext

    from singletable.client.http.proxies import Proxy


class AsyncConnection(asyncio.Protocol):
    """One connection, used by one task at a time."""

    _transport: asyncio.Transport

    def __init__(self, pool: LoopPool) -> None:
        self._pool = pool
        self._reader = ResponseParser()
        self._waiter: asyncio.Future[ParsedResponse] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._last_id = b""
        self.is_lost = False

    async def exchange(self, request: bytes, belongs: ResponseCheck) -> ParsedResponse:
        """Send a request and return the response; abort the connection if the request fails or is cancelled."""
        loop = self._pool.loop
        waiter: asyncio.Future[ParsedResponse] = loop.create_future()
        self._waiter = waiter
        self._transport.write(request)
        self._deadline = loop.time() + self._pool.timeouts.read
        if self._timer is None:
            self._timer = loop.call_at(self._deadline, self._check_deadline)
        try:
            response = await waiter
            self._check(response, belongs)
            return response
        except BaseException:
            self.abort()
            raise
        finally:
            self._waiter = None

    def _check(self, response: ParsedResponse, belongs: ResponseCheck) -> None:
        """Raise Unreachable if a response arrives twice or belongs to another request."""
        repeated = self._pool.ids.is_repeated(self._last_id, response)
        if repeated or (response.status == 200 and not belongs(response.body)):
            raise self._pool.errors.response_to_another_request()
        self._last_id = response.request_id

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport of the new connection."""
        # uvloop transports have the interface of asyncio transports, but are not subclasses.
        self._transport = transport  # type: ignore[assignment]
        self._unread = UnreadData(transport.get_extra_info("socket").fileno())

    def data_received(self, data: bytes) -> None:
        """Parse received data as part of a response; abort the connection if no request is waiting for a response."""
        waiter = self._waiter
        if waiter is None or waiter.done():
            self.abort()
            return
        begins = not self._reader.started
        if begins:
            try:
                whole = fast_response(data)
            except NotOnFastPath:
                FAST_RESPONSES.misses += 1
            else:
                FAST_RESPONSES.hits += 1
                waiter.set_result(whole)
                return
        try:
            response = self._reader.feed(data)
        except InvalidResponse as problem:
            waiter.set_exception(self._pool.errors.invalid_response(problem))
            return
        if response is not None:
            waiter.set_result(response)
        elif begins:
            self._deadline = self._pool.loop.time() + self._pool.timeouts.read

    def eof_received(self) -> None:
        """Mark the connection as lost; the data received so far can be a complete response."""
        self.is_lost = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Complete the response, or fail the request that is waiting for a response."""
        self.is_lost = True
        self._pool.drop(self)
        if self._timer is not None:
            self._timer.cancel()
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        try:
            response = None if exc else self._reader.ended()
        except InvalidResponse as problem:
            waiter.set_exception(self._pool.errors.invalid_response(problem))
            return
        if response is not None:
            waiter.set_result(response)
        elif isinstance(exc, OSError):
            waiter.set_exception(self._pool.errors.broken(exc))
        else:
            waiter.set_exception(self._pool.errors.cut_off(begun=self._reader.started))

    def _check_deadline(self) -> None:
        """Fail the request if its deadline has passed; otherwise restart the timer.

        Successive requests share one timer.
        """
        self._timer = None
        waiter, loop = self._waiter, self._pool.loop
        if waiter is None or waiter.done():
            return
        if loop.time() < self._deadline:
            self._timer = loop.call_at(self._deadline, self._check_deadline)
        else:
            waiter.set_exception(self._pool.errors.read_timeout())

    def is_usable(self) -> bool:
        """Return whether the connection is still open and has no unread data, such as a second copy of a response."""
        try:
            return not (self.is_lost or self._transport.is_closing() or self._unread.has_arrived())
        except (OSError, ValueError):
            return False

    def abort(self) -> None:
        """Close the connection at once."""
        self.is_lost = True
        self._transport.abort()

    def close(self) -> None:
        """Close the connection after sending pending data."""
        self.is_lost = True
        self._transport.close()


class LoopPool:
    """The idle connections of one event loop to one host. The most recently used connection is reused first."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        address: Address,
        timeouts: Timeouts,
        context: SSLContext | None,
        errors: NetworkErrors,
        ids: ResponseIds,
    ) -> None:
        self.loop = loop
        self.timeouts = timeouts
        self.errors = errors
        self.ids = ids
        self._address = address
        self._context = context
        self._idle: list[AsyncConnection] = []
        self._is_closed = False
        self._end: AsyncGenerator[None, None] | None = None

    async def exchange(self, request: bytes, belongs: ResponseCheck) -> ParsedResponse:
        """Send a request over an idle or a new connection, and return the response."""
        idle = self._idle
        connection = None
        while idle:
            connection = idle.pop()
            if connection.is_usable():
                break
            connection.abort()
            connection = None
        if connection is None:
            connection = await self._connect()
        response = await connection.exchange(request, belongs)
        if response.keep_alive and not connection.is_lost and not self._is_closed and len(idle) < IDLE_MAX:
            idle.append(connection)
        else:
            connection.close()
        return response

    async def _connect(self) -> AsyncConnection:
        if self._end is None:
            self._end = self._close_with_loop()
            await anext(self._end)
        host, port = self._address.host, self._address.port
        try:
            async with asyncio.timeout(self.timeouts.connect):
                if self._address.proxy is not None:
                    return await self._connect_through(self._address.proxy)
                _, connection = await self.loop.create_connection(
                    lambda: AsyncConnection(self), host, port, ssl=self._context
                )
        except OSError as problem:
            raise self.errors.connect_failed(problem) from problem
        return connection

    async def _connect_through(self, proxy: Proxy) -> AsyncConnection:
        from singletable.client.http.proxies import open_socket_async

        tunnel = await open_socket_async(self._address, proxy)
        try:
            _, connection = await self.loop.create_connection(
                lambda: AsyncConnection(self), sock=tunnel, ssl=self._context, server_hostname=self._address.host
            )
        except BaseException:
            tunnel.close()
            raise
        return connection

    async def _close_with_loop(self) -> AsyncGenerator[None, None]:
        """Close the pool when the event loop shuts down its async generators."""
        try:
            yield
        finally:
            self.close()
            await asyncio.sleep(0)  # a transport closes in the next iteration of the loop

    def drop(self, connection: AsyncConnection) -> None:
        """Remove a lost connection."""
        with suppress(ValueError):
            self._idle.remove(connection)

    def close(self) -> None:
        """Close idle connections now, and busy connections once their response has arrived."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    async def close_async(self) -> None:
        """Close the pool and wait until the connections are closed."""
        self.close()
        if self._end is not None:
            await self._end.aclose()
            self._end = None


class LoopPools:
    """The pools of a transport, one per event loop."""

    def __init__(
        self,
        address: Address,
        timeouts: Timeouts,
        context: SSLContext | None,
        errors: NetworkErrors,
        ids: ResponseIds,
    ) -> None:
        self._given = (address, timeouts, context, errors, ids)
        self._pools: dict[asyncio.AbstractEventLoop, LoopPool] = {}

    def current(self) -> LoopPool:
        """Return the pool of the running event loop."""
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            for ended in [each for each in self._pools if each.is_closed()]:
                del self._pools[ended]
            pool = self._pools[loop] = LoopPool(loop, *self._given)
        return pool

    def close(self) -> None:
        """Close every pool, each on its own event loop."""
        pools, self._pools = self._pools, {}
        for loop, pool in pools.items():
            with suppress(RuntimeError):  # the loop is closed, so its pool is closed too
                loop.call_soon_threadsafe(pool.close)

    async def close_async(self) -> None:
        """Close every pool, and wait for the pool of the running event loop."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close_async()
        self.close()
