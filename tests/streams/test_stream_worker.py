"""Workers share the shards of a stream: one lease per shard, parents first, checkpoints, and no work for themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable import Credentials, StreamRefused, Table, key
from singletable.engine import Engine
from singletable.streams import StreamWorker, WorkerSettings
from singletable.streams.shard_reader import StreamShard, _add_after_parent
from singletable.streams.stream_status import stream_status
from tests.cli.program import PROGRAM, ROOT, environment
from tests.clients.local_server import serve
from tests.streams.ledger import Ledger, Log, Order


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(shard_records=6) as made:
        yield made


def write(shop: Ledger, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        if shop.get(key(Log, id=f"o{number % 3}")) is None:
            shop.put(Log(f"o{number % 3}"))
        shop.put(Order(f"o{number % 3}", f"S{number}", f"number-{number % 3}"))


def handled(shop: Ledger) -> int:
    return sum(len(log.single) for log in shop.scan(Log, reason="test"))


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def worker(shop: Table, name: str, clock: Clock, **settings: Any) -> StreamWorker:
    return StreamWorker(shop, WorkerSettings(lease_seconds=10, **settings), owner=name, clock=clock, wait=clock_wait)


def clock_wait(seconds: float) -> None: ...


def test_a_shard_has_one_worker_until_its_lease_expires(engine: Engine) -> None:
    clock = Clock()
    with Ledger.open(engine, create=True) as shop:
        write(shop, 5)
        first, second = (worker(shop, name, clock, page_records=1) for name in ("first", "second"))
        assert first.step() == 1
        assert second.step() == 0
        assert {each.owner for each in stream_status(shop).shards if each.state == "leased"} == {"first"}
        clock.now += 11  # `first` is dead: it renews nothing
        assert second.step() > 0
        # The dead worker wakes up, finds that it has lost its lease, and stores nothing.
        lost = stream_status(shop).shards
        first.step()
        assert stream_status(shop).shards == lost
        second.drain()
        assert handled(shop) == 5
        first.close()


def test_the_stream_worker_reads_a_child_shard_after_its_parent(engine: Engine) -> None:
    clock = Clock()
    with Ledger.open(engine, create=True) as shop:
        write(shop, 9)
        busy = worker(shop, "busy", clock, page_records=1)
        busy.step()
        other = worker(shop, "other", clock)
        assert other.step() == 0, "all other shards are descendants"
        states = [each.state for each in stream_status(shop).shards]
        assert (states[0], set(states[1:])) == ("leased", {"not read"})
        busy.drain()
        assert handled(shop) == 9
        other.close()


def test_the_stream_worker_continues_a_released_shard_after_its_checkpoint(engine: Engine) -> None:
    clock = Clock()
    with Ledger.open(engine, create=True) as shop:
        write(shop, 3)
        worker(shop, "one", clock).drain()
        before = handled(shop)
        assert worker(shop, "two", clock).drain().delivered == 0
        write(shop, 6, start=3)
        assert worker(shop, "three", clock).drain().delivered == 6
        assert handled(shop) == before + 6


def test_a_worker_does_not_feed_itself() -> None:
    clock = Clock()
    with Engine() as engine, Ledger.open(engine, create=True) as shop:
        write(shop, 3)
        running = worker(shop, "one", clock)
        while running.step():
            clock.now += 1
        assert running.step() == 0
        items = engine.call("Scan", {"TableName": "Ledger"})["Items"]
        for _ in range(5):
            clock.now += 11
            assert running.step() == 0
        assert engine.call("Scan", {"TableName": "Ledger"})["Items"] == items
        running.close()


def test_latest_skips_the_records_before_the_worker_started() -> None:
    clock = Clock()
    with Engine() as engine, Ledger.open(engine, create=True) as shop:
        write(shop, 3)
        running = worker(shop, "one", clock, start="latest")
        running.step()
        write(shop, 1, start=3)
        running.drain()
        assert handled(shop) == 1


def test_records_that_the_stream_has_lost_stop_the_worker() -> None:
    moment, clock = [1_800_000_000.0], Clock()
    with Engine(now=lambda: moment[0], sweep_seconds=None) as engine, Ledger.open(engine, create=True) as shop:
        write(shop, 2)
        worker(shop, "one", clock).drain()
        write(shop, 2, start=2)
        moment[0] += 90_000
        write(shop, 3, start=4)
        with pytest.raises(StreamRefused, match="are older than 24 hours"):
            worker(shop, "two", clock).drain()
        assert worker(shop, "three", clock, accept_loss=True).drain().delivered == 3


def test_a_worker_of_a_quiet_table_renews_its_checkpoint() -> None:
    moment, clock = [1_800_000_000.0], Clock()
    with Engine(now=lambda: moment[0], sweep_seconds=None) as engine, Ledger.open(engine, create=True) as shop:
        write(shop, 2)
        running = worker(shop, "one", clock)
        running.step()
        for _ in range(10):
            moment[0] += 5 * 3600
            clock.now += 5 * 3600
            for shard, held in running._held.items():
                running._renew(shard, held)
            running.step()
        running.delivery.close()  # the worker is killed
        write(shop, 2, start=2)
        after = worker(shop, "two", clock)
        after.step()
        clock.now += 11
        assert after.drain().delivered == 2


def test_the_stream_worker_sorts_parent_shards_before_their_children() -> None:
    shards = {
        each.id: each
        for each in (StreamShard("a", "b"), StreamShard("b", "c"), StreamShard("c", "gone"), StreamShard("d", "a"))
    }
    ordered: dict[str, StreamShard] = {}
    for each in shards.values():
        _add_after_parent(each, shards, ordered)
    assert list(ordered) == ["c", "b", "a", "d"]


def test_a_worker_reads_over_http(tmp_path: Path) -> None:
    with serve(tmp_path / "served.db") as served:
        shop = Ledger.open(served.url, create=True, credentials=Credentials("any", "any"))
        with shop:
            write(shop, 4)
            StreamWorker(shop).drain()
            assert handled(shop) == 4


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no kill -9")
def test_a_worker_that_is_killed_is_continued_by_another_one(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'ledger.db'}"
    command = [str(PROGRAM), "stream", "tests/streams/ledger.py", url, "--lease-seconds", "0.5"]
    variables = environment(PYTHONPATH=str(ROOT))
    with Ledger.open(url, create=True) as shop:
        for number in range(3):
            shop.put(Log(f"o{number}"))
        for round_number in range(2):
            write(shop, 30)
            process = subprocess.Popen(command, cwd=ROOT, env=variables, stderr=subprocess.DEVNULL)
            before, deadline = handled(shop), time.monotonic() + 30
            while handled(shop) == before and time.monotonic() < deadline:
                time.sleep(0.05)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert handled(shop) > before, f"round {round_number}"
        last = [*command, "--once"]
        subprocess.run(last, cwd=ROOT, env=variables, check=True, stdout=subprocess.DEVNULL)
        for log in shop.scan(Log, reason="test"):
            own = [f"S{number}" for number in range(30) if number % 3 == int(log.id[1:])] * 2
            assert log.single == [f"{a}>{b}" for a, b in zip(["-", *own], own, strict=False)]
            assert log.batched == log.single
