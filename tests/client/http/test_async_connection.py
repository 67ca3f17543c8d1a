"""Connections on event loops: a cancelled request closes its connection, and a loop closes all its connections."""

from __future__ import annotations

import asyncio
import gc
import time
import warnings
from contextlib import closing

import pytest

from singletable import Unreachable
from tests.client.http.scripted import OK, Action, scripted

BODY = b'{"ok":true}'


def test_an_async_connection_gives_the_response_of_a_cancelled_request_to_no_other_request() -> None:
    async def main() -> None:
        with scripted([0.2, OK.replace(b"true", b"late")]) as server:
            transport = server.transport()
            task = asyncio.create_task(transport.send_async("GetItem", b"{}"))
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await transport.send_async("GetItem", b"{}") == BODY
            await asyncio.sleep(0.3)
            assert await transport.send_async("GetItem", b"{}") == BODY
            assert server.connections == 2
            await transport.close_async()

    asyncio.run(main())


def test_a_request_cancelled_while_connecting_leaves_no_async_connection() -> None:
    async def main() -> None:
        with scripted() as server:
            transport = server.transport()
            for _ in range(20):
                task = asyncio.create_task(transport.send_async("GetItem", b"{}"))
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert await transport.send_async("GetItem", b"{}") == BODY
            await transport.close_async()

    asyncio.run(main())


def test_concurrent_requests_have_separate_async_connections() -> None:
    async def main() -> None:
        slow: list[Action] = [0.1, OK]
        with scripted(*[slow] * 8) as server:
            transport = server.transport()
            began = time.monotonic()
            answers = await asyncio.gather(*(transport.send_async("GetItem", b"{}") for _ in range(8)))
            assert answers == [BODY] * 8
            assert time.monotonic() - began < 0.6
            assert server.connections == 8
            for _ in range(8):
                await transport.send_async("GetItem", b"{}")
            assert server.connections == 8
            await transport.close_async()

    asyncio.run(main())


def test_each_event_loop_has_its_own_async_connections_and_closes_them() -> None:
    with scripted() as server, closing(server.transport()) as transport:

        async def twice() -> None:
            for _ in range(2):
                assert await transport.send_async("GetItem", b"{}") == BODY

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                asyncio.run(twice())
                gc.collect()  # an open transport would cause a warning
        assert server.connections == 3
        assert transport.send("GetItem", b"{}") == BODY


def test_async_connections_support_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")
    with scripted() as server, closing(server.transport(read=0.3)) as transport:

        async def many() -> None:
            for _ in range(3):
                assert await transport.send_async("GetItem", b"{}") == BODY

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(many())
            time.sleep(0.4)
            runner.run(many())
        assert server.connections == 1


def test_async_connections_use_one_timer_for_many_requests() -> None:
    async def main() -> None:
        with scripted(*(OK for _ in range(30)), [1.0]) as server:
            transport = server.transport(read=0.2)
            for _ in range(30):
                await transport.send_async("GetItem", b"{}")
                await asyncio.sleep(0.01)
            began = time.monotonic()
            with pytest.raises(Unreachable, match="did not respond within"):
                await transport.send_async("GetItem", b"{}")
            assert 0.15 < time.monotonic() - began < 0.8
            assert server.connections == 1
            await transport.close_async()

    asyncio.run(main())
