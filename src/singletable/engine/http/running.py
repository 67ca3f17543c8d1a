"""Runs a server until somebody stops it: Ctrl-C, or SIGTERM."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress

from singletable.engine.http.server import Server


def run_until_stopped(server: Server, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve a socket that listens, say when it is answered, and return when the last answer is given."""
    # Where the loop cannot be told of signals, an interrupt is how it comes to its end.
    with asyncio.Runner(loop_factory=_loop_factory()) as runner, suppress(KeyboardInterrupt):
        runner.run(_serve(server, listening, ready))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ModuleNotFoundError:  # it is not made for Windows
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
