"""The engine called directly, beside bare sqlite3 that reads and writes the same rows with the same durability."""

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
from bench.engine_bench.load import WrongAnswer, check
from bench.engine_bench.report import Comparison
from bench.engine_bench.targets import Target
from bench.engine_bench.workload import Exchange, Item, Row, Workload
from singletable.engine.storage.write_ahead_log import CHECKPOINT_FRAMES

if TYPE_CHECKING:
    from singletable.engine.answer import Answer
    from singletable.engine.engine import Engine

GETS, PUTS, PAGES = 2_000, 1_000, 20
WARM_UP_ROUNDS = 1

_PUT = "INSERT INTO items VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET item = excluded.item, size = excluded.size"

Work = Callable[[int], float]
"""The seconds of one call, measured over one round."""


def open_engine(path: Path) -> Engine:
    """The engine on a file."""
    from singletable.engine.engine import Engine

    return Engine(f"file:{path}")


def settings_of(engine: Engine) -> dict[str, int]:
    """SQLite's settings in our store that decide what a read or a write costs."""
    with engine.store.reading() as connection:
        names = ("page_size", "mmap_size", "cache_size")
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


class Ours:
    """Rounds of requests to the engine, timed as a loop over bodies that were built before."""

    def __init__(self, engine: Engine, exchanges: Sequence[Exchange], calls: int) -> None:
        self._engine, self._exchanges, self._calls = engine, exchanges, calls

    def __call__(self, number: int) -> float:
        """The seconds of one call in this round; the last answer is checked."""
        chosen = [self._exchanges[(number * self._calls + call) % len(self._exchanges)] for call in range(self._calls)]
        target, bodies = chosen[0].target, [each.body for each in chosen]
        answer = self._engine.answer
        started = perf_counter()
        for body in bodies:
            answered = answer(target, body)
        seconds = perf_counter() - started
        must_be_right(chosen[-1], answered)
        if chosen[-1].shown_by is not None:
            ask(self._engine, chosen[-1].shown_by)
        return seconds / self._calls


def ask(engine: Engine, exchange: Exchange) -> None:
    """Calls the engine and checks its answer."""
    must_be_right(exchange, engine.answer(exchange.target, exchange.body))


def must_be_right(exchange: Exchange, answered: Answer) -> None:
    """Refuses a wrong answer."""
    if answered.status != 200:
        raise WrongAnswer(f"{exchange.action}: {answered.status} {answered.body[:200]!r}")
    check(exchange, answered.body)


class Bare:
    """SQLite without an engine: a table of key, item and size in WAL mode, synchronous as our store is by default."""

    def __init__(self, path: Path, settings: Mapping[str, int], items: Sequence[Item]) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for name, value in settings.items():
            self._connection.execute(f"PRAGMA {name} = {value}")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_FRAMES}")  # as seldom as in our store
        self._connection.execute("CREATE TABLE items (key BLOB PRIMARY KEY, item BLOB NOT NULL, size INTEGER NOT NULL)")
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO items VALUES (?, ?, ?)", [row_of(each) for each in items])
        self._connection.execute("COMMIT")

    def get(self, keys: Sequence[bytes], number: int) -> float:
        """Point reads."""
        chosen = [keys[(number * GETS + call) % len(keys)] for call in range(GETS)]
        execute = self._connection.execute
        started = perf_counter()
        for key in chosen:
            execute("SELECT item FROM items WHERE key = ?", (key,)).fetchone()
        return (perf_counter() - started) / GETS

    def put(self, rows: Sequence[tuple[bytes, bytes, int]], number: int) -> float:
        """Writes, each in a transaction of its own."""
        chosen = [rows[(number * PUTS + call) % len(rows)] for call in range(PUTS)]
        execute = self._connection.execute
        started = perf_counter()
        for row in chosen:
            execute("BEGIN IMMEDIATE")
            execute(_PUT, row)
            execute("COMMIT")
        return (perf_counter() - started) / PUTS

    def page(self, prefixes: Sequence[bytes], number: int) -> float:
        """All rows of a partition in order."""
        chosen = [prefixes[(number * PAGES + call) % len(prefixes)] for call in range(PAGES)]
        execute = self._connection.execute
        started = perf_counter()
        for prefix in chosen:
            bounds = (prefix + b"\0", prefix + b"\1")
            execute("SELECT item, size FROM items WHERE key >= ? AND key < ? ORDER BY key", bounds).fetchall()
        return (perf_counter() - started) / PAGES

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


def row_of(item: Item) -> tuple[bytes, bytes, int]:
    """An item as a row: the bytes of its key, of its DynamoDB JSON, and a number for its size."""
    whole = json.dumps(item, separators=(",", ":")).encode()
    return key_bytes(item), whole, len(whole)


def key_bytes(key: Item) -> bytes:
    """The primary key as bytes that sort as it does."""
    return f"{key['pk']['S']}\0{key['sk']['S']}".encode()


@dataclass(frozen=True)
class Pair:
    """A row of two columns: what is timed on each side, and the most that the first may take of the second."""

    name: str
    ours: Work
    other: Work
    target: Target


def compare(pairs: Sequence[Pair], rounds: int) -> list[Comparison]:
    """Both sides of every pair in turn, round by round, after one round that warms up."""
    # What was prepared is no garbage and need not be looked through; what the calls leave is collected as ever.
    gc.collect()
    gc.freeze()
    timed: dict[str, list[tuple[float, float]]] = {pair.name: [] for pair in pairs}
    for number in range(WARM_UP_ROUNDS + rounds):
        for pair in pairs:
            both = pair.ours(number), pair.other(number)
            if number >= WARM_UP_ROUNDS:
                timed[pair.name].append(both)
    return [comparison(pair, timed[pair.name]) for pair in pairs]


def comparison(pair: Pair, timed: Sequence[tuple[float, float]]) -> Comparison:
    """The medians of both sides, and of their ratio."""
    ours, other = median(each for each, _ in timed), median(each for _, each in timed)
    return Comparison(pair.name, ours, other, median(mine / theirs for mine, theirs in timed), pair.target)


def beside_sqlite(engine: Engine, bare: Bare, workload: Workload) -> list[Pair]:
    """The rows of the engine beside bare sqlite3."""
    get, put, page = (row_named(workload, name) for name in ("GetItem", "PutItem 1 KB", "Query 1 MB page"))
    keys = [key_bytes(json.loads(each.body)["Key"]) for each in get.exchanges]
    rows = [row_of(json.loads(each.body)["Item"]) for each in put.exchanges]
    values = [json.loads(each.body)["ExpressionAttributeValues"] for each in page.exchanges]
    prefixes = [value[":partition"]["S"].encode() for value in values]
    return [
        Pair(get.name, Ours(engine, get.exchanges, GETS), partial(bare.get, keys), targets.GET_ITEM_TO_SQLITE),
        Pair(put.name, Ours(engine, put.exchanges, PUTS), partial(bare.put, rows), targets.PUT_ITEM_TO_SQLITE),
        Pair(page.name, Ours(engine, page.exchanges, PAGES), partial(bare.page, prefixes), targets.PAGE_TO_SQLITE),
    ]


def row_named(workload: Workload, name: str) -> Row:
    """A row of the workload."""
    return next(row for row in workload.rows if row.name == name)
