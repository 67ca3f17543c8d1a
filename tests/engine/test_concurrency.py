"""Eight threads on one engine and four processes on one file lose no update and see no partial transaction."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from tests.engine import concurrent_tasks as work
from tests.engine.concurrent_tasks import ACCOUNTS, BALANCE, COUNTER, CREATION, TABLE, TOTAL
from tests.engine.soak import longer

THREADS = 8
PROCESSES = 4
SCRIPT = Path(work.__file__)
GROUPED = {
    "TableName": TABLE,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "group", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexUpdates": [
        {
            "Create": {
                "IndexName": "by-group",
                "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        }
    ],
}


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = "memory:" if request.param == "memory" else f"file:{tmp_path / 'store'}"
    with Engine(url) as opened:
        work.prepare(opened)
        yield opened


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[tuple[Engine, str]]:
    """Open a store in a file, and return its URL, which other processes can open too."""
    url = f"file:{tmp_path / 'store'}"
    with Engine(url) as opened:
        work.prepare(opened)
        yield opened, url
    assert check_store(tmp_path / "store").problems == []


def in_threads(engine: Engine, task: str, times: int) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(work.TASKS[task], engine, times, random.Random(number)) for number in range(THREADS)]
        for each in running:
            each.result()


def started(url: str, task: str, times: int) -> list[subprocess.Popen[str]]:
    """Start processes. Each begins its task when all of them are ready."""
    processes = [
        subprocess.Popen(
            [sys.executable, SCRIPT, url, task, str(times), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    for process in processes:
        assert process.stdin
        process.stdin.write("begin\n")
        process.stdin.flush()
    return processes


def finish(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors


def in_processes(url: str, task: str, times: int) -> None:
    finish(started(url, task, times))


@contextmanager
def watched(engine: Engine) -> Iterator[None]:
    """Read all accounts repeatedly, and check that their total never changes."""
    sums: list[int] = []
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.is_set():
            sums.append(sum(work.balances(engine)))

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        try:
            yield
        finally:
            is_over.set()
        watching.result()
    assert sums
    assert set(sums) == {ACCOUNTS * BALANCE}


def read(engine: Engine, key: dict[str, Any], name: str) -> int:
    item = engine.call("GetItem", {"TableName": TABLE, "Key": key, "ConsistentRead": True})["Item"]
    return int(item[name]["N"])


# Threads


@pytest.fixture
def _restless() -> Iterator[None]:
    """Switch threads every few instructions instead of every few milliseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_restless")
def test_conditional_item_writes_of_threads_lose_no_update(engine: Engine) -> None:
    times = longer(50)
    in_threads(engine, "count", times)
    assert read(engine, COUNTER, "version") == THREADS * times


@pytest.mark.usefixtures("_restless")
def test_update_item_adds_the_numbers_of_threads_exactly(engine: Engine) -> None:
    times = longer(60)
    in_threads(engine, "add", times)
    assert read(engine, TOTAL, "amount") == THREADS * times


@pytest.mark.usefixtures("_restless")
def test_transact_write_items_of_threads_preserves_the_sum(engine: Engine) -> None:
    with watched(engine):
        in_threads(engine, "transfer", longer(100))
    assert sum(work.balances(engine)) == ACCOUNTS * BALANCE
    assert min(work.balances(engine)) >= 0


@pytest.mark.usefixtures("_restless")
def test_the_backfill_of_an_index_is_complete_while_threads_write(engine: Engine) -> None:
    work.write_grouped(engine, 200, random.Random(0))
    with ThreadPoolExecutor(1) as pool:
        making = pool.submit(engine.call, "UpdateTable", GROUPED)
        in_threads(engine, "write_grouped", longer(50))
        making.result()
    engine.backfill.wait()
    assert_index_is_complete(engine)


# Processes


def test_conditional_item_writes_of_processes_lose_no_update(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    times = longer(200)
    in_processes(url, "count", times)
    assert read(engine, COUNTER, "version") == PROCESSES * times


def test_update_item_adds_the_numbers_of_processes_exactly(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    times = longer(400)
    in_processes(url, "add", times)
    assert read(engine, TOTAL, "amount") == PROCESSES * times


def test_transact_write_items_of_processes_preserves_the_sum(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    with watched(engine):
        in_processes(url, "transfer", longer(200))
    assert sum(work.balances(engine)) == ACCOUNTS * BALANCE


def test_the_backfill_of_an_index_is_complete_while_processes_write(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    work.write_grouped(engine, 200, random.Random(0))
    writers = started(url, "write_grouped", longer(300))
    engine.call("UpdateTable", GROUPED)
    finish(writers)
    engine.backfill.wait()
    assert_index_is_complete(engine)


def test_the_next_process_finishes_an_interrupted_backfill(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    with Engine(url) as engine:
        work.prepare(engine)
        for number in range(longer(1500)):
            item = {"pk": {"S": f"item-{number}"}, "group": {"S": "red"}}
            engine.call("PutItem", {"TableName": TABLE, "Item": item})
    with Remote(url) as ask:
        ask("UpdateTable", GROUPED)
    with Engine(url) as engine:
        engine.backfill.wait()
        assert_index_is_complete(engine)
    assert check_store(tmp_path / "store").problems == []


def test_processes_that_create_the_same_store_concurrently_share_it(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store'}"
    with ExitStack() as opened:
        asks = [opened.enter_context(remote) for remote in [Remote(url) for _ in range(PROCESSES)]]
        with ThreadPoolExecutor(PROCESSES) as pool:
            made = list(pool.map(lambda ask: ask("CreateTable", CREATION), asks))
        assert [answer.get("refused") for answer in made].count("ResourceInUseException") == PROCESSES - 1
        for number, ask in enumerate(asks):
            assert ask("PutItem", {"TableName": TABLE, "Item": work.account(number)}) == {}
        assert {ask("Scan", {"TableName": TABLE})["Count"] for ask in asks} == {PROCESSES}
    assert check_store(tmp_path / "store").problems == []


def test_the_catalog_reloads_a_table_recreated_by_another_process(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    numbered = {**CREATION, "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}]}
    old, new = ({"TableName": TABLE, "Item": {"pk": value}} for value in ({"S": "a"}, {"N": "1"}))
    with Remote(url) as ask:
        assert ask("PutItem", old) == {}
        engine.call("DeleteTable", {"TableName": TABLE})
        assert ask("PutItem", old) == {"refused": "ResourceNotFoundException"}
        engine.call("CreateTable", numbered)
        assert ask("PutItem", old) == {"refused": "ValidationException"}
        assert ask("PutItem", new) == {}
        assert engine.call("Scan", {"TableName": TABLE})["Items"] == [new["Item"]]


def test_a_request_is_never_rejected_because_of_a_stale_catalog(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    numbered = {**CREATION, "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}]}
    item = {"pk": {"N": "1"}}
    with Remote(url) as ask:
        assert ask("GetItem", {"TableName": TABLE, "Key": COUNTER})["Item"]
        # The other process sends no request while the table does not exist.
        engine.call("DeleteTable", {"TableName": TABLE})
        engine.call("CreateTable", numbered)
        assert ask("PutItem", {"TableName": TABLE, "Item": item}) == {}
        engine.call("DeleteTable", {"TableName": TABLE})
        engine.call("CreateTable", CREATION)
        assert ask("Query", by_key({"S": "a"}))["Count"] == 0
        engine.call("DeleteTable", {"TableName": TABLE})
        engine.call("CreateTable", numbered)
        transaction = {"TransactItems": [{"Put": {"TableName": TABLE, "Item": item}}]}
        assert ask("TransactWriteItems", transaction) == {}
        assert ask("Query", by_key({"N": "1"}))["Count"] == 1


def by_key(value: dict[str, str]) -> dict[str, Any]:
    parameters = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": value}}
    return {"TableName": TABLE, **parameters}


def test_the_catalog_notices_an_index_created_by_another_process_at_once(shared: tuple[Engine, str]) -> None:
    engine, url = shared
    red = {"pk": {"S": "a"}, "group": {"S": "red"}}
    with Remote(url) as ask:
        assert ask("GetItem", {"TableName": TABLE, "Key": COUNTER})["Item"]
        engine.call("PutItem", {"TableName": TABLE, "Item": red})
        engine.call("UpdateTable", GROUPED)
        # The other process notices the index during the backfill, or not at all.
        ask("DescribeTable", {"TableName": TABLE})
        engine.backfill.wait()
        assert ask("Scan", {"TableName": TABLE, "IndexName": "by-group"})["Items"] == [red]
        ask("PutItem", {"TableName": TABLE, "Item": red})
        assert engine.call("Scan", {"TableName": TABLE, "IndexName": "by-group"})["Items"] == [red]
        engine.call(
            "UpdateTable",
            {"TableName": TABLE, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-group"}}]},
        )
        assert ask("PutItem", {"TableName": TABLE, "Item": {**red, "group": {"N": "1"}}}) == {}
        assert ask("Scan", {"TableName": TABLE, "IndexName": "by-group"}) == {"refused": "ValidationException"}
        assert ask("DeleteItem", {"TableName": TABLE, "Key": {"pk": {"S": "a"}}}) == {}


class Remote:
    """An engine in another process that answers one request after another."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, SCRIPT, url, "serve", "0", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
        return self._ask

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def _ask(self, action: str, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([action, request]) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def assert_index_is_complete(engine: Engine) -> None:
    items, entries = (
        {item["pk"]["S"]: item for item in scanned(engine, parameters)}
        for parameters in ({}, {"IndexName": "by-group"})
    )
    assert entries == {key: item for key, item in items.items() if "group" in item}
    assert entries


def scanned(engine: Engine, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    request = {"TableName": TABLE, **parameters}
    while True:
        answer = engine.call("Scan", request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
