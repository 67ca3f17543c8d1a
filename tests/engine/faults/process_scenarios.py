"""Scenarios of a fault run with several processes: paused writers, killed writers and forks."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from singletable.client.engine_transport import EngineTransport
from singletable.client.http.http_transport import HttpTransport
from singletable.engine.engine import Engine
from singletable.engine.http.request_handler import Service
from singletable.engine.http.server import Server, listen
from singletable.engine.http.server_state import ServerTimeouts
from singletable.engine.storage.store import Store
from singletable.errors import RequestRefused, StoreRefused, Unreachable
from tests.client.http.scripted import transport_to
from tests.engine.faults.linearizability import NEVER, UNKNOWN, Operation
from tests.engine.faults.store_scenarios import SECONDS_MAX, check_file, opened
from tests.engine.faults.table_model import FAILED, History, Send, create_table, request_of, result_of

_encode, _decode = msgspec.json.encode, msgspec.json.decode


CHILDREN: set[int] = set()
"""The children that run; a function that ends this process early must kill them first."""


def in_child(work: Callable[[int], None]) -> tuple[int, int]:
    """Run a function in a forked child, which ends with it; return the process, and where to read what it writes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        CHILDREN.add(child)
        return child, reading
    code = 1
    try:
        os.close(reading)
        work(writing)
        code = 0
    finally:
        os._exit(code)


def end_child(child: int, kind: int = signal.SIGKILL) -> int:
    """Kill a child, or only wait for its end if the signal is 0; return its status."""
    if kind:
        os.kill(child, kind)
    status = os.waitpid(child, 0)[1]
    CHILDREN.discard(child)
    return status


def read_all(descriptor: int) -> bytes:
    with open(descriptor, "rb") as pipe:
        return pipe.read()


def paused_writers(chance: random.Random, folder: Path) -> None:
    """While another process is paused inside a write, reads on an event loop go on, and writes can be cancelled."""
    url = f"file:{folder / 'store.db'}"
    with Engine(url, sweep_seconds=None) as engine:
        create_table(engine)
    # A program that uses only SQLite does not take the write lock of the library.
    takes_write_lock = chance.random() < 0.6

    def pause(writing: int) -> None:
        with ExitStack() as stack:
            if takes_write_lock:
                stack.enter_context(stack.enter_context(Store.open(url)).writing())
            else:
                program = stack.enter_context(closing(sqlite3.connect(folder / "store.db", isolation_level=None)))
                program.execute("BEGIN IMMEDIATE")
            os.write(writing, b"w")
            os.kill(os.getpid(), signal.SIGSTOP)

    child, reading = in_child(pause)
    try:
        assert os.read(reading, 1) == b"w"
        with opened(url, chance) as engine:
            history = History()
            asyncio.run(_with_paused_writer(engine, history, chance, lambda: os.kill(child, signal.SIGCONT)))
            history.perform(engine.call, "read all", ())
            history.check()
    finally:
        end_child(child)
        os.close(reading)
    check_file(url)


async def _with_paused_writer(
    engine: Engine, history: History, chance: random.Random, resume: Callable[[], None]
) -> None:
    server, listening = Server(Service(engine), timeouts=ServerTimeouts(stop_seconds=0.05)), listen("127.0.0.1", 0)
    await server.start(listening)
    transport: EngineTransport | HttpTransport = EngineTransport("file:", engine)
    if chance.random() < 0.5:
        transport.close()
        transport = transport_to(listening.getsockname()[1])
    writes = []
    for number in range(4):
        name, arguments = chance.choice((("put", (0, number + 1)), ("add", (1, 7)), ("delete", (2,))))
        writes.append(asyncio.create_task(perform(transport.send_async, history, name, arguments)))
    await asyncio.sleep(0.02)
    for item in (0, 1, 2):
        read = perform(transport.send_async, history, "get", (item,))
        assert await asyncio.wait_for(read, SECONDS_MAX) is None
    assert not any(write.done() for write in writes)
    writes[0].cancel()
    await asyncio.sleep(chance.choice((0, 0, 0.02)))
    if chance.random() < 0.3:  # the waits end although the other process is still paused
        await transport.close_async()
        await server.stop()
        await asyncio.wait_for(asyncio.gather(*writes, return_exceptions=True), SECONDS_MAX)
        resume()
        return
    await asyncio.wait_for(perform(transport.send_async, history, "read all", ()), SECONDS_MAX)
    resume()
    await asyncio.wait_for(asyncio.gather(*writes, return_exceptions=True), SECONDS_MAX)
    for _ in range(3):
        await perform(transport.send_async, history, *history.choose(chance))
    await transport.close_async()
    await server.stop()


async def perform(
    send: Callable[[str, bytes], Awaitable[bytes]],
    history: History,
    name: str,
    arguments: tuple[Any, ...],
) -> Any:
    """Perform an operation on an event loop, like `History.perform`."""
    started = history.now()
    action, request = request_of(name, arguments, str(started))
    result = UNKNOWN
    try:
        result = result_of(name, _decode(await send(action, _encode(request))))
    except RequestRefused:
        result = FAILED
    except (Unreachable, StoreRefused):
        pass
    finally:
        # A cancelled request to an engine must not take effect later; a server may have received it.
        is_server = not isinstance(getattr(send, "__self__", None), EngineTransport)
        ended = NEVER if result is UNKNOWN and is_server else history.now()
        history.add(Operation(name, arguments, result, started, ended))
    return result


def killed_writers(chance: random.Random, folder: Path) -> None:
    """A process is killed while it writes; every write that it has confirmed is there, and no write is halved."""
    url = f"file:{folder / 'store.db'}"
    history = History()
    with opened(url, chance) as engine:
        create_table(engine)
    for number in range(3):

        def write(writing: int, number: int = number) -> None:
            own = History()
            choices = random.Random(f"{chance.random()}-{number}")
            with opened(url, choices) as engine:
                for _ in range(1000):
                    name, arguments = history.choose(choices)
                    _report(writing, Operation(name, arguments, UNKNOWN, own.now(), 0, f"child {number}"))
                    own.perform(engine.call, name, arguments, f"child {number}")
                    _report(writing, own.operations[-1])

        child, reading = in_child(write)
        signal.sigtimedwait([], chance.uniform(0.005, 0.05))
        end_child(child)
        history.operations += _reported(read_all(reading), history.now())
        with opened(url, chance) as engine:
            history.perform(engine.call, "read all", (), "parent")
            history.run(engine.call, chance, 2, "parent")
    history.check()
    check_file(url)


def _report(writing: int, operation: Operation) -> None:
    found = operation.result is UNKNOWN
    data = pickle.dumps(
        (
            operation.name,
            operation.arguments,
            found,
            operation.result if not found else None,
            operation.started,
            operation.ended,
            operation.caller,
        )
    )
    os.write(writing, len(data).to_bytes(4, "big") + data)


def _reported(data: bytes, killed_at: float) -> list[Operation]:
    """Return the operations that a killed process has reported; the last one may be unfinished."""
    operations: list[Operation] = []
    unfinished: Operation | None = None
    while len(data) >= 4:
        length = int.from_bytes(data[:4], "big")
        if len(data) < length + 4:
            break
        name, arguments, is_lost, result, started, ended, caller = pickle.loads(data[4 : length + 4])
        data = data[length + 4 :]
        made = Operation(name, arguments, UNKNOWN if is_lost else result, started, ended or killed_at, caller)
        unfinished = made if ended == 0 else None
        if ended:
            operations.append(made)
    return operations + ([unfinished] if unfinished is not None else [])


def forks(chance: random.Random, folder: Path) -> None:
    """A forked child and its parent use a server at the same time; the child cannot use the store of its parent."""
    url = f"file:{folder / 'store.db'}"

    def serve(writing: int) -> None:
        with opened(url, chance) as engine:
            create_table(engine)
            asyncio.run(_serve(engine, writing))

    server, port_of = in_child(serve)
    try:
        port = int.from_bytes(os.read(port_of, 4), "big")
        with (
            closing(transport_to(port)) as transport,
            Engine(sweep_seconds=None) as memory,
            opened(url, chance) as file,
        ):
            create_table(memory)
            _fork(chance, transport, memory, file)
    finally:
        end_child(server)
        os.close(port_of)
    _fork_inside_a_write(f"file:{folder / 'other.db'}", chance)


def _fork_inside_a_write(url: str, chance: random.Random) -> None:
    """A forked child does not keep the write lock of a parent that is killed."""
    reading, writing = os.pipe()

    def write(_: int) -> None:
        with Store.open(url) as store, store.writing():
            grandchild = os.fork()
            if not grandchild:
                signal.pause()
            os.write(writing, grandchild.to_bytes(4, "big"))
            signal.pause()

    child, unused = in_child(write)
    grandchild = int.from_bytes(os.read(reading, 4), "big")
    CHILDREN.add(grandchild)
    try:
        end_child(child)
        with opened(url, chance) as engine, ThreadPoolExecutor(1) as pool:
            pool.submit(create_table, engine).result(SECONDS_MAX)
    finally:
        os.kill(grandchild, signal.SIGKILL)
        CHILDREN.discard(grandchild)
        for descriptor in (reading, writing, unused):
            os.close(descriptor)


async def _serve(engine: Engine, writing: int) -> None:
    server, listening = Server(Service(engine)), listen("127.0.0.1", 0)
    await server.start(listening)
    os.write(writing, listening.getsockname()[1].to_bytes(4, "big"))
    await asyncio.sleep(60)


def send_through(transport: HttpTransport) -> Send:
    """Return a function that sends a request through a transport, some of them with others."""

    def send(action: str, request: dict[str, Any]) -> dict[str, Any]:
        read = ("GetItem", _encode(request_of("get", (0,), "")[1]))
        response, *_ = transport.send_each([(action, _encode(request)), read, read])
        if isinstance(response, Exception):
            raise response
        found: dict[str, Any] = _decode(response)
        return found

    return send


def _fork(chance: random.Random, transport: HttpTransport, memory: Engine, file: Engine) -> None:
    history, send = History(), send_through(transport)
    history.run(send, chance, 3, "parent")
    history.run(file.call, chance, 2, "parent")
    copied = History()
    copied.run(memory.call, chance, 3, "parent")

    def use(writing: int) -> None:
        own, copy = History(), History()
        own.run(send, random.Random(1), 10, "child")
        copy.operations += copied.operations
        copy.run(memory.call, random.Random(2), 3, "child")
        copy.check()
        with pytest.raises(StoreRefused, match="forked"):
            file.call("PutItem", request_of("put", (0, 1), "")[1])
        for each in own.operations:
            _report(writing, each)

    child, reading = in_child(use)
    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(history.run, send, chance, 10, "parent")
        reported = read_all(reading)
        status = end_child(child, 0)
        others.result(SECONDS_MAX)
    assert status == 0, "the child failed"
    history.run(file.call, chance, 2, "parent")
    copied.run(memory.call, chance, 3, "parent")
    copied.check()
    history.operations += _reported(reported, history.now())
    assert any(each.caller == "child" for each in history.operations)
    assert not any(each.result is UNKNOWN for each in history.operations), "a response is lost without a fault"
    history.check()


PROCESS_SCENARIOS: tuple[Callable[[random.Random, Path], None], ...] = (paused_writers, killed_writers, forks)
