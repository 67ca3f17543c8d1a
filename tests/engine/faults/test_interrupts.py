"""An interrupt at any line of a write leaves the store usable, and the write is complete or absent."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage.store import Store
from tests.engine.faults.interrupts import Interrupts
from tests.engine.soak import SOAK
from tests.engine.table_requests import create_indexed

OPCODES = os.environ.get("FAULTS") is not None
"""Whether to interrupt at each instruction instead of each line (`make faults`)."""
SECONDS_MAX = 10  # the expected time is one second; the rest is a margin for a busy machine

OTHER_PROCESS = """
import sys
from singletable.engine.engine import Engine
with Engine(sys.argv[1]) as engine:
    for line in sys.stdin:
        engine.call("PutItem", {"TableName": "table", "Item": {"pk": {"S": "other"}, "sk": {"S": "process"}}})
        print("written", flush=True)
"""

Operation = Callable[[Engine, str], object]


def item(name: str, number: str) -> dict[str, Any]:
    return {"pk": {"S": name}, "sk": {"S": number}, "gsiPk": {"S": number}}


def put(engine: Engine, number: str) -> object:
    return engine.call("PutItem", {"TableName": "table", "Item": item("a", number)})


def transact(engine: Engine, number: str) -> object:
    puts = [{"Put": {"TableName": "table", "Item": item(name, number)}} for name in "ab"]
    return engine.call("TransactWriteItems", {"TransactItems": puts})


def batch_in_group(engine: Engine, number: str) -> object:
    try:
        with engine.group_commit():
            put(engine, number)
            return transact(engine, number)
    except BaseException:
        engine.store.abandon()
        raise


def written(engine: Engine, number: str) -> set[str]:
    """Return the items that exist in the table, after checking that the index contains the same items."""
    values = {":n": {"S": number}}
    query = {"TableName": "table", "IndexName": "gsi", "KeyConditionExpression": "gsiPk = :n"}
    found = engine.call("Query", {**query, "ExpressionAttributeValues": values})["Items"]
    names = {each["pk"]["S"] for each in found}
    for name in "ab":
        key = {"pk": {"S": name}, "sk": {"S": number}}
        assert ("Item" in engine.call("GetItem", {"TableName": "table", "Key": key})) == (name in names)
    return names


class OtherProcess:
    """Another process that writes to the same store on request."""

    def __init__(self, url: str) -> None:
        command = [sys.executable, "-c", OTHER_PROCESS, url]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def write(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "written\n"

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(params=["file", "memory", "full"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = "memory:" if request.param == "memory" else f"file:{tmp_path / 'store.db'}"
    with Engine(url, sync="full" if request.param == "full" else "normal", sweep_seconds=None) as opened:
        create_indexed(opened)
        yield opened


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir())) if Path("/dev/fd").is_dir() else 0


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "whole"), [(put, {"a"}), (transact, {"a", "b"}), (batch_in_group, {"a", "b"})])
def test_an_interrupt_at_any_line_leaves_the_store_usable(
    engine: Engine, operation: Operation, whole: set[str]
) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(1) as interrupted, ThreadPoolExecutor(3) as bystanders:
        other = None if engine.store.path is None else OtherProcess(f"file:{engine.store.path}")
        if other is not None:
            stack.callback(other.end)
        counter = Interrupts(opcodes=OPCODES)
        interrupted.submit(counter.run, lambda: operation(engine, "warm")).result()
        counter = Interrupts(opcodes=OPCODES)
        interrupted.submit(counter.run, lambda: operation(engine, "count")).result()
        before = threading.active_count(), descriptors()
        for at in range(1, counter.count + 1):
            number = str(at)
            interrupts = Interrupts(at, opcodes=OPCODES)
            is_hit = interrupted.submit(interrupts.run, partial(operation, engine, number))
            if not is_hit.result(SECONDS_MAX):  # every eighth commit executes a few lines more than the others
                assert at > 0.9 * counter.count
                break
            if other is not None:
                bystanders.submit(other.write).result(SECONDS_MAX)
            assert bystanders.submit(written, engine, number).result(SECONDS_MAX) in (set(), whole), at
            bystanders.submit(put, engine, f"{number} after").result(SECONDS_MAX)
            interrupted.submit(put, engine, f"{number} after").result(SECONDS_MAX)
    assert threading.active_count() <= before[0]
    assert descriptors() <= before[1] + 3  # one connection for each thread that has read
    if other is not None:
        assert engine.store.path is not None
        assert check_store(engine.store.path).problems == []


def interrupt_main_thread_after(seconds: float, call: Callable[[], object]) -> None:
    """Run a call that a KeyboardInterrupt must end. A real signal raises it."""

    def interrupted_call() -> None:
        # Python ignores an interrupt in a finalizer or in a weakref callback, so the signal repeats after a second.
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        call()

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted_call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
def test_an_interrupt_of_a_waiting_writer_does_not_give_it_the_file_lock_later(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store.db'}"
    with Engine(url) as engine, Engine(url) as third:  # two engines in one process behave like two processes here
        create_indexed(engine)
        threads = threading.active_count()
        with Store.open(url) as holder:
            with holder.writing():
                for _ in range(3):
                    interrupt_main_thread_after(0.1, lambda: put(engine, "interrupted"))
            with ThreadPoolExecutor(1) as bystander:
                bystander.submit(put, third, "after").result(SECONDS_MAX)
            put(engine, "after")
        assert written(engine, "interrupted") == set()
        assert threading.active_count() == threads


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a signal can arrive in a finalizer
def test_interrupts_by_real_signals_at_random_moments_leave_the_store_usable(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store.db'}"
    chance = random.Random(7)  # not a secret

    def write_until_interrupted(engine: Engine, number: int) -> None:
        while True:
            transact(engine, str(number))

    with Engine(url, sync="full") as engine, Engine(url) as other:
        create_indexed(engine)
        for number in range(100 * SOAK):
            seconds = chance.uniform(0.0005, 0.005)
            interrupt_main_thread_after(seconds, partial(write_until_interrupted, engine, number))
            with ThreadPoolExecutor(1) as bystander:
                bystander.submit(put, other, "after").result(SECONDS_MAX)
            assert written(engine, str(number)) in (set(), {"a", "b"})
            put(engine, "after")
