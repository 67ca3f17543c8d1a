"""If another process stops inside a write, the event loop of a server or a client continues to run."""

from __future__ import annotations

import asyncio
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from singletable.client.engine_transport import EngineTransport
from singletable.engine.engine import Engine, Faults
from singletable.engine.http.request_handler import Service
from singletable.engine.http.server import Server, listen
from singletable.engine.http.server_state import ServerTimeouts
from singletable.engine.storage.process_locks import WriteWait
from singletable.engine.storage.store import Store
from singletable.engine.waiting_requests import WaitingRequests
from singletable.errors import StoreRefused
from tests.engine.http.server_under_test import post
from tests.engine.table_requests import create_hash

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX signals")

STOPPED_WRITER = """
import os, signal, sys
from singletable.engine.storage.store import Store
with Store.open(sys.argv[1]) as store, store.writing():
    print("writing", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""
SECONDS_MAX = 10


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(f"file:{tmp_path / 'store.db'}", sweep_seconds=None) as opened:
        create_hash(opened)
        yield opened


@pytest.fixture
def stopped(engine: Engine) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", STOPPED_WRITER, f"file:{engine.store.path}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    yield process
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=SECONDS_MAX)


PUT = b'{"TableName":"hash","Item":{"pk":{"S":"%s"}}}'
GET = b'{"TableName":"hash","Key":{"pk":{"S":"%s"}}}'


async def request(port: int, action: str, body: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(post(action, body))
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        return await reader.readexactly(length)
    finally:
        writer.close()


async def resume(process: subprocess.Popen[str]) -> None:
    await asyncio.sleep(0.1)
    process.send_signal(signal.SIGCONT)


def test_requests_of_a_server_that_wait_for_another_process_delay_no_other_request(
    engine: Engine, stopped: subprocess.Popen[str]
) -> None:
    async def run() -> None:
        server, listening = Server(Service(engine)), listen("127.0.0.1", 0)
        await server.start(listening)
        port = listening.getsockname()[1]
        writes = [asyncio.create_task(request(port, "PutItem", PUT % name)) for name in (b"a", b"b")]
        started = time.monotonic()
        for _ in range(20):
            assert await request(port, "GetItem", GET % b"a") == b"{}"
        assert time.monotonic() - started < SECONDS_MAX
        assert not any(write.done() for write in writes)
        await resume(stopped)
        assert await asyncio.wait_for(asyncio.gather(*writes), SECONDS_MAX) == [b"{}"] * 2
        assert b"pk" in await request(port, "GetItem", GET % b"b")
        await server.stop()

    asyncio.run(run())


def test_requests_of_a_client_that_disconnects_while_it_waits_are_not_run(
    engine: Engine, stopped: subprocess.Popen[str]
) -> None:
    async def run() -> None:
        server, listening = Server(Service(engine)), listen("127.0.0.1", 0)
        await server.start(listening)
        _, writer = await asyncio.open_connection("127.0.0.1", listening.getsockname()[1])
        writer.write(post("PutItem", PUT % b"gone"))
        await asyncio.sleep(0.2)
        # The test sends a reset, because a client that closes only its half can still read the response.
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        await asyncio.sleep(0.2)
        await resume(stopped)
        await asyncio.to_thread(stopped.wait, SECONDS_MAX)
        assert await request(listening.getsockname()[1], "GetItem", GET % b"gone") == b"{}"
        await server.stop()

    asyncio.run(run())


def test_requests_of_asyncio_users_can_be_cancelled_while_they_wait_for_another_process(
    engine: Engine, stopped: subprocess.Popen[str]
) -> None:
    async def run() -> None:
        transport = EngineTransport("file:", engine)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(transport.send_async("PutItem", PUT % b"cancelled"), 0.2)
        write = asyncio.create_task(transport.send_async("PutItem", PUT % b"kept"))
        await asyncio.sleep(0)
        assert await asyncio.wait_for(transport.send_async("GetItem", GET % b"kept"), SECONDS_MAX) == b"{}"
        await resume(stopped)
        assert await asyncio.wait_for(write, SECONDS_MAX) == b"{}"
        assert await transport.send_async("GetItem", GET % b"cancelled") == b"{}"
        assert await transport.send_async("GetItem", GET % b"kept") != b"{}"
        transport.close()

    asyncio.run(run())


def test_a_request_that_is_cancelled_while_it_waits_changes_nothing_later(engine: Engine) -> None:
    async def run() -> None:
        transport = EngineTransport("file:", engine)
        with Store.open(f"file:{engine.store.path}") as other:
            for number in range(20):
                with other.writing():
                    write = asyncio.create_task(transport.send_async("PutItem", PUT % b"%d" % number))
                    await asyncio.sleep(number / 1000)
                    write.cancel()
                    await asyncio.wait([write])
                assert write.cancelled()
                assert await transport.send_async("GetItem", GET % b"%d" % number) == b"{}"
        await transport.send_async("PutItem", PUT % b"after")
        for number in range(20):
            assert await transport.send_async("GetItem", GET % b"%d" % number) == b"{}"
        transport.close()

    asyncio.run(run())


def test_a_request_that_is_cancelled_after_its_write_has_begun_is_complete_when_the_call_returns() -> None:
    waits = WriteWait()
    begun, goes_on = threading.Event(), threading.Event()

    def write() -> None:
        assert waits.begin()
        begun.set()
        assert goes_on.wait(SECONDS_MAX)

    async def run() -> None:
        requests = WaitingRequests(waits)
        call = asyncio.create_task(requests.run(write))
        await asyncio.to_thread(begun.wait, SECONDS_MAX)
        for _ in range(3):
            call.cancel()
            assert not (await asyncio.wait([call], timeout=0.02))[0]
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(call, SECONDS_MAX)
        requests.close()

    asyncio.run(run())


def test_requests_of_asyncio_users_that_wait_raise_store_refused_when_the_table_is_closed(engine: Engine) -> None:
    async def run() -> None:
        transport = EngineTransport("file:", engine)
        writes = [asyncio.create_task(transport.send_async("PutItem", PUT % b"a")) for _ in range(3)]
        await asyncio.sleep(0.1)
        transport.close()
        for found in await asyncio.gather(*writes, return_exceptions=True):
            assert isinstance(found, StoreRefused)
            assert "closed while this write waited" in str(found)

    with Store.open(f"file:{engine.store.path}") as other, other.writing():
        asyncio.run(run())
    # A program that uses only SQLite does not take the fair lock.
    with closing(sqlite3.connect(str(engine.store.path), isolation_level=None)) as program:
        program.execute("BEGIN IMMEDIATE")
        asyncio.run(run())


def test_waiting_requests_end_when_a_server_stops(engine: Engine, stopped: subprocess.Popen[str]) -> None:
    assert stopped.poll() is None

    async def run() -> None:
        server, listening = Server(Service(engine), timeouts=ServerTimeouts(stop_seconds=0.5)), listen("127.0.0.1", 0)
        await server.start(listening)
        write = asyncio.create_task(request(listening.getsockname()[1], "PutItem", PUT % b"a"))
        await asyncio.sleep(0.2)
        write.cancel()
        await asyncio.wait([write])
        started = time.monotonic()
        await server.stop()
        assert time.monotonic() - started < SECONDS_MAX

    asyncio.run(run())


def test_requests_that_wait_draw_their_injected_conflict_once(tmp_path: Path) -> None:
    drawn: list[float] = []

    def draw() -> float:
        drawn.append(0.5)
        return 0.5

    async def run(engine: Engine) -> None:
        transport = EngineTransport("file:", engine)
        with Store.open(f"file:{engine.store.path}") as holder, holder.writing():
            write = asyncio.create_task(transport.send_async("PutItem", PUT % b"a"))
            await asyncio.sleep(0.05)
            assert not write.done()
        assert await asyncio.wait_for(write, SECONDS_MAX) == b"{}"
        transport.close()

    url = f"file:{tmp_path / 'store.db'}"
    with Engine(url, faults=Faults(0.1, draw), sweep_seconds=None) as engine:
        create_hash(engine)
        asyncio.run(run(engine))
    assert drawn == [0.5]
