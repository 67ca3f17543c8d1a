"""Connections to a file: concurrent processes, checkpoints, full disks and killed processes."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from singletable.engine.storage import catalog_rows, write_ahead_log
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused

TREE = tree_of(1, 1)

PROGRAM = """
import os, sys
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
TREE = tree_of(1, 1)
url = sys.argv[1]
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"file:{tmp_path / 'store.db'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        with opened.writing() as connection:
            catalog_rows.create(connection, "table", b"", ())
        yield opened


def started(url: str, program: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM + dedent(program), url]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def put(store: Store, key: bytes, item: bytes = b"item") -> None:
    with store.writing() as connection:
        TREE.put(connection, key, item, len(item))


def is_intact(store: Store) -> bool:
    with store.reading() as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def log_bytes(store: Store) -> int:
    return Path(f"{store.path}-wal").stat().st_size


def test_connection_pools_of_processes_that_open_a_new_path_concurrently_get_the_same_store(url: str) -> None:
    program = """
    input()
    with Store.open(url) as store, store.reading() as connection:
        print(connection.execute("SELECT count(*) FROM meta").fetchone()[0])
    """
    processes = [started(url, program) for _ in range(4)]
    answers = [process.communicate("go\n")[0] for process in processes]
    assert answers == ["4\n"] * 4


def test_connection_pools_of_concurrent_processes_lose_no_update(store: Store, url: str) -> None:
    put(store, b"counter", b"0")
    program = """
    with Store.open(url) as store:
        for _ in range(100):
            with store.writing() as connection:
                number = int(TREE.get(connection, b"counter")[0]) + 1
                TREE.put(connection, b"counter", b"%d" % number, 1)
    """
    processes = [started(url, program) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    for process in processes:
        process.communicate()
    with store.reading() as connection:
        assert TREE.get(connection, b"counter") == (b"400", 1)


def test_committed_writes_of_a_connection_pool_survive_a_killed_process(store: Store, url: str) -> None:
    program = """
    store = Store.open(url)
    number = 0
    while True:
        with store.writing() as connection:
            TREE.put_many(connection, [(b"a%d" % number, b"x" * 3000, 1), (b"b%d" % number, b"x", 1)])
        print(number, flush=True)
        number += 1
    """
    for seconds in (0.02, 0.05, 0.1):
        process = started(url, program)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        answered = [int(line) for line in process.communicate()[0].splitlines() if line.strip()]
        with store.snapshot() as connection:
            counts = [sum(1 for _ in TREE.range(connection, low, low + b"z")) for low in (b"a", b"b")]
        assert counts[0] == counts[1]
        assert counts[0] >= (answered[-1] if answered else 0) + 1
    assert is_intact(store)


def test_a_connection_pool_opens_a_store_whose_process_was_killed(url: str) -> None:
    program = """
    from singletable.engine.storage import catalog_rows
    store = Store.open(url)
    with store.writing() as connection:
        catalog_rows.create(connection, "table", b"", ())
    with store.writing() as connection:
        TREE.put(connection, b"key", b"item", 4)
    connection.execute("BEGIN IMMEDIATE")
    TREE.put(connection, b"unfinished", b"item", 4)
    os.kill(os.getpid(), 9)
    """
    process = started(url, program)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with Store.open(url) as store, store.reading() as connection:
        assert TREE.get(connection, b"key") == (b"item", 4)
        assert TREE.get(connection, b"unfinished") is None


def test_a_writer_in_a_connection_pool_waits_while_another_process_writes(store: Store, url: str) -> None:
    program = """
    store = Store.open(url)
    with store.writing() as connection:
        print("writing", flush=True)
        input()
        TREE.put(connection, b"key", b"theirs", 6)
    """
    process = started(url, program)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    writer = threading.Thread(target=put, args=(store, b"key", b"ours"))
    writer.start()
    writer.join(0.2)
    assert writer.is_alive()
    process.communicate("go on\n")
    writer.join()
    with store.reading() as connection:
        assert TREE.get(connection, b"key") == (b"ours", 4)


def test_a_write_lock_timeout_of_a_connection_pool_names_the_cause(store: Store, url: str) -> None:
    store.waits.seconds = 0.05  # a minute is too long for a test
    held = pytest.raises(StoreRefused, match="has been locked by another process for a minute")
    with Store.open(url) as other, other.writing(), held:
        put(store, b"key")
    put(store, b"key")


def test_a_sqlite_lock_timeout_of_a_connection_pool_names_the_cause(store: Store) -> None:
    assert store.path is not None
    with store.writing() as connection:
        connection.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as tool:
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            StoreRefused, match=r"has been locked by another process for a minute \(SQLite: database is"
        ):
            put(store, b"key")
    put(store, b"key")


def test_connection_pools_of_threads_that_create_one_store_concurrently_share_it(tmp_path: Path) -> None:
    def opened(path: Path) -> str:
        with Store.open(f"file:{path}") as each, each.reading() as connection:
            name: str = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()[0]
            return name

    with ThreadPoolExecutor(6) as pool:
        for number in range(20):
            assert set(pool.map(opened, [tmp_path / f"store{number}"] * 6)) == {"singletable"}


def test_checkpoints_of_a_connection_pool_keep_the_log_short_without_data_loss(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 50)
    for number in range(600):
        put(store, b"%d" % number, os.urandom(2000))
    assert log_bytes(store) < 1_000_000
    with store.reading() as connection:
        assert TREE.count(connection) == (600, 1_200_000)
    assert is_intact(store)


def test_a_connection_pool_runs_no_checkpoint_while_another_process_writes(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint during a write would trigger the WAL-reset bug of SQLite up to 3.51.2."""
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 10)
    states: list[bool] = []
    with Store.open(url) as other:
        with other.writing() as others_connection:
            pass
        others_connection.execute("PRAGMA busy_timeout = 0")

        def watch(statement: str) -> None:
            if "wal_checkpoint" in statement:
                try:
                    others_connection.execute("BEGIN IMMEDIATE")
                    others_connection.execute("ROLLBACK")
                    states.append(False)
                except sqlite3.OperationalError:
                    states.append(True)

        with store.reading() as one, store.reading() as another:
            one.set_trace_callback(watch)
            another.set_trace_callback(watch)
        for number in range(100):
            put(store, b"%d" % number, os.urandom(2000))
    assert states
    assert all(states)


def test_a_failed_checkpoint_of_a_connection_pool_does_not_fail_the_write(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 10)
    with store.reading() as one, store.reading() as another:
        for connection in (one, another):
            connection.set_authorizer(
                lambda action, name, *_: int(action == sqlite3.SQLITE_PRAGMA and name == "wal_checkpoint")
            )
    for number in range(30):
        put(store, b"%d" % number)
    with store.reading() as connection:
        assert TREE.count(connection)[0] == 30
        assert not connection.in_transaction


def test_a_long_read_in_a_connection_pool_does_not_block_writers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "CHECKPOINT_FRAMES", 10)
    put(store, b"key", b"before")
    with store.snapshot() as connection:
        assert TREE.get(connection, b"key") == (b"before", 6)
        for number in range(100):
            put(store, b"key", b"%d" % number)
        assert TREE.get(connection, b"key") == (b"before", 6)
    for number in range(100):
        put(store, b"key", b"%d" % number)
    assert log_bytes(store) < 3_000_000


def test_a_full_disk_fails_the_write_of_a_connection_pool_and_keeps_the_data_intact(store: Store) -> None:
    put(store, b"before")
    with store.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(
        StoreRefused, match=r"the disk is full .*\n  This write changed nothing, and the existing data is intact"
    ):
        put(store, b"large", bytes(1_000_000))
    with store.reading() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
        assert TREE.get(connection, b"large") is None
    put(store, b"large", bytes(1_000_000))
    assert is_intact(store)


def test_a_connection_pool_does_not_recreate_a_store_deleted_while_open(store: Store) -> None:
    assert store.path is not None
    store.path.unlink()
    with store.reading(), pytest.raises(StoreRefused, match="cannot be opened"), store.reading():
        pass
    assert not store.path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not delete or move open files")
@pytest.mark.parametrize("event", ["deleted", "moved", "replaced", "log deleted"])
def test_a_connection_pool_rejects_writes_to_a_store_deleted_or_moved_while_open(store: Store, event: str) -> None:
    path = store.path
    assert path is not None
    put(store, b"before")
    if event == "deleted":
        path.unlink()
    elif event == "log deleted":
        Path(f"{path}-wal").unlink()
    else:
        path.rename(path.with_name("moved.db"))
    if event == "replaced":
        shutil.copy(path.with_name("moved.db"), path)
    time.sleep(0.02)
    for _ in range(2):
        with pytest.raises(StoreRefused, match="was deleted, moved or replaced while it was open; this write changed"):
            put(store, b"after")


def test_threads_of_a_connection_pool_with_full_sync_share_flushes(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    flushes: list[int] = []
    real = os.fdatasync

    def counted(descriptor: int) -> None:
        flushes.append(descriptor)
        time.sleep(0.005)
        real(descriptor)

    monkeypatch.setattr(os, "fdatasync", counted)
    with Store.open(url, sync="full") as store:
        with store.writing() as connection:
            catalog_rows.create(connection, "table", b"", ())

        def write(worker: int) -> None:
            for number in range(10):
                put(store, b"%d %d" % (worker, number))
                store.flush()

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 10 <= len(flushes) <= 60  # for 80 writes


def test_a_flush_of_a_connection_pool_includes_every_commit_made_before_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies of the files, made when a flush starts, contain the least data that a power failure can leave."""
    copies: list[Path] = []

    def copied(_: int) -> None:
        copy = tmp_path / f"copy {len(copies)}"
        copy.mkdir()
        for name in ("store.db", "store.db-wal"):
            shutil.copy(tmp_path / name, copy / name)
        copies.append(copy / "store.db")

    with Store.open(url, sync="full") as store:
        with store.writing() as connection:
            catalog_rows.create(connection, "table", b"", ())
        monkeypatch.setattr(os, "fdatasync", copied)
        served: dict[bytes, Path] = {}

        def write(worker: int) -> None:
            for number in range(5):
                key = b"%d %d" % (worker, number)
                put(store, key)
                store.flush()
                served[key] = copies[-1]

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(served) == 40
    for key, path in served.items():
        with Store.open(f"file:{path}", create=False) as after_failure, after_failure.reading() as connection:
            assert TREE.get(connection, key) is not None


def test_a_connection_pool_with_normal_sync_flushes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda _: pytest.fail("flushed"))
    put(store, b"key")
    store.flush()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_connection_pool_cannot_open_a_read_only_file_or_folder(what: str) -> None:
    """The process gives up root privileges if it has them, because root may write everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if what == "file":
            Store.open(f"file:{folder}/store.db").close()
            (folder / "store.db").chmod(0o444)
        folder.chmod(0o555)
        program = """
        import urllib.parse  # before the user loses access to it
        os.geteuid() == 0 and os.seteuid(65534)
        try:
            Store.open(url)
        except StoreRefused as refused:
            print(refused)
        """
        output = started(f"file:{folder}/store.db", program).communicate()[0]
        folder.chmod(0o755)
    assert f"{folder}/store.db {'cannot be opened' if what == 'folder' else 'is read-only'}" in output
    assert "Check that" in output


def test_a_connection_pool_can_be_closed_while_threads_use_it(url: str) -> None:
    for _ in range(10):
        store = Store.open(url, sync="full")
        answers: list[str] = []

        def use(store: Store = store, answers: list[str] = answers) -> None:
            try:
                while True:
                    with store.writing() as connection:
                        connection.execute("INSERT OR REPLACE INTO meta VALUES ('test', 'x')")
                    store.flush()
                    with store.reading() as connection:
                        connection.execute("SELECT * FROM meta").fetchall()
            except StoreRefused as refused:
                answers.append(str(refused))

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.02)
        store.close()
        for thread in threads:
            thread.join()
        assert len(answers) == 4
        assert all(answer.startswith("The store is closed") for answer in answers)
    assert not Path(f"{store.path}-wal").exists()
