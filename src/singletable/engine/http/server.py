"""The HTTP server: listens on a socket, runs until a signal stops it, and then finishes running requests."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from singletable.engine.http.body_budget import BodyBudget
from singletable.engine.http.http_connection import HttpConnection
from singletable.engine.http.request_handler import Service
from singletable.engine.http.server_state import HeadWriter, ServerState, ServerTimeouts, SharedFlush
from singletable.engine.waiting_requests import WaitingRequests

_BACKLOG = 1024
_STOP_STEP_SECONDS = 0.02


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that clients can connect before the server starts. Raise OSError if this fails."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = min(found, key=lambda each: each[0] is not socket.AF_INET)
    listening = socket.socket(family, kind, protocol)
    try:
        if hasattr(socket, "AF_INET6") and family is socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        # On Windows, this option would let two servers share a port.
        if hasattr(socket, "SO_REUSEADDR") and not hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    return listening


class Server:
    """Serves one socket on the running event loop."""

    def __init__(
        self,
        service: Service,
        *,
        flush: Callable[[], None] | None = None,
        timeouts: ServerTimeouts | None = None,
        bodies: BodyBudget | None = None,
        sweep_seconds: float = 5.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Store the service. With `flush`, the response to a write waits for a flush that started after the write."""
        shared = SharedFlush(flush) if flush is not None else None
        waiting = WaitingRequests(service.waits)
        self._state = ServerState(
            service, HeadWriter(clock), shared, waiting, timeouts or ServerTimeouts(), bodies=bodies or BodyBudget()
        )
        self._sweep_seconds = sweep_seconds
        self._listener: asyncio.Server | None = None
        self._sweep: asyncio.TimerHandle | None = None

    @property
    def connections(self) -> int:
        """The number of connected clients."""
        return len(self._state.connections)

    async def start(self, listening: socket.socket) -> None:
        """Answer requests on a listening socket. From now on, this thread never waits for another writer."""
        loop = asyncio.get_running_loop()
        self._state.service.waits.seconds = 0.0
        self._listener = await loop.create_server(self._connection, sock=listening, backlog=_BACKLOG)

    def _connection(self) -> HttpConnection:
        if self._sweep is None:
            self._sweep_later()
        return HttpConnection(self._state)

    def _sweep_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._state.now = loop.time()
        self._sweep = loop.call_later(self._sweep_seconds, self._sweep_now)

    def _sweep_now(self) -> None:
        """Check the timeouts of all connections at once. A timer for each request would cost more than the request."""
        self._sweep = None
        if self._state.connections:
            self._sweep_later()
            for connection in tuple(self._state.connections):
                connection.check_timeouts()

    async def stop(self) -> None:
        """Accept no new connections, finish the running requests, and close."""
        state = self._state
        loop = asyncio.get_running_loop()
        deadline = loop.time() + state.timeouts.stop_seconds
        if self._listener is not None:
            self._listener.close()
        state.stopping = True
        while state.connections and loop.time() < deadline:
            # First, give the event loop time to read requests that have already arrived.
            await asyncio.sleep(_STOP_STEP_SECONDS)
            for connection in tuple(state.connections):
                connection.close_if_idle()
        for connection in tuple(state.connections):
            connection.abort()
        if self._sweep is not None:
            self._sweep.cancel()
        if state.waiting is not None:
            state.waiting.close()
        state.service.waits.reset()
        if state.flush is not None:
            state.flush.close()


def run_until_stopped(server: Server, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve a listening socket until Ctrl-C or SIGTERM. Call `ready` when the server accepts requests."""
    # If the event loop does not support signal handlers, KeyboardInterrupt ends the loop.
    with asyncio.Runner(loop_factory=_loop_factory()) as runner, suppress(KeyboardInterrupt):
        runner.run(_serve(server, listening, ready))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ModuleNotFoundError:  # uvloop does not support Windows
        return asyncio.new_event_loop
    return uvloop.new_event_loop


async def _serve(server: Server, listening: socket.socket, ready: Callable[[], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:
            break
    try:
        await server.start(listening)
        ready()
        await stop.wait()
    finally:
        await server.stop()
