"""Scenarios of a fault run around the file of a store: changed bits, damage, moved files and upgrades."""

from __future__ import annotations

import gzip
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage import checksum_pass, item_tree, row_checksum, store_format
from singletable.engine.storage.checksum_pass import lacks_checksums
from singletable.errors import StoreRefused
from tests.engine.bit_flips import FlippedStore, elements, fill_indexed, fill_plain
from tests.engine.faults.linearizability import UNKNOWN
from tests.engine.faults.store_scenarios import opened
from tests.engine.faults.table_model import History, create_table, request_of
from tests.engine.storage.old_formats import OLD_PUT
from tests.engine.table_requests import put, scan, texts

STORES = Path(__file__).parents[1] / "storage" / "stores"
LOG_HEADER_BYTES, LOG_FRAME_BYTES, LOG_FRAME_HEADER_BYTES = 32, 24 + store_format.PAGE_BYTES, 24


def changed_logs(chance: random.Random, folder: Path) -> None:
    """A changed bit in the log of a killed process gives the right answer or a clear error."""
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
        place = chance.choice(
            (chance.randrange(4, len(log)), len(log) - chance.randrange(1, 9000), _in_head(log, chance))
        )
        (copy / "store.db-wal").write_bytes(_changed(log, place, chance))
        _check_damaged(copy / "store.db", history)


def _in_head(log: bytes, chance: random.Random) -> int:
    """Return a place in the header of the log or in the header of a frame."""
    if chance.random() < 0.4:
        return chance.randrange(4, LOG_HEADER_BYTES)
    frame = chance.randrange((len(log) - LOG_HEADER_BYTES) // LOG_FRAME_BYTES)
    return LOG_HEADER_BYTES + frame * LOG_FRAME_BYTES + chance.randrange(LOG_FRAME_HEADER_BYTES)


def _changed(content: bytes, place: int, chance: random.Random) -> bytes:
    return content[:place] + bytes((content[place] ^ 1 << chance.randrange(8),)) + content[place + 1 :]


def _check_damaged(path: Path, history: History) -> None:
    left = History()
    left.operations += history.operations
    with suppress(StoreRefused), Engine(f"file:{path}", sweep_seconds=None) as engine:
        left.perform(engine.call, "read all", (), "after the change")
    left.check()


def changed_bits(chance: random.Random, folder: Path) -> None:
    """No read returns a changed bit of a database file, compiled or not, and `check_store` finds each of them."""
    store = FlippedStore(folder, chance.choice((fill_plain, fill_indexed)))
    with _pure_checksums() if chance.random() < 0.4 else ExitStack():
        for _ in range(4):
            problems = store.flip(chance.randrange(1 << 30))
            assert not problems, problems[0]
        for _ in range(6):
            problems = store.flip_in_row(chance.randrange(1 << 30))
            assert not problems, problems[0]


@contextmanager
def _pure_checksums() -> Generator[None, None, None]:
    """Compute and verify checksums without the compiled module."""
    with (
        mock.patch.object(row_checksum, "_fast_checksums", None),
        mock.patch.object(item_tree, "row_checksum", row_checksum._row_checksum),
        mock.patch.object(item_tree, "verified_size", row_checksum._verified_size),
        mock.patch.object(item_tree, "verified_join", row_checksum._verified_join),
    ):
        yield


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


def damaged_metadata(chance: random.Random, folder: Path) -> None:
    """A store with an invalid version, a damaged catalog, schema or item raises StoreRefused with a remedy."""
    path = folder / "store.db"
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        create_table(engine)
        engine.call(*request_of("put", (0, 1), ""))
    whole = path.read_bytes()
    garbage = chance.choice((b"", b"{", b"\xff", b"[]", b"null", b'{"name":7}', b"[" * 100_000, chance.randbytes(20)))
    rename = "UPDATE sqlite_master SET sql = replace(sql, ?, 'renamed') WHERE name = 'catalog'"
    for statement, values in (
        ("UPDATE meta SET value = ? WHERE name = 'version'", (chance.choice(("0", "-1", "x", "", "99", "1e3")),)),
        ("DELETE FROM meta WHERE name = ?", (chance.choice(("format", "version")),)),
        ("DROP TABLE meta", ()),
        ("UPDATE catalog SET definition = ?", (garbage,)),
        ("UPDATE catalog SET definition = ?, checksum = made(number, name, generation, ?1)", (garbage,)),
        (rename, (chance.choice(("generation", "definition", "checksum")),)),
        ("UPDATE catalog SET name = CAST(x'ff' AS TEXT)", ()),
        ("UPDATE r1_1 SET item = ?1, checksum = row(key, ?1, size)", (garbage + b"{",)),
    ):
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.create_function("made", 4, row_checksum.record_checksum)
            connection.create_function("row", 3, row_checksum.row_checksum)
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement, values)
        with pytest.raises(StoreRefused, match="\n  "):
            _scan(path)


def _scan(path: Path) -> None:
    with Engine(f"file:{path}", sweep_seconds=None) as engine:
        engine.call("DescribeTable", {"TableName": "table"})
        engine.call("Scan", {"TableName": "table", "FilterExpression": "attribute_exists(v)"})


FORMATS_WITHOUT_CHECKSUMS = range(1, store_format.CHECKSUMS_SINCE)


def upgraded_stores(chance: random.Random, folder: Path) -> None:
    """An old store gets its checksums in a pass that stops at any step; a release that has it open cannot write."""
    path, number = folder / "store.db", chance.choice(FORMATS_WITHOUT_CHECKSUMS)
    path.write_bytes(gzip.decompress((STORES / f"format{number}.db.gz").read_bytes()))
    older = sqlite3.connect(path, isolation_level=None)
    with closing(older), mock.patch.object(checksum_pass, "STEP_ROWS", chance.randrange(3, 20)):
        (tree,) = older.execute("SELECT name FROM sqlite_master WHERE name GLOB 't?_?'").fetchone()
        old_put = OLD_PUT.format(tree=tree)
        older.execute("BEGIN")
        older.execute(old_put, (b"key", b"{}", 2))
        older.execute("ROLLBACK")
        before, written = None, list[dict[str, Any]]()
        for _ in range(100):
            with Engine(f"file:{path}", sweep_seconds=None) as engine:
                found = elements([scan(engine)["Items"]])
                before = before or found
                assert found == before | {repr(item) for item in written}
                written.append(texts(pk="new", sk=str(len(written)), gsiPk="new") | {"sk": {"N": str(len(written))}})
                put(engine, written[-1])
                with pytest.raises(sqlite3.Error):
                    older.execute(old_put, (b"key", b"{}", 2))
                if chance.random() < 0.3:
                    engine.jobs.wait()
                if not lacks_checksums(engine.store):
                    break
        else:
            raise AssertionError("the pass does not end")
    assert check_store(path).problems == []
    _remove_checksum(path, chance)
    assert check_store(path).problems
    with Engine(f"file:{path}", sweep_seconds=None) as engine, pytest.raises(StoreRefused, match="is damaged"):
        scan(engine)


def _remove_checksum(path: Path, chance: random.Random) -> None:
    """Remove the checksum of a row of the table, which is damage after the upgrade."""
    with closing(sqlite3.connect(path)) as connection, connection:
        (tree,) = connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'r?_?'").fetchone()
        rows = [row[0] for row in connection.execute(f"SELECT rowid FROM {tree}")]
        connection.execute(f"UPDATE {tree} SET checksum = NULL WHERE rowid = ?", (chance.choice(rows),))


FILE_SCENARIOS: tuple[Callable[[random.Random, Path], None], ...] = (
    changed_logs,
    changed_bits,
    moved_stores,
    damaged_metadata,
    upgraded_stores,
)
