"""The write-ahead log: the test for a due checkpoint, compared with SQLite's own frame count."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from singletable.engine.storage import write_ahead_log
from singletable.engine.storage.store_format import PAGE_BYTES
from singletable.engine.storage.write_ahead_log import WriteAheadLog


def test_a_checkpoint_of_the_write_ahead_log_is_due_from_the_limit_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 20)
    path = tmp_path / "database"
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in (f"page_size = {PAGE_BYTES}", "journal_mode = WAL", "wal_autocheckpoint = 0"):
        connection.execute(f"PRAGMA {statement}")
    connection.execute("CREATE TABLE t (a)")
    log = WriteAheadLog(path)
    frames = 2
    for restarts in range(3):
        while frames < 50:
            connection.execute("INSERT INTO t VALUES (1)")
            frames += 1
            frame_count = (Path(f"{path}-wal").stat().st_size - 32) // (24 + PAGE_BYTES)
            assert restarts or frame_count == frames
            assert log.is_checkpoint_due() == (frames >= 20), (restarts, frames)
        # After a complete checkpoint, the next commit restarts the log within the same file.
        assert connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() == (0, 50, 50)
        log.after_checkpoint(50)
        assert not log.is_checkpoint_due()
        frames = 0
    log.close()
    connection.close()


def test_a_write_ahead_log_held_by_readers_is_due_again_after_the_same_growth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 20)
    path = tmp_path / "database"
    connection, reader = (sqlite3.connect(path, isolation_level=None) for _ in range(2))
    for statement in (f"page_size = {PAGE_BYTES}", "journal_mode = WAL", "wal_autocheckpoint = 0"):
        connection.execute(f"PRAGMA {statement}")
    connection.execute("CREATE TABLE t (a)")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM t").fetchall()
    log = WriteAheadLog(path)
    for _ in range(23):
        connection.execute("INSERT INTO t VALUES (1)")
    assert log.is_checkpoint_due()
    log.after_checkpoint(connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1])
    for _ in range(19):
        connection.execute("INSERT INTO t VALUES (1)")
        assert not log.is_checkpoint_due()
    connection.execute("INSERT INTO t VALUES (1)")
    assert log.is_checkpoint_due()
    log.close()
    reader.close()
    connection.close()


def test_no_checkpoint_is_due_for_an_empty_write_ahead_log(tmp_path: Path) -> None:
    (tmp_path / "database-wal").touch()
    log = WriteAheadLog(tmp_path / "database")
    assert not log.is_checkpoint_due()
    log.sync()
    log.close()
