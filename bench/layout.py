"""Measures how SQLite can store the items: tables with and without a rowid, page sizes, memory mapping and caches.

    python bench/layout.py                    all layouts, in half an hour, with 15 GB of temporary files
    python bench/layout.py --quick            fewer items, in two minutes
    python bench/layout.py --folder FOLDER    keep the filled databases there, for the next run

Latencies are relative to the layout of our stores. The layouts take turns in each round, so that other load on the
machine affects all of them equally. Reads show the median. Writes show the mean, which includes their share of a
checkpoint. docs/explanation/storage.md shows the results and the choice.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from singletable.engine.storage.entry_keys import table_key, table_range

PAGE_BYTES = (4096, 8192, 16384, 32768, 65536)
COLUMNS = "key BLOB PRIMARY KEY NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL"
PUT = (
    "INSERT INTO t (key, size, item) VALUES (?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET size = excluded.size, item = excluded.item"
)
GET = "SELECT item, size FROM t WHERE key = ?"
RANGE = "SELECT key, item, size FROM t WHERE key >= ? AND key < ? ORDER BY key LIMIT ?"
COLLECTION_ITEMS = 20
PAGE_OF_QUERY_BYTES = 2**20
MAPPED_BYTES = 2**40  # SQLite reduces it to its own limit


@dataclass(frozen=True)
class Layout:
    """A way to store items. The settings after the page size belong to a connection and can change at any time."""

    has_rowid: bool = True
    page_bytes: int = 8192
    maps: bool = True
    cache_bytes: int = 16 * 2**20
    connections: int = 1

    @property
    def name(self) -> str:
        """The layout in the tables."""
        return f"{'rowid' if self.has_rowid else 'WITHOUT ROWID'}, {self.page_bytes // 1024} KB"

    @property
    def settings(self) -> str:
        """The connection settings in the tables."""
        one = "one connection" if self.connections == 1 else "a reader and a writer"
        return f"{'mapped' if self.maps else 'not mapped'}, {self.cache_bytes // 2**20} MB cache, {one}"


CHOSEN = Layout()


class Load(NamedTuple):
    """The number and the size of the items."""

    items: int
    item_bytes: int

    @property
    def name(self) -> str:
        """The heading of the tables."""
        return f"{self.items:,} items of {self.item_bytes:,} bytes"

    @property
    def large_collections(self) -> int:
        """Number of partitions larger than a page of a Query."""
        return min(20, self.items // (4 * self.large_items))

    @property
    def large_items(self) -> int:
        """Number of items of a large partition."""
        return PAGE_OF_QUERY_BYTES * 5 // 4 // self.item_bytes

    @property
    def small_collections(self) -> int:
        """Number of partitions with twenty items."""
        return (self.items - self.large_collections * self.large_items) // COLLECTION_ITEMS

    def keys(self) -> list[bytes]:
        """Return the key of every item."""
        large = [(b"LARGE#%d" % number, self.large_items) for number in range(self.large_collections)]
        small = [(small_partition(number), COLLECTION_ITEMS) for number in range(self.small_collections)]
        return [table_key(name, b"ORDER#%08d" % item) for name, count in (*large, *small) for item in range(count)]


def small_partition(number: int) -> bytes:
    """Return the name of a partition with twenty items."""
    return b"CUSTOMER#%08d" % number


class Database:
    """A filled database with one layout, and its measurements."""

    def __init__(self, path: Path, layout: Layout, load: Load, keys: list[bytes], seed: int) -> None:
        self.layout = layout
        self.load = load
        self._path = path
        self._keys = keys
        self._random = random.Random(seed)  # noqa: S311  # the same choices in each run; not for security
        self._bytes = os.urandom(load.item_bytes * 2)
        self._new = 0
        self._writer = self._connect()
        self._reader = self._writer if layout.connections == 1 else self._connect()

    def close(self) -> None:
        """Close the connections."""
        self._reader.close()
        self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None)
        for pragma in (
            f"mmap_size = {MAPPED_BYTES if self.layout.maps else 0}",
            f"cache_size = {-self.layout.cache_bytes // 1024}",
            "synchronous = NORMAL",
            "wal_autocheckpoint = 0",
            "secure_delete = OFF",
        ):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _item(self) -> bytes:
        start = self._random.randrange(self.load.item_bytes)
        return self._bytes[start : start + self.load.item_bytes]

    def _old_keys(self, count: int) -> list[bytes]:
        return self._random.choices(self._keys, k=count)

    def _new_keys(self, count: int) -> list[bytes]:
        self._new += count
        partitions = self._random.choices(range(self.load.small_collections), k=count)
        return [table_key(small_partition(each), b"NEW#%d" % (self._new + at)) for at, each in enumerate(partitions)]

    def get(self) -> float:
        """Measure reads of one item."""
        return _median_seconds(lambda key: self._reader.execute(GET, (key,)).fetchone(), self._old_keys(1500))

    def get_after_put(self) -> float:
        """Measure reads of one item, each after a write of another item."""
        seconds = []
        for written, read in zip(self._old_keys(200), self._old_keys(200), strict=True):
            self._put([written])
            started = time.perf_counter()
            self._reader.execute(GET, (read,)).fetchone()
            seconds.append(time.perf_counter() - started)
        self._checkpoint()
        return median(seconds)

    def range_of_20(self) -> float:
        """Measure reads of a partition with twenty items."""
        numbers = [self._random.randrange(self.load.small_collections) for _ in range(300)]
        ranges = [(*table_range(small_partition(number)), COLLECTION_ITEMS) for number in numbers]
        return _median_seconds(lambda keys: self._reader.execute(RANGE, keys).fetchall(), ranges)

    def range_of_1_mb(self) -> float:
        """Measure reads of a Query page from a large partition."""
        if self.load.large_collections == 0:
            return 0.0
        numbers = [self._random.randrange(self.load.large_collections) for _ in range(10)]
        limit = PAGE_OF_QUERY_BYTES // self.load.item_bytes
        ranges = [(*table_range(b"LARGE#%d" % number), limit) for number in numbers]
        return _median_seconds(lambda keys: self._reader.execute(RANGE, keys).fetchall(), ranges)

    def put_new(self) -> float:
        """Measure inserts, each in its own transaction."""
        return self._mean_of_writes([[key] for key in self._new_keys(400)])

    def overwrite(self) -> float:
        """Measure overwrites, each in its own transaction."""
        return self._mean_of_writes([[key] for key in self._old_keys(400)])

    def batch_of_25(self) -> float:
        """Measure transactions that insert twenty-five items with distant keys."""
        return self._mean_of_writes([self._new_keys(25) for _ in range(20)])

    def batch_of_one_partition(self) -> float:
        """Measure transactions that insert twenty-five items of one partition."""
        self._new += 20
        names = [b"BATCH#%d" % (self._new + number) for number in range(20)]
        return self._mean_of_writes([[table_key(name, b"%d" % at) for at in range(25)] for name in names])

    def _put(self, keys: list[bytes]) -> None:
        self._writer.execute("BEGIN IMMEDIATE")
        for key in keys:
            self._writer.execute(PUT, (key, self.load.item_bytes, self._item()))
        self._writer.execute("COMMIT")

    def _checkpoint(self) -> None:
        self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def _mean_of_writes(self, transactions: list[list[bytes]]) -> float:
        started = time.perf_counter()
        for keys in transactions:
            self._put(keys)
        self._checkpoint()
        return (time.perf_counter() - started) / len(transactions)


Measure = Callable[[Database], float]

READS: dict[str, Measure] = {"get": Database.get, "20 items": Database.range_of_20, "1 MB": Database.range_of_1_mb}
WRITES: dict[str, Measure] = {
    "new": Database.put_new,
    "overwrite": Database.overwrite,
    "batch of 25": Database.batch_of_25,
    "batch, one partition": Database.batch_of_one_partition,
}


def _median_seconds(read: Callable[[Any], object], arguments: list[Any]) -> float:
    seconds = []
    for argument in arguments:
        started = time.perf_counter()
        read(argument)
        seconds.append(time.perf_counter() - started)
    return median(seconds)


def copy_of_filled(folder: Path, layout: Layout, load: Load, keys: list[bytes]) -> Path:
    """Return a copy of a database whose items were inserted in random order. The original is built once."""
    original = folder / f"{load.items}x{load.item_bytes} {layout.name}.db"
    if not original.exists():
        half = original.with_suffix(".half")
        half.unlink(missing_ok=True)
        _fill(half, layout, load, keys)
        half.rename(original)
    copy = folder / f"used {layout.name}, {layout.settings}.db"
    for suffix in ("-wal", "-shm"):
        Path(f"{copy}{suffix}").unlink(missing_ok=True)
    shutil.copy(original, copy)
    return copy


def _fill(path: Path, layout: Layout, load: Load, keys: list[bytes]) -> None:
    rng = random.Random(1)  # noqa: S311  # the same items in each run
    bytes_to_cut = os.urandom(load.item_bytes * 3)
    shuffled = rng.sample(keys, len(keys))

    def rows() -> Iterator[tuple[bytes, int, bytes]]:
        for key in shuffled:
            start = rng.randrange(load.item_bytes)
            # Sizes vary a little, because equal rows would fill the pages better than real rows do.
            length = load.item_bytes - load.item_bytes // 20 + rng.randrange(load.item_bytes // 10)
            yield key, length, bytes_to_cut[start : start + length]

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # One large transaction is faster than many small ones, and results in the same pages.
        for pragma in (
            f"page_size = {layout.page_bytes}",
            "journal_mode = OFF",
            "synchronous = OFF",
            "cache_size = -2000000",
            "locking_mode = EXCLUSIVE",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"CREATE TABLE t ({COLUMNS}){'' if layout.has_rowid else ' WITHOUT ROWID'}")
        connection.execute("BEGIN")
        connection.executemany(PUT, rows())
        connection.execute("COMMIT")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def measure_layouts(
    folder: Path, layouts: list[Layout], load: Load, measures: dict[str, Measure], rounds: int
) -> tuple[dict[Layout, dict[str, float]], dict[Layout, int]]:
    """Return the median seconds of each measurement for each layout, and the size of each filled file."""
    keys = load.keys()
    paths = {layout: copy_of_filled(folder, layout, load, keys) for layout in layouts}
    file_bytes = {layout: path.stat().st_size for layout, path in paths.items()}
    databases = [Database(paths[layout], layout, load, keys, seed=7) for layout in layouts]
    seconds: dict[Layout, dict[str, list[float]]] = {layout: {name: [] for name in measures} for layout in layouts}
    for turn in range(rounds + 1):
        for name, measure in measures.items():
            for database in databases[turn % len(databases) :] + databases[: turn % len(databases)]:
                elapsed = measure(database)
                if turn > 0:  # the first round warms up
                    seconds[database.layout][name].append(elapsed)
        print(f"{load.name}: round {turn} of {rounds}", file=sys.stderr, flush=True)
    for database, path in zip(databases, paths.values(), strict=True):
        database.close()
        path.unlink()
    return {layout: {name: median(all_of) for name, all_of in by.items()} for layout, by in seconds.items()}, file_bytes


def print_table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def compare_layouts(folder: Path, load: Load, rounds: int) -> None:
    """Compare all layouts and page sizes with one load."""
    layouts = [Layout(has_rowid, page_bytes) for has_rowid in (True, False) for page_bytes in PAGE_BYTES]
    measures = READS | WRITES
    seconds, file_bytes = measure_layouts(folder, layouts, load, measures, rounds)
    rows = [
        [layout.name, *(ratio(seconds, layout, name) for name in measures), f"{file_bytes[layout] / 2**20:,.0f}"]
        for layout in layouts
    ]
    rows.append(["microseconds at 1.0", *(f"{seconds[CHOSEN][name] * 1e6:,.0f}" for name in measures), ""])
    print_table(load.name, ["", *measures, "file, MB"], rows)


def ratio(seconds: dict[Layout, dict[str, float]], layout: Layout, name: str) -> str:
    """Return the time relative to the chosen layout."""
    chosen = seconds[CHOSEN][name]
    return f"{seconds[layout][name] / chosen:.1f}" if chosen else "-"


def compare_settings(folder: Path, loads: list[Load], rounds: int) -> None:
    """Compare the settings of a connection, with few and with many items."""
    settings = [
        Layout(maps=maps, cache_bytes=cache * 2**20, connections=connections)
        for connections in (1, 2)
        for maps in (True, False)
        for cache in (16, 64)
    ]
    measures: dict[str, Measure] = {"get": Database.get, "get after a put": Database.get_after_put}
    results = {load: measure_layouts(folder, settings, load, measures, rounds)[0] for load in loads}
    head = ["", *(f"{name}, {load.items:,} items" for load in loads for name in measures)]
    least = results[loads[0]][CHOSEN]["get"]
    rows = [
        [setting.settings, *(f"{results[load][setting][name] / least:.1f}" for load in loads for name in measures)]
        for setting in settings
    ]
    print_table(f"Settings of {CHOSEN.name}, relative to a get among the fewest items", head, rows)


def main(arguments: list[str]) -> int:
    """Measure all loads and print the tables."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer items and rounds")
    parser.add_argument("--folder", type=Path, help="folder for filled databases, to reuse them")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of every measurement (7)")
    options = parser.parse_args(arguments)
    many, rounds = (20_000, 2) if options.quick else (1_000_000, options.rounds)
    few = Load(1000, 1000)
    loads = [few, Load(many, 1000), Load(many, 200), Load(many // 20, 20_000)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        for load in loads:
            compare_layouts(folder, load, rounds)
        compare_settings(folder, loads[:2], rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
