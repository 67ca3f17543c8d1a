"""Scenarios of a fault run around the store: interrupts, disk errors, power failures and clock jumps."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import msgspec

from singletable.client.engine_transport import EngineTransport
from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.steady_clock import SteadyClock
from singletable.engine.storage import sqlite_connection, write_ahead_log
from singletable.engine.storage.connection_pool import ConnectionPool
from singletable.engine.storage.sqlite_connection import connect_to_memory
from singletable.engine.storage.store import Store
from singletable.engine.storage.write_ahead_log import GroupFlush, WriteAheadLog
from singletable.errors import RequestRefused, StoreRefused
from tests.engine.faults.disk_faults import FailingCalls, RecordedDisk, system_calls
from tests.engine.faults.interrupts import Interrupts
from tests.engine.faults.linearizability import NEVER, UNKNOWN, Operation
from tests.engine.faults.table_model import History, OutcomeLost, Send, SendAll, create_table

T = TypeVar("T")
SECONDS_MAX = 20  # the expected time is milliseconds; the rest is a margin for a busy machine
HOURS = 3600.0
STORAGE = "/engine/storage/"


def opened(url: str, chance: random.Random) -> Engine:
    return Engine(url, sync=chance.choice(("normal", "full", "full")), sweep_seconds=None)


def results(*futures: Future[Any]) -> None:
    for future in futures:
        future.result(SECONDS_MAX)


def interrupted(send: Send, chance: random.Random) -> Send:
    """Return a function that sends a request and raises KeyboardInterrupt at one of its lines."""
    lines = dict[str, int]()  # of each action, as far as it is known

    def send_interrupted(action: str, request: dict[str, Any]) -> dict[str, Any]:
        return _interrupted_call(lambda: send(action, request), action, lines, chance)

    return send_interrupted


def _interrupted_call(call: Callable[[], T], name: str, lines: dict[str, int], chance: random.Random) -> T:
    """Return the result of a call, or raise OutcomeLost if an interrupt has ended it."""
    results: list[T] = []
    second = chance.choice((None, None, chance.randrange(1, 12)))
    only = chance.choice(("", STORAGE, STORAGE))  # the engine holds locks only there
    interrupts = Interrupts(chance.randrange(1, lines.get(name + only, 200)), second=second, only=only)
    is_hit = interrupts.run(lambda: results.append(call()))
    if is_hit or not results:
        raise OutcomeLost
    lines[name + only] = interrupts.count + 5
    return results[0]


def _interrupted_batch(engine: Engine, chance: random.Random) -> SendAll:
    """Return a function that sends requests in one group commit, and is interrupted at one of its lines."""
    transport, lines = EngineTransport("file:", engine), dict[str, int]()

    def send_all(requests: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any] | Exception]:
        encoded = [(action, msgspec.json.encode(request)) for action, request in requests]
        found = _interrupted_call(lambda: transport.send_each(encoded), str(len(requests)), lines, chance)
        return [each if isinstance(each, Exception) else msgspec.json.decode(each) for each in found]

    return send_all


def _group_with_interrupts(engine: Engine, chance: random.Random) -> SendAll:
    """Return a function that sends requests in one group commit, which goes on after an interrupted request."""
    send = interrupted(engine.call, chance)

    def send_all(requests: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any] | Exception]:
        found: list[dict[str, Any] | Exception] = []
        with engine.group_commit():
            for action, request in requests:
                try:
                    found.append(send(action, request))
                except (RequestRefused, OutcomeLost) as lost:
                    found.append(lost)
        engine.store.flush()
        return found

    return send_all


def _interrupted_session(engine: Engine, chance: random.Random) -> None:
    """Interrupt a write session that no request cleans up; the next write of the thread does this."""

    def write() -> None:
        with engine.store.writing():
            pass

    Interrupts(chance.randrange(1, 40)).run(write)


def interrupts(chance: random.Random, folder: Path) -> None:
    """A caller is interrupted at random lines; other threads and another engine go on at once."""
    url = chance.choice(("memory:", f"file:{folder / 'store.db'}", f"file:{folder / 'store.db'}"))
    history = History()
    with ExitStack() as stack:
        engine = stack.enter_context(opened(url, chance))
        create_table(engine)
        history.warm_up(engine.call)
        # Two engines in one process behave as two processes here.
        other = engine if url == "memory:" else stack.enter_context(opened(url, chance))
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in range(3)]
        send = interrupted(engine.call, chance)
        batch, group = _interrupted_batch(engine, chance), _group_with_interrupts(engine, chance)
        for _ in range(50):
            if chance.random() < 0.2 and url != "memory:":
                results(pools[0].submit(_interrupted_session, engine, chance))
                results(pools[0].submit(history.perform, engine.call, "add", (0, 1), "A after"))
            seeds = [random.Random(chance.random()) for _ in pools]
            own = chance.choice(
                (
                    partial(history.run, send),
                    partial(history.perform_together, batch),
                    partial(history.perform_together, group),
                    partial(history.perform_together, group),
                    partial(history.perform_together, group),
                )
            )
            results(
                pools[0].submit(own, seeds[0], 3, "A"),
                pools[1].submit(history.run, engine.call, seeds[1], 1, "B"),
                pools[2].submit(history.run, other.call, seeds[2], 1, "C"),
            )
            results(pools[0].submit(history.run, engine.call, chance, 1, "A again"))
        if isinstance(engine.store._connections, ConnectionPool):
            assert not any(each.holder for each in engine.store._connections._connections), "a connection leaks"
    assert any(each.result is UNKNOWN for each in history.operations)
    history.check()
    check_file(url)


def interrupted_flushes(chance: random.Random, folder: Path) -> None:
    """A flush that is interrupted at any line delays no other thread, and each flush includes the commits before it."""
    commits = flushed = 0
    lock = threading.Lock()

    def sync() -> None:
        nonlocal flushed
        included = commits
        time.sleep(chance.choice((0.0, 0.001, 0.002)))
        flushed = max(flushed, included)

    flush = GroupFlush(sync)

    def write() -> None:
        nonlocal commits
        with lock:
            commits += 1
            flush.after_commit()
            needed = commits
        flush.flush()
        assert flushed >= needed

    with ThreadPoolExecutor(1) as caller, ThreadPoolExecutor(2) as others:
        for _ in range(60):
            interrupts = Interrupts(chance.randrange(1, 24), second=chance.choice((None, 1, 2)), only=STORAGE)
            own = caller.submit(interrupts.run, write)
            results(own, *(others.submit(write) for _ in range(2)))
            results(caller.submit(write))


def interrupted_settings(chance: random.Random, folder: Path) -> None:
    """An interrupt while a connection gets another waiting time never leaves a wrong one."""
    connection = connect_to_memory()
    for _ in range(60):
        _suppress_interrupt(partial(connection.wait_for_writers, chance.choice((0.0, 0.05, 60.0))), chance)
        seconds = chance.choice((0.0, 0.05, 60.0))
        connection.wait_for_writers(seconds)
        assert connection.execute("PRAGMA busy_timeout").fetchone()[0] == seconds * 1000
    connection.close()


def _suppress_interrupt(call: Callable[[], object], chance: random.Random) -> None:
    Interrupts(chance.randrange(1, 24)).run(call)


def interrupted_waits(chance: random.Random, folder: Path) -> None:
    """A writer that is interrupted while it waits for another process does not get the file lock later."""
    url = f"file:{folder / 'store.db'}"
    history = History()
    with opened(url, chance) as engine, opened(url, chance) as other, ThreadPoolExecutor(1) as waiting:
        create_table(engine)
        history.warm_up(engine.call)
        for _ in range(3):
            with Store.open(url) as holder, holder.writing():
                waits = interrupted(engine.call, chance)
                results(waiting.submit(_impatient, engine, partial(history.run, waits, chance, 2, "A")))
            with ThreadPoolExecutor(1) as bystander:
                results(bystander.submit(history.run, other.call, chance, 2, "B"))
            results(waiting.submit(history.run, engine.call, chance, 1, "A again"))
    history.check()
    check_file(url)


def _impatient(engine: Engine, call: Callable[[], None]) -> None:
    engine.waits.seconds = 0.08
    try:
        call()
    finally:
        engine.waits.reset()


@contextmanager
def small_log(frames: int) -> Generator[None, None, None]:
    """Run a checkpoint after this many frames, and let SQLite read its files instead of mapping them."""
    with (
        mock.patch.object(write_ahead_log, "CHECKPOINT_FRAMES", frames),
        mock.patch.object(sqlite_connection, "_MAPPED_BYTES", 0),
    ):
        yield


def disk_errors(chance: random.Random, folder: Path) -> None:
    """System calls of SQLite and flushes fail at the n-th call; every confirmed write is there after opening again."""
    url, history, failing = f"file:{folder / 'store.db'}", History(), FailingCalls()
    sync = WriteAheadLog.sync

    def failing_sync(log: WriteAheadLog) -> None:
        if failing(True, str(log.path), 0, b""):
            raise OSError(5, "injected")
        sync(log)

    with small_log(chance.choice((20, 8000))):
        with Engine(url, sweep_seconds=None) as engine:
            create_table(engine)
        with mock.patch.object(WriteAheadLog, "sync", failing_sync):
            for _ in range(4):
                _run_with_disk_errors(url, history, failing, chance)
        with Engine(url, sweep_seconds=None) as engine:
            history.perform(engine.call, "read all", (), "at the end")
    assert failing.failed
    history.check()
    check_file(url)


def _run_with_disk_errors(url: str, history: History, failing: FailingCalls, chance: random.Random) -> None:
    with system_calls(failing):
        engine = opened(url, chance)
        for _ in range(5):
            failing.start(chance.randrange(1, 10), is_lasting=chance.random() < 0.3)
            history.run(engine.call, chance, 3, "A")
            failing.stop()
            history.run(engine.call, chance, 1, "B")
        with suppress(StoreRefused):  # after a failed flush
            engine.close()


def power_failures(chance: random.Random, folder: Path) -> None:
    """A power failure leaves any part of what was not flushed; with `sync="full"`, no confirmed write is lost."""
    path = folder / "store.db"
    history, confirmed = History(), list[tuple[int, int]]()  # the number of writes at the start and the end
    disk = RecordedDisk(path)
    with small_log(20), disk.recording(), Engine(f"file:{path}", sync="full", sweep_seconds=None) as engine:
        create_table(engine)
        disk.begin()
        for _ in range(40):
            before = len(disk.writes)
            history.run(engine.call, chance, 1, "A")
            confirmed.append((before, len(disk.writes)))
    for number in range(3):
        at = chance.randrange(len(disk.writes) + 1)
        copy = disk.after_power_failure(at, folder / f"cut{number}", chance)
        left = History()
        for (start, end), each in zip(confirmed, history.operations, strict=True):
            if end <= at:
                left.operations.append(each)
            elif start < at:
                left.operations.append(Operation(each.name, each.arguments, UNKNOWN, each.started, NEVER))
        with Engine(f"file:{copy}", sweep_seconds=None) as engine:
            left.perform(engine.call, "read all", (), "after the power failure")
        left.check()
        check_file(f"file:{copy}")


def clock_jumps(chance: random.Random, folder: Path) -> None:
    """Requests with idempotency tokens count once, although the clock jumps ahead for a moment."""
    jump = 0.0
    sent: list[dict[str, Any]] = []

    def now() -> float:
        return time.time() + jump

    history = History()
    with Engine(sweep_seconds=None) as engine:
        clock = getattr(engine, "token_now", None)
        if isinstance(clock, SteadyClock):
            clock._wall = now
        elif clock is not None:
            engine.token_now = now  # an engine without the steady clock
        engine.now = now
        create_table(engine)

        def send(action: str, request: dict[str, Any]) -> dict[str, Any]:
            nonlocal jump
            jump = chance.choice((0.0, 0.0, 2 * HOURS, -HOURS))
            if sent and chance.random() < 0.3:
                engine.call("TransactWriteItems", chance.choice(sent))  # again, without an effect
            response = engine.call(action, request)
            if action == "TransactWriteItems":
                sent.append(request)
            return response

        history.perform(send, "put", (0, 100_000))
        history.perform(send, "put", (1, 100_000))
        for _ in range(20):
            history.run(send, chance, 2)
            history.perform(send, "transfer", (0, 1, chance.randrange(1, 50)))
        history.perform(send, "read all", ())
    history.check()


def check_file(url: str) -> None:
    """Check the structure of a store file."""
    path = Path(url.removeprefix("file:"))
    if url != "memory:":
        assert check_store(path).problems == []


STORE_SCENARIOS: tuple[Callable[[random.Random, Path], None], ...] = (
    interrupts,
    interrupted_waits,
    interrupted_flushes,
    interrupted_settings,
    disk_errors,
    power_failures,
    clock_jumps,
)
