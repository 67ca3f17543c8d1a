"""The engine with a million items, compared with a thousand items. The latency of a request should hardly change."""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bench.engine_bench import targets
from bench.engine_bench.in_process import ComparisonRow, EngineCalls, call_engine, open_engine
from bench.engine_bench.workload import Exchange, Item, batch_put, create_table, get, item, put, query

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

SMALL_ITEMS = 1_000
PARTITION_ITEMS = 20
ITEM_BYTES = 300
CONTENT_COUNT = 1_009
GETS, PUTS, QUERIES = 2_000, 1_000, 500

ROOT = Path(__file__).resolve().parents[2]


class Items:
    """The items of a store by their numbers. They share a few contents, so that a million of them are built quickly.

    Requests read the items of even partitions, and overwrite those of odd partitions.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.rng = random.Random(count)  # noqa: S311 - a fixed seed, for the same requests in every run
        self._contents = [item("owner#0000000", "00", ITEM_BYTES, self.rng) for _ in range(CONTENT_COUNT)]

    def one(self, number: int, content: int | None = None) -> Item:
        """Return an item, as loaded or with different content."""
        partition, position = divmod(number, PARTITION_ITEMS)
        key = {"pk": {"S": f"owner#{partition:07}"}, "sk": {"S": f"{position:02}"}}
        return self._contents[(number if content is None else content) % CONTENT_COUNT] | key

    def partition(self, number: int) -> list[Item]:
        """Return the items of a partition in order."""
        return [self.one(number * PARTITION_ITEMS + position) for position in range(PARTITION_ITEMS)]

    def random_partition(self, parity: int) -> int:
        """Return a random partition that requests read (parity 0) or write (parity 1)."""
        return self.rng.randrange(self.count // PARTITION_ITEMS // 2) * 2 + parity


def load(engine: Engine, items: int, show_progress: Callable[[str], None]) -> None:
    """Fill an empty store."""
    call_engine(engine, create_table())
    stored = Items(items)
    for start in range(0, items, 25):
        if start % 100_000 == 0:
            show_progress(f"loading {items:,} items: {start:,}")
        call_engine(engine, batch_put([stored.one(number) for number in range(start, min(items, start + 25))]))


def requests(items: int, rounds: int) -> Iterator[list[Exchange]]:
    """Yield reads, writes and queries of random items, different ones in every round, so that no cache holds them."""
    stored = Items(items)
    numbers = [stored.random_partition(0) * PARTITION_ITEMS + call % PARTITION_ITEMS for call in range(GETS * rounds)]
    yield [get(stored.one(number)) for number in numbers]
    numbers = [stored.random_partition(1) * PARTITION_ITEMS + call % PARTITION_ITEMS for call in range(PUTS * rounds)]
    yield [put(stored.one(number, content=call)) for call, number in enumerate(numbers)]
    yield [query(stored.partition(stored.random_partition(0)), limit=PARTITION_ITEMS) for _ in range(QUERIES * rounds)]


def scale_rows(large: Engine, small: Engine, items: int, rounds: int) -> list[ComparisonRow]:
    """Return the rows that compare a large store with a small one."""
    names = ("GetItem", "PutItem 300 B", "Query 20 items")
    both = zip(names, (GETS, PUTS, QUERIES), requests(items, rounds), requests(SMALL_ITEMS, rounds), strict=True)
    return [
        ComparisonRow(name, EngineCalls(large, many, calls), EngineCalls(small, few, calls), targets.LARGE_TO_SMALL)
        for name, calls, many, few in both
    ]


def cached_store(cache: Path, items: int, show_progress: Callable[[str], None]) -> Engine:
    """Open a store with a number of items. It was loaded by an earlier run, unless the source code has changed since
    then.

    Loading a million items takes longer than all measurements. Stores of other versions of the engine are deleted,
    because their format may differ.
    """
    sources = sorted(path for part in ("engine", "values") for path in (ROOT / "src/singletable" / part).rglob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in [*sources, Path(__file__)])).hexdigest()[:16]
    folder = cache / "stores" / f"{items}-{digest}"
    for other in folder.parent.glob("*"):
        if other != folder or not (other / "loaded").exists():
            shutil.rmtree(other)
    folder.mkdir(parents=True, exist_ok=True)
    engine = open_engine(folder / "store")
    if not (folder / "loaded").exists():
        load(engine, items, show_progress)
        (folder / "loaded").touch()
    return engine
