"""Scenarios of a fault run around the store: interrupts, disk errors, power failures, damage and clock jumps."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.steady_clock import SteadyClock
from singletable.engine.storage import sqlite_connection, store_format, write_ahead_log
from singletable.engine.storage.store import Store
from singletable.engine.storage.write_ahead_log import WriteAheadLog
from singletable.errors import StoreRefused
from tests.engine.faults.disk_faults import FailingCalls, RecordedDisk, system_calls
from tests.engine.faults.interrupts import Interrupts
from tests.engine.faults.linearizability import NEVER, UNKNOWN, Operation
from tests.engine.faults.table_model import History, OutcomeLost, Send, create_table

SECONDS_MAX = 10
HOURS = 3600.0


def opened(url: str, chance: random.Random) -> Engine:
    return Engine(url, sync=chance.choice(("normal", "full", "full")), sweep_seconds=None)


def results(*futures: Future[Any]) -> None:
    for future in futures:
        future.result(SECONDS_MAX)


def interrupted(send: Send, chance: random.Random) -> Send:
    """Return a function that sends a request and raises KeyboardInterrupt at one of its lines."""
    lines = dict[str, int]()  # of each action, as far as it is known

    def send_interrupted(action: str, request: dict[str, Any]) -> dict[str, Any]:
        responses: list[dict[str, Any]] = []
        second = chance.choice((None, None, chance.randrange(1, 12)))
        interrupts = Interrupts(chance.randrange(1, lines.get(action, 300)), second=second)
        is_hit = interrupts.run(lambda: responses.append(send(action, request)))
        if is_hit or not responses:
            raise OutcomeLost
        lines[action] = interrupts.count + 5
        return responses[0]

    return send_interrupted


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
        sends = interrupted(engine.call, chance), engine.call, other.call
        for _ in range(30):
            seeds = [random.Random(chance.random()) for _ in pools]
            turns = [
                pool.submit(history.run, send, seed, times, name)
                for pool, send, seed, times, name in zip(pools, sends, seeds, (3, 1, 1), "ABC", strict=True)
            ]
            results(*turns)
            results(pools[0].submit(history.run, engine.call, chance, 1, "A again"))
    assert any(each.result is UNKNOWN for each in history.operations)
    history.check()
    check_file(url)


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


def changed_bits(chance: random.Random, folder: Path) -> None:
    """A changed bit in the files of a killed process gives the right answer or a clear error."""
    (folder / "open").mkdir()
    history = History()
    with Engine(f"file:{folder / 'open' / 'store.db'}", sweep_seconds=None) as engine:
        create_table(engine)
        history.run(engine.call, chance, 30, "A")
        for name in ("store.db", "store.db-wal"):
            shutil.copy(folder / "open" / name, folder / name)
    log = (folder / "store.db-wal").read_bytes()
    for number in range(4):
        copy = folder / f"log{number}"
        copy.mkdir()
        shutil.copy(folder / "store.db", copy / "store.db")
        place = chance.choice((chance.randrange(4, len(log)), len(log) - chance.randrange(1, 9000)))
        (copy / "store.db-wal").write_bytes(_changed(log, place, chance))
        _check_damaged(copy / "store.db", history)
    if store_format.VERSION < CHECKSUMS_SINCE:
        return
    database = (folder / "open" / "store.db").read_bytes()  # the engine has moved the log into it
    for number in range(6):
        copy = folder / f"database{number}.db"
        copy.write_bytes(_changed(database, chance.randrange(len(database)), chance))
        try:
            _check_damaged(copy, history)
        except AssertionError:
            assert check_store(copy).problems  # a read can miss an item whose key has changed


CHECKSUMS_SINCE = 4
"""The format in which each row has a checksum, so that a read never returns altered bytes."""


def _changed(content: bytes, place: int, chance: random.Random) -> bytes:
    return content[:place] + bytes((content[place] ^ 1 << chance.randrange(8),)) + content[place + 1 :]


def _check_damaged(path: Path, history: History) -> None:
    left = History()
    left.operations += history.operations
    with suppress(StoreRefused), Engine(f"file:{path}", sweep_seconds=None) as engine:
        left.perform(engine.call, "read all", (), "after the change")
    left.check()


def moved_stores(chance: random.Random, folder: Path) -> None:
    """A store that is deleted, moved or replaced while it is open confirms no further write."""
    path = folder / "store.db"
    history = History()
    engine = opened(f"file:{path}", chance)
    create_table(engine)
    history.run(engine.call, chance, 5, "A")
    kind = chance.choice(("delete", "move", "replace", "delete log"))
    if kind == "replace":
        Engine(f"file:{folder / 'other.db'}").close()
        (folder / "other.db").replace(path)
    elif kind == "move":
        path.rename(folder / "moved.db")
    else:
        (path if kind == "delete" else path.with_name("store.db-wal")).unlink()
    time.sleep(0.015)
    for number in range(3):
        assert history.perform(engine.call, "put", (0, number), "after") is UNKNOWN, kind
    with suppress(StoreRefused):
        engine.close()


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


def damaged_metadata(chance: random.Random, folder: Path) -> None:
    """A store with an invalid version, without metadata or with a damaged catalog is rejected with a remedy."""
    path = folder / "store.db"
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        create_table(engine)
    whole = path.read_bytes()
    garbage = chance.choice((b"", b"{", b"\xff", b"[]", b"null", b'{"name":7}', b"[" * 100_000, chance.randbytes(20)))
    for statement, values in (
        ("UPDATE meta SET value = ? WHERE name = 'version'", (chance.choice(("0", "-1", "x", "", "99", "1e3")),)),
        ("DELETE FROM meta WHERE name = ?", (chance.choice(("format", "version")),)),
        ("DROP TABLE meta", ()),
        ("UPDATE catalog SET definition = ?", (garbage,)),
    ):
        path.write_bytes(whole)
        with sqlite3.connect(path) as connection:
            connection.execute(statement, values)
        connection.close()
        with pytest.raises(StoreRefused, match="\n  "), Engine(f"file:{path}", sweep_seconds=None) as engine:
            engine.call("DescribeTable", {"TableName": "table"})


def check_file(url: str) -> None:
    """Check the structure of a store file."""
    path = Path(url.removeprefix("file:"))
    if url != "memory:":
        assert check_store(path).problems == []


STORE_SCENARIOS: tuple[Callable[[random.Random, Path], None], ...] = (
    interrupts,
    interrupted_waits,
    disk_errors,
    power_failures,
    changed_bits,
    moved_stores,
    clock_jumps,
    damaged_metadata,
)
