"""The write-ahead log is extended with zeros, so that most flushes need not record a new length."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest

from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.store import Store
from singletable.engine.storage.store_format import PAGE_BYTES
from singletable.engine.storage.write_ahead_log import EXTENSION_BYTES

TREE = tree_of(1, 1)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"file:{tmp_path / 'store'}"


@contextmanager
def opened(url: str, sync: Literal["full", "normal"]) -> Generator[Store, None, None]:
    """Open a new store with one table."""
    with Store.open(url, sync=sync) as store:
        with store.writing() as connection:
            catalog_rows.create(connection, "table", b"", ())
        yield store


def put(store: Store, key: bytes) -> None:
    with store.writing() as connection:
        TREE.put(connection, key, b"item", 4)


def is_intact(store: Store) -> bool:
    with store.reading() as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def log_bytes(store: Store) -> int:
    return Path(f"{store.path}-wal").stat().st_size


@pytest.mark.parametrize(("sync", "growths_max"), [("full", 10), ("normal", 400)])
def test_a_write_ahead_log_is_extended_ahead_of_the_commits_with_full_sync(
    url: str, sync: Literal["full", "normal"], growths_max: int
) -> None:
    """Flushing a log that has grown takes longer."""
    with opened(url, sync) as store:
        sizes = list[int]()
        for number in range(400):
            put(store, b"%d" % number)
            sizes.append(log_bytes(store))
        growths = sum(later > earlier for earlier, later in pairwise(sizes[8:]))
        assert growths <= growths_max
        assert sync == "full" or growths > 300
        assert is_intact(store)


def test_processes_that_share_a_write_ahead_log_do_not_extend_it_in_turn(url: str) -> None:
    with opened(url, "full") as one, Store.open(url, sync="full") as other:
        for number in range(200):
            put(one if number % 20 < 10 else other, b"%d" % number)
        assert log_bytes(one) < 200 * 3 * (24 + PAGE_BYTES) + 2 * EXTENSION_BYTES


def test_a_store_reads_a_write_ahead_log_with_zeros_after_its_commits(url: str, tmp_path: Path) -> None:
    with opened(url, "full") as store:
        for number in range(50):
            put(store, b"%d" % number)
        copied = tmp_path / "copied"
        for end in ("", "-wal"):
            shutil.copyfile(f"{store.path}{end}", f"{copied}{end}")
    assert Path(f"{copied}-wal").read_bytes().endswith(bytes(1000))
    with Store.open(f"file:{copied}") as found, found.reading() as connection:
        assert all(TREE.get(connection, b"%d" % number) for number in range(50))
        assert is_intact(found)
