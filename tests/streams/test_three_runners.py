"""The Lambda function, the worker and the test runner give the same result on random histories with faults."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from singletable import key
from singletable.client.request_session import Session as RequestSession
from singletable.engine import Engine
from singletable.streams import StreamWorker, WorkerSettings, lambda_handler
from singletable.streams.lambda_function import lambda_event
from singletable.streams.stream_worker import retry_set_aside
from singletable.testing import StreamRunner
from tests.streams.ledger import BROKEN, Ledger, Log, Order

SEEDS = int(os.environ.get("SIMULATION", "4"))
ORDERS = [f"o{number}" for number in range(4)]
STATUSES = ["NEW", "PAID", "SENT", "BAD", "WORSE", "LATE"]
ATTEMPTS = 3


class Killed(BaseException):
    """The process of a runner ends, as after kill -9."""


def make_history(chance: random.Random) -> list[tuple[str, str | None]]:
    """Return writes: an order and its new status, or None to delete it."""
    weights = [4, 4, 4, 1, 1, 4, 2]
    return [(chance.choice(ORDERS), chance.choices([*STATUSES, None], weights)[0]) for _ in range(30)]


def write(shop: Ledger, history: list[tuple[str, str | None]]) -> None:
    for order, status in history:
        if status is None:
            shop.delete(key(Order, id=order))
        else:
            shop.put(Order(order, status, f"number-{order}"))


def expected(history: list[tuple[str, str | None]], rejected: Sequence[str] = ()) -> dict[str, list[str]]:
    """Return the log of each order, which ends before the first rejected status."""
    logs: dict[str, list[str]] = {order: [] for order in ORDERS}
    current: dict[str, str | None] = dict.fromkeys(ORDERS)
    stopped: set[str] = set()
    for order, status in history:
        before, current[order] = current[order], status
        if before == status:
            continue
        if status in rejected:
            stopped.add(order)
        if order not in stopped:
            logs[order].append(f"{before or '-'}>{status or '-'}")
    return logs


def logs_of(shop: Ledger) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    found = {order: shop.get(key(Log, id=order), consistent=True) for order in ORDERS}
    singles = {order: log.single for order, log in found.items() if log is not None}
    return singles, {order: log.batched for order, log in found.items() if log is not None}


@pytest.fixture(autouse=True)
def _broken() -> Iterator[None]:
    BROKEN["is_broken"] = True
    yield
    BROKEN["is_broken"] = True


def open_ledger(engine: Engine) -> Ledger:
    shop = Ledger.open(engine, create=True)
    for order in ORDERS:
        shop.put(Log(order))
    return shop


def kill_at_random(shop: Ledger, chance: random.Random, rate: float) -> Callable[[], None]:
    """End the runner before or after a random request. Return a function that ends the faults."""
    session: RequestSession = shop._opened().session
    send = session.transport.send

    def faulty(operation: str, body: bytes) -> bytes:
        moment = chance.random()
        if moment < rate / 2:
            raise Killed
        answer = send(operation, body)
        if moment < rate:
            raise Killed
        return answer

    session.transport.send = faulty  # type: ignore[method-assign]  # the fault is in the transport itself

    def end() -> None:
        session.transport.send = send  # type: ignore[method-assign]  # as above

    return end


def run_worker(engine: Engine, shop: Ledger, chance: random.Random) -> None:
    """Run workers that are killed at random. Each new one waits until the lease of the dead one has expired."""
    now, end = [0.0], kill_at_random(shop, chance, 0.01)
    for number in range(200):
        settings = WorkerSettings(attempts=ATTEMPTS, lease_seconds=10, page_records=chance.randint(1, 20))
        worker = StreamWorker(shop, settings, owner=f"w{number}", clock=lambda: now[0], wait=lambda _: None)
        if number == 150:
            end()
        try:
            worker.step()  # sees the leases of the dead worker
            now[0] += 11
            worker.drain()
        except Killed:
            worker.delivery.close()  # the process would be gone
            continue
        end()
        return
    raise AssertionError("the workers did not finish")


def run_test_runner(engine: Engine, shop: Ledger, chance: random.Random) -> None:
    StreamRunner(shop, shard_records=chance.choice([3, 5, 8, 50]), attempts=ATTEMPTS).run()


def run_lambda(engine: Engine, shop: Ledger, chance: random.Random) -> None:
    """Poll the shards as an event source mapping does, with repeated batches and with functions that are killed."""
    arn = engine.call("DescribeTable", {"TableName": "Ledger"})["Table"]["LatestStreamArn"]
    end = kill_at_random(shop, chance, 0.005)
    handler = lambda_handler(shop, attempts=ATTEMPTS)
    for shard in engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = engine.call("GetShardIterator", request)["ShardIterator"]
        records: list[dict[str, Any]] = engine.call("GetRecords", {"ShardIterator": iterator})["Records"]
        while records:
            size = chance.randint(1, 10)
            try:
                answer = handler(lambda_event(list(records[:size]), arn), None)
            except Killed:
                continue  # Lambda delivers the batch again
            failed = [each["itemIdentifier"] for each in answer["batchItemFailures"]]
            if failed:
                start = [each["dynamodb"]["SequenceNumber"] for each in records].index(failed[0])
                records = records[start:]
            elif chance.random() > 0.1:  # otherwise the answer was lost, and the batch is delivered again
                records = records[size:]
    end()
    handler.close()


RUNNERS = {"worker": run_worker, "test runner": run_test_runner, "lambda": run_lambda}


@pytest.mark.parametrize("name", RUNNERS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_all_three_stream_runners_apply_every_change_once_and_in_order(name: str, seed: int) -> None:
    chance = random.Random(seed)
    history = make_history(chance)
    with Engine(shard_records=chance.choice([3, 4, 7, 20, None])) as engine, open_ledger(engine) as shop:
        write(shop, history)
        RUNNERS[name](engine, shop, chance)
        single, batched = logs_of(shop)
        assert batched == expected(history, rejected=("BAD", "WORSE")), f"seed {seed}"
        # In a page, the single handler can receive a later record before the batch handler rejects an earlier one.
        for order, log in expected(history, rejected=("BAD",)).items():
            assert len(batched[order]) <= len(single[order]), f"seed {seed}"
            assert single[order] == log[: len(single[order])], f"seed {seed}"
        # A retry with corrected handlers delivers the rest.
        BROKEN["is_broken"] = False
        assert retry_set_aside(shop).remaining == ()
        single, batched = logs_of(shop)
        assert single == expected(history), f"seed {seed}"
        assert batched == expected(history), f"seed {seed}"


def test_all_three_stream_runners_deliver_later_changes_after_the_records_that_were_set_aside() -> None:
    with Engine() as engine, open_ledger(engine) as shop:
        runner = StreamRunner(shop, shard_records=5, attempts=2)
        write(shop, [("o0", "NEW"), ("o0", "BAD"), ("o1", "NEW")])
        runner.run()
        write(shop, [("o0", "PAID"), ("o1", "PAID")])
        assert runner.run().set_aside == 1
        assert runner.retry().remaining != ()
        BROKEN["is_broken"] = False
        assert runner.retry().records == 2
        write(shop, [("o0", "SENT")])
        runner.run()
        assert logs_of(shop)[0]["o0"] == ["->NEW", "NEW>BAD", "BAD>PAID", "PAID>SENT"]
        assert logs_of(shop)[0]["o1"] == ["->NEW", "NEW>PAID"]
