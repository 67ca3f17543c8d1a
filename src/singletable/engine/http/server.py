"""Listens, and stops gracefully: answers what was asked, then closes."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable

from singletable.engine.http.connection import Connection, Patience, Surroundings
from singletable.engine.http.head import HeadWriter
from singletable.engine.http.service import Service
from singletable.engine.http.shared_flush import SharedFlush

_BACKLOG = 1024
_STOP_STEP_SECONDS = 0.02


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens already, so that whoever connects early is answered late; raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = min(found, key=lambda each: each[0] is not socket.AF_INET)
    listening = socket.socket(family, kind, protocol)
    try:
        if hasattr(socket, "AF_INET6") and family is socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        # On Windows this option would let two servers share a port.
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
    """Serves one socket on the running loop."""

    def __init__(
        self,
        service: Service,
        *,
        flush: Callable[[], None] | None = None,
        patience: Patience | None = None,
        sweep_seconds: float = 5.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """With `flush`, an answer to a write waits until it has been called since."""
        shared = SharedFlush(flush) if flush is not None else None
        self._surroundings = Surroundings(service, HeadWriter(clock), shared, patience or Patience())
        self._sweep_seconds = sweep_seconds
        self._listener: asyncio.Server | None = None
        self._sweep: asyncio.TimerHandle | None = None

    @property
    def connections(self) -> int:
        """How many peers are connected."""
        return len(self._surroundings.connections)

    async def start(self, listening: socket.socket) -> None:
        """Answer on a socket that listens."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(self._connection, sock=listening, backlog=_BACKLOG)

    def _connection(self) -> Connection:
        if self._sweep is None:
            self._sweep_later()
        return Connection(self._surroundings)

    def _sweep_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._surroundings.now = loop.time()
        self._sweep = loop.call_later(self._sweep_seconds, self._sweep_now)

    def _sweep_now(self) -> None:
        """Look after all connections at once, since a timer for each request would cost more than the request."""
        self._sweep = None
        if self._surroundings.connections:
            self._sweep_later()
            for connection in tuple(self._surroundings.connections):
                connection.look_at_the_clock()

    async def stop(self) -> None:
        """Accept nobody else, answer what is being asked, and close."""
        surroundings = self._surroundings
        loop = asyncio.get_running_loop()
        deadline = loop.time() + surroundings.patience.stop_seconds
        if self._listener is not None:
            self._listener.close()
        surroundings.stopping = True
        while surroundings.connections and loop.time() < deadline:
            # A moment first, in which requests that have come already are read.
            await asyncio.sleep(_STOP_STEP_SECONDS)
            for connection in tuple(surroundings.connections):
                connection.leave_if_idle()
        for connection in tuple(surroundings.connections):
            connection.abort()
        if self._sweep is not None:
            self._sweep.cancel()
        if surroundings.flush is not None:
            surroundings.flush.close()
