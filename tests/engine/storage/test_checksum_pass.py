"""The pass that adds checksums to an older store can stop at any step, and runs while the store is in use."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage import checksum_pass
from singletable.engine.storage.checksum_pass import add_checksums, lacks_checksums
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
from tests.engine.bit_flips import ITEMS, fill_indexed, key, reads
from tests.engine.storage.old_formats import OLD_PUT, downgrade
from tests.engine.table_requests import get, put, scan, texts

COUNT = ITEMS // 2


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of format 3 with indexes, a stream, TTL and a backup; a step of the pass has ten rows."""
    monkeypatch.setattr(checksum_pass, "STEP_ROWS", 10)
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        fill_indexed(engine)
    downgrade(path)
    assert check_store(path).problems == [], "an older version is checked against its own format"
    return path


def without_checksum(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '[rbc][0-9]*'"
        ).fetchall()
        return sum(
            connection.execute(f"SELECT count(*) FROM {name} WHERE checksum IS NULL").fetchone()[0] for (name,) in names
        )


def stopping(steps: int) -> Callable[[], None]:
    """Return a pause that ends the pass after some steps."""
    left = iter(range(steps))

    def pause() -> None:
        if next(left, None) is None:
            raise InterruptedError

    return pause


def test_the_checksum_pass_resumes_after_it_was_stopped_at_any_step(old: Path) -> None:
    whole = rows = 5 * COUNT
    for steps in range(5):
        with Store.open(f"file:{old}") as store:
            assert lacks_checksums(store)
            with pytest.raises(InterruptedError):
                add_checksums(store, stopping(steps))
        assert without_checksum(old) < rows, "the pass must continue where it stopped"
        rows = without_checksum(old)
        assert check_store(old).problems == []
    assert 0 < rows < whole
    with Store.open(f"file:{old}") as store:
        add_checksums(store, lambda: None)
        assert not lacks_checksums(store)
    assert without_checksum(old) == 0
    assert check_store(old).problems == []


def test_the_checksum_pass_changes_no_read_and_no_write(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.engine.engine.add_checksums", lambda store, pause: None)
    every_read = list(reads(True))
    with Engine(f"file:{old}", sweep_seconds=None) as engine:
        engine.jobs.wait()
        before = [read(engine) for _, read in every_read]
        assert without_checksum(old) == 5 * COUNT
        engine.call("DeleteTable", {"TableName": "restored"})
        with pytest.raises(InterruptedError):
            add_checksums(engine.store, stopping(12))
        assert 0 < without_checksum(old) < 5 * COUNT
        assert [read(engine) for _, read in every_read] == before
        put(engine, texts(pk="new", sk="1"))
        engine.call("CreateBackup", {"TableName": "table", "BackupName": "second"})
        assert check_store(old).problems == []
    monkeypatch.undo()
    with Engine(f"file:{old}", sweep_seconds=None) as engine:
        engine.jobs.wait()
        assert not lacks_checksums(engine.store)
        assert get(engine, texts(pk="new", sk="1")) is not None
        assert len(scan(engine)["Items"]) == COUNT + 1
    assert without_checksum(old) == 0
    assert check_store(old).problems == []


def test_a_missing_checksum_is_damage_after_the_checksum_pass(old: Path) -> None:
    with Engine(f"file:{old}") as engine:
        engine.jobs.wait()
        with closing(sqlite3.connect(old)) as connection, connection:
            connection.execute("UPDATE r1_4 SET checksum = NULL")
            connection.execute("UPDATE c1 SET checksum = NULL")
        with pytest.raises(StoreRefused, match=r"table table: the row with the key .* is damaged"):
            get(engine, key(1))
        with pytest.raises(StoreRefused, match="is damaged"):
            scan(engine)
        assert len(check_store(old).problems) >= COUNT


def test_the_checksum_pass_stops_writes_of_an_older_release_after_the_upgrade(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as older_release:
        put_row = OLD_PUT.format(tree="t1_4")
        older_release.execute(put_row, (b"key", b"{}", 2))
        older_release.execute("DELETE FROM t1_4 WHERE key = ?", (b"key",))
        Engine(f"file:{old}").close()
        for statement, arguments in (
            (put_row, (b"key", b"{}", 2)),
            ("DELETE FROM t1_4 WHERE key = ?", (b"key",)),
            ("INSERT INTO catalog (name, generation, definition) VALUES (?, 1, ?)", ("other", b"{}")),
            ("INSERT INTO backups (identifier, document) VALUES (?, ?)", ("0", b"{}")),
            ("INSERT INTO b1 SELECT * FROM t1_4", ()),
            ("INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)", ("token", b"", 0.0, b"")),
            ("INSERT OR REPLACE INTO transfers VALUES (?, ?, ?)", ("0", "export", b"{}")),
            ("INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)", ("t", "l", 1, 1, None, None, b"{}")),
        ):
            with pytest.raises(sqlite3.Error, match=r"no such table: t1_4|NOT NULL|has . columns"):
                older_release.execute(statement, arguments)
    assert check_store(old).problems == []


def test_the_upgrade_to_checksums_never_reuses_the_number_of_a_table(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE sqlite_sequence SET seq = 41 WHERE name = 'catalog'")
    with Engine(f"file:{old}") as engine:
        put(engine, texts(pk="new", sk="1"))
        engine.call("DeleteTable", {"TableName": "table"})
        engine.jobs.wait()
        fill_indexed(engine)
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT number FROM catalog").fetchall() == [(42,)]
    assert check_store(old).problems == []
