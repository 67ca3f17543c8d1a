"""Direct calls of the engine, compared with plain sqlite3 on the same rows with the same durability."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from bench.engine_bench import targets
from bench.engine_bench.load_generator import UnexpectedResponse, check_body
from bench.engine_bench.report import Comparison
from bench.engine_bench.targets import Target
from bench.engine_bench.workload import Exchange, Item, Row, Workload
from singletable.engine.storage.write_ahead_log import CHECKPOINT_FRAMES

if TYPE_CHECKING:
    from singletable.engine.engine import Engine, EngineResponse

GETS, PUTS, PAGES = 2_000, 1_000, 20
WARM_UP_ROUNDS = 1

_PUT = "INSERT INTO items VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET item = excluded.item, size = excluded.size"

MeasureRound = Callable[[int], float]
"""A function that measures one round and returns the seconds of one call."""


def open_engine(path: Path) -> Engine:
    """Open an engine on a file."""
    from singletable.engine.engine import Engine

    return Engine(f"file:{path}")


def sqlite_settings(engine: Engine) -> dict[str, int]:
    """Return the SQLite settings of our store that affect the cost of reads and writes."""
    with engine.store.reading() as connection:
        names = ("page_size", "mmap_size", "cache_size")
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


class EngineCalls:
    """Rounds of requests to the engine, timed as a loop over bodies that were built in advance."""

    def __init__(self, engine: Engine, exchanges: Sequence[Exchange], calls: int) -> None:
        self._engine, self._exchanges, self._calls = engine, exchanges, calls

    def __call__(self, number: int) -> float:
        """Return the seconds of one call in this round. The last response is checked."""
        chosen = [self._exchanges[(number * self._calls + call) % len(self._exchanges)] for call in range(self._calls)]
        target, bodies = chosen[0].target, [each.body for each in chosen]
        answer = self._engine.answer
        started = perf_counter()
        for body in bodies:
            response = answer(target, body)
        seconds = perf_counter() - started
        check_response(chosen[-1], response)
        if chosen[-1].read_back is not None:
            call_engine(self._engine, chosen[-1].read_back)
        return seconds / self._calls


def call_engine(engine: Engine, exchange: Exchange) -> None:
    """Send a request to the engine and check the response."""
    check_response(exchange, engine.answer(exchange.target, exchange.body))


def check_response(exchange: Exchange, response: EngineResponse) -> None:
    """Raise UnexpectedResponse unless the response is the expected one."""
    if response.status != 200:
        raise UnexpectedResponse(f"{exchange.action}: {response.status} {response.body[:200]!r}")
    check_body(exchange, response.body)


class SqliteBaseline:
    """SQLite without an engine: a table of key, item and size in WAL mode, with the durability of our store."""

    def __init__(self, path: Path, settings: Mapping[str, int], items: Sequence[Item]) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for name, value in settings.items():
            self._connection.execute(f"PRAGMA {name} = {value}")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_FRAMES}")  # the value of our store
        self._connection.execute("CREATE TABLE items (key BLOB PRIMARY KEY, item BLOB NOT NULL, size INTEGER NOT NULL)")
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO items VALUES (?, ?, ?)", [row_of(each) for each in items])
        self._connection.execute("COMMIT")

    def get(self, keys: Sequence[bytes], number: int) -> float:
        """Measure point reads."""
        chosen = [keys[(number * GETS + call) % len(keys)] for call in range(GETS)]
        execute = self._connection.execute
        started = perf_counter()
        for key in chosen:
            execute("SELECT item FROM items WHERE key = ?", (key,)).fetchone()
        return (perf_counter() - started) / GETS

    def put(self, rows: Sequence[tuple[bytes, bytes, int]], number: int) -> float:
        """Measure writes, each in its own transaction."""
        chosen = [rows[(number * PUTS + call) % len(rows)] for call in range(PUTS)]
        execute = self._connection.execute
        started = perf_counter()
        for row in chosen:
            execute("BEGIN IMMEDIATE")
            execute(_PUT, row)
            execute("COMMIT")
        return (perf_counter() - started) / PUTS

    def page(self, prefixes: Sequence[bytes], number: int) -> float:
        """Measure reads of all rows of a partition, in order."""
        chosen = [prefixes[(number * PAGES + call) % len(prefixes)] for call in range(PAGES)]
        execute = self._connection.execute
        started = perf_counter()
        for prefix in chosen:
            bounds = (prefix + b"\0", prefix + b"\1")
            execute("SELECT item, size FROM items WHERE key >= ? AND key < ? ORDER BY key", bounds).fetchall()
        return (perf_counter() - started) / PAGES

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def row_of(item: Item) -> tuple[bytes, bytes, int]:
    """Return an item as a row: its key, its DynamoDB JSON, and its size."""
    encoded = json.dumps(item, separators=(",", ":")).encode()
    return key_bytes(item), encoded, len(encoded)


def key_bytes(key: Item) -> bytes:
    """Return the primary key as bytes with the same sort order."""
    return f"{key['pk']['S']}\0{key['sk']['S']}".encode()


@dataclass(frozen=True)
class ComparisonRow:
    """A row with two columns: the measurement of each side, and the target of their ratio."""

    name: str
    ours: MeasureRound
    other: MeasureRound
    target: Target


def compare(rows: Sequence[ComparisonRow], rounds: int) -> list[Comparison]:
    """Measure both sides of every row in turn in each round, after a warm-up round."""
    # Exclude the prepared requests from garbage collection. Garbage of the calls is collected as usual.
    gc.collect()
    gc.freeze()
    timed: dict[str, list[tuple[float, float]]] = {row.name: [] for row in rows}
    for number in range(WARM_UP_ROUNDS + rounds):
        for row in rows:
            both = row.ours(number), row.other(number)
            if number >= WARM_UP_ROUNDS:
                timed[row.name].append(both)
    return [comparison(row, timed[row.name]) for row in rows]


def comparison(row: ComparisonRow, timed: Sequence[tuple[float, float]]) -> Comparison:
    """Return the medians of both sides and of their ratio."""
    ours, other = median(each for each, _ in timed), median(each for _, each in timed)
    return Comparison(row.name, ours, other, median(mine / theirs for mine, theirs in timed), row.target)


def sqlite_rows(engine: Engine, baseline: SqliteBaseline, workload: Workload) -> list[ComparisonRow]:
    """Return the rows that compare the engine with plain sqlite3."""
    get, put, page = (row_named(workload, name) for name in ("GetItem", "PutItem 1 KB", "Query 1 MB page"))
    keys = [key_bytes(json.loads(each.body)["Key"]) for each in get.exchanges]
    rows = [row_of(json.loads(each.body)["Item"]) for each in put.exchanges]
    values = [json.loads(each.body)["ExpressionAttributeValues"] for each in page.exchanges]
    prefixes = [value[":partition"]["S"].encode() for value in values]
    return [
        ComparisonRow(
            get.name, EngineCalls(engine, get.exchanges, GETS), partial(baseline.get, keys), targets.GET_ITEM_TO_SQLITE
        ),
        ComparisonRow(
            put.name, EngineCalls(engine, put.exchanges, PUTS), partial(baseline.put, rows), targets.PUT_ITEM_TO_SQLITE
        ),
        ComparisonRow(
            page.name,
            EngineCalls(engine, page.exchanges, PAGES),
            partial(baseline.page, prefixes),
            targets.PAGE_TO_SQLITE,
        ),
    ]


def row_named(workload: Workload, name: str) -> Row:
    """Return a row of the workload by its name."""
    return next(row for row in workload.rows if row.name == name)
