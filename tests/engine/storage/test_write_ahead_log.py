"""The log as a file: when it is long, as SQLite itself counts it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from singletable.engine.storage import write_ahead_log
from singletable.engine.storage.layout import PAGE_BYTES
from singletable.engine.storage.write_ahead_log import WriteAheadLog


def test_a_log_is_long_from_the_frame_on_that_makes_it_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 20)
    path = tmp_path / "database"
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in (f"page_size = {PAGE_BYTES}", "journal_mode = WAL", "wal_autocheckpoint = 0"):
        connection.execute(f"PRAGMA {statement}")
    connection.execute("CREATE TABLE t (a)")
    log = WriteAheadLog(path)
    frames = 2
    for begun in range(3):
        while frames < 50:
            connection.execute("INSERT INTO t VALUES (1)")
            frames += 1
            frame_count = (Path(f"{path}-wal").stat().st_size - 32) // (24 + PAGE_BYTES)
            assert begun or frame_count == frames
            assert log.is_long() == (frames >= 20), (begun, frames)
        # Once everything has been moved, the next commit begins the log anew, in the file as it is.
        assert connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() == (0, 50, 50)
        log.checkpointed(50)
        assert not log.is_long()
        frames = 0
    log.close()
    connection.close()


def test_a_log_that_its_readers_hold_is_long_again_only_when_it_has_grown_as_much(
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
    assert log.is_long()
    log.checkpointed(connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1])
    for _ in range(19):
        connection.execute("INSERT INTO t VALUES (1)")
        assert not log.is_long()
    connection.execute("INSERT INTO t VALUES (1)")
    assert log.is_long()
    log.close()
    reader.close()
    connection.close()


def test_an_empty_log_is_not_long(tmp_path: Path) -> None:
    (tmp_path / "database-wal").touch()
    log = WriteAheadLog(tmp_path / "database")
    assert not log.is_long()
    log.sync()
    log.close()
