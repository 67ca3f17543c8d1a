"""Connections that an event loop waits on; every loop has a pool of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import TYPE_CHECKING

from singletable.client.http.address import Address
from singletable.client.http.answer import Answer, AnswerReader, Garbled, whole
from singletable.client.http.connection import IDLE_MAX, LOOKED_AT_SECONDS, is_readable
from singletable.client.http.trouble import Trouble
from singletable.client.policy import Timeouts

if TYPE_CHECKING:
    from ssl import SSLContext


class AwaitedConnection(asyncio.Protocol):
    """One connection; whoever has it sends one request and awaits its answer, and nobody else does meanwhile."""

    _transport: asyncio.Transport

    def __init__(self, pool: LoopPool) -> None:
        self._pool = pool
        self._reader = AnswerReader()
        self._waiter: asyncio.Future[Answer] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.is_lost = False
        self.idle_since = 0.0

    async def exchange(self, request: bytes) -> Answer:
        """The answer to a request; a connection whose request was cancelled or failed is never used again."""
        loop = self._pool.loop
        waiter: asyncio.Future[Answer] = loop.create_future()
        self._waiter = waiter
        self._transport.write(request)
        self._deadline = loop.time() + self._pool.timeouts.read
        if self._timer is None:
            self._timer = loop.call_at(self._deadline, self._look_at_time)
        try:
            return await waiter
        except BaseException:
            self.abort()
            raise
        finally:
            self._waiter = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The host has answered the call."""
        # uvloop's transports are no subclasses of asyncio's, only of their kind.
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """A piece of an answer, or of what nobody asked for."""
        waiter = self._waiter
        if waiter is None or waiter.done():
            self.abort()
            return
        begins = not self._reader.started
        try:
            answer = (begins and whole(data)) or self._reader.feed(data)
        except Garbled as problem:
            waiter.set_exception(self._pool.trouble.garbled(problem))
            return
        if answer is not None:
            waiter.set_result(answer)
        elif begins:
            self._deadline = self._pool.loop.time() + self._pool.timeouts.read

    def eof_received(self) -> None:
        """The host sends no more; what it has sent may be an answer, and the connection ends with it."""
        self.is_lost = True

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone, and with it an answer that was waited for."""
        self.is_lost = True
        self._pool.drop(self)
        if self._timer is not None:
            self._timer.cancel()
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        try:
            answer = None if exc else self._reader.ended()
        except Garbled as problem:
            waiter.set_exception(self._pool.trouble.garbled(problem))
            return
        if answer is not None:
            waiter.set_result(answer)
        elif isinstance(exc, OSError):
            waiter.set_exception(self._pool.trouble.broken(exc))
        else:
            waiter.set_exception(self._pool.trouble.cut_off(begun=self._reader.started))

    def _look_at_time(self) -> None:
        """One timer serves many requests: when it rings, it is set anew for the request that is under way by then."""
        self._timer = None
        waiter, loop = self._waiter, self._pool.loop
        if waiter is None or waiter.done():
            return
        if loop.time() < self._deadline:
            self._timer = loop.call_at(self._deadline, self._look_at_time)
        else:
            waiter.set_exception(self._pool.trouble.no_answer())

    def is_usable(self) -> bool:
        """Whether nothing has come that the loop has not seen yet, since it stood still for a while."""
        if self._pool.loop.time() - self.idle_since < LOOKED_AT_SECONDS:
            return not self.is_lost
        waiting = self._transport.get_extra_info("socket")
        try:
            return not self.is_lost and not is_readable(waiting.fileno())
        except (OSError, ValueError):
            return False

    def abort(self) -> None:
        """Ends it at once."""
        self.is_lost = True
        self._transport.abort()

    def close(self) -> None:
        """Ends it."""
        self.is_lost = True
        self._transport.close()


class LoopPool:
    """The idle connections of one event loop to one host; the one used last is used next."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        address: Address,
        timeouts: Timeouts,
        context: SSLContext | None,
        trouble: Trouble,
    ) -> None:
        self.loop = loop
        self.timeouts = timeouts
        self.trouble = trouble
        self._address = address
        self._context = context
        self._idle: list[AwaitedConnection] = []
        self._is_closed = False
        self._end: AsyncGenerator[None, None] | None = None

    async def exchange(self, request: bytes) -> Answer:
        """The answer to a request, over a connection that waits or a new one."""
        idle = self._idle
        connection = None
        while idle:
            connection = idle.pop()
            if connection.is_usable():
                break
            connection.abort()
            connection = None
        if connection is None:
            connection = await self._connected()
        answer = await connection.exchange(request)
        if answer.keep_alive and not connection.is_lost and not self._is_closed and len(idle) < IDLE_MAX:
            connection.idle_since = self.loop.time()
            idle.append(connection)
        else:
            connection.close()
        return answer

    async def _connected(self) -> AwaitedConnection:
        if self._end is None:
            self._end = self._until_the_loop_ends()
            await anext(self._end)
        host, port = self._address.host, self._address.port
        try:
            async with asyncio.timeout(self.timeouts.connect):
                _, connection = await self.loop.create_connection(
                    lambda: AwaitedConnection(self), host, port, ssl=self._context
                )
        except OSError as problem:
            raise self.trouble.connecting(problem) from problem
        return connection

    async def _until_the_loop_ends(self) -> AsyncGenerator[None, None]:
        """A loop ends its generators before it is closed, which is the moment to let go of what it holds."""
        try:
            yield
        finally:
            self.close()
            await asyncio.sleep(0)  # the transports close themselves in the next round of the loop

    def drop(self, connection: AwaitedConnection) -> None:
        """Forgets a connection that is gone."""
        with suppress(ValueError):
            self._idle.remove(connection)

    def close(self) -> None:
        """Closes what waits, and later what is in use."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    async def close_async(self) -> None:
        """The same, and waits for it."""
        self.close()
        if self._end is not None:
            await self._end.aclose()
            self._end = None


class LoopPools:
    """The pools of a transport, one for each loop that it is used on."""

    def __init__(self, address: Address, timeouts: Timeouts, context: SSLContext | None, trouble: Trouble) -> None:
        self._given = (address, timeouts, context, trouble)
        self._pools: dict[asyncio.AbstractEventLoop, LoopPool] = {}

    def current(self) -> LoopPool:
        """The pool of the running loop."""
        loop = asyncio.get_running_loop()
        pool = self._pools.get(loop)
        if pool is None:
            for ended in [each for each in self._pools if each.is_closed()]:
                del self._pools[ended]
            pool = self._pools[loop] = LoopPool(loop, *self._given)
        return pool

    def close(self) -> None:
        """Closes every pool, each on its own loop."""
        pools, self._pools = self._pools, {}
        for loop, pool in pools.items():
            with suppress(RuntimeError):  # the loop has ended, and the pool with it
                loop.call_soon_threadsafe(pool.close)

    async def close_async(self) -> None:
        """The same, and waits for the pool of the running loop."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close_async()
        self.close()
