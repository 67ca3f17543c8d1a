"""Connections on event loops: a cancelled request takes its connection along, and a loop takes all of its own."""

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


def test_a_request_that_is_cancelled_leaves_no_answer_to_others() -> None:
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


def test_a_request_that_is_cancelled_while_it_connects_leaves_nothing() -> None:
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


def test_requests_at_once_have_connections_of_their_own() -> None:
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


def test_each_loop_has_connections_of_its_own_and_closes_them() -> None:
    with scripted() as server, closing(server.transport()) as transport:

        async def twice() -> None:
            for _ in range(2):
                assert await transport.send_async("GetItem", b"{}") == BODY

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                asyncio.run(twice())
                gc.collect()  # a transport that was left open would warn
        assert server.connections == 3
        assert transport.send("GetItem", b"{}") == BODY


def test_uvloop_waits_as_well() -> None:
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


def test_one_timer_watches_over_many_requests() -> None:
    async def main() -> None:
        with scripted(*(OK for _ in range(30)), [1.0]) as server:
            transport = server.transport(read=0.2)
            for _ in range(30):
                await transport.send_async("GetItem", b"{}")
                await asyncio.sleep(0.01)
            began = time.monotonic()
            with pytest.raises(Unreachable, match="has not answered within"):
                await transport.send_async("GetItem", b"{}")
            assert 0.15 < time.monotonic() - began < 0.8
            assert server.connections == 1
            await transport.close_async()

    asyncio.run(main())
