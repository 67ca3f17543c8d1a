"""Group commit: several writes in one commit, with a savepoint for each."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
from tests.engine.table_requests import create, get, put, texts

INSERT = "INSERT INTO meta VALUES (?, ?)"


@pytest.fixture(params=["memory:", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = request.param if request.param == "memory:" else f"file:{tmp_path}/store.db"
    with Store.open(url) as opened:
        yield opened


def insert(store: Store, name: str) -> None:
    with store.writing() as connection:
        connection.execute(INSERT, (name, ""))


def insert_all(store: Store, *names: str) -> None:
    with store.writing() as connection:
        connection.executemany(INSERT, [(name, "") for name in names])


def insert_twice_in_a_group(store: Store, name: str) -> None:
    with store.group_commit():
        insert(store, name)
        insert(store, name)


def names_in(store: Store) -> list[str]:
    with store.reading() as connection:
        found = connection.execute("SELECT name FROM meta WHERE value = '' ORDER BY name")
        return [row[0] for row in found]


def names_in_another_thread(store: Store) -> list[str]:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(names_in(store)))
    thread.start()
    thread.join()
    return found


def test_a_group_commit_sees_its_own_writes_and_others_see_them_after_its_end(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        with store.group_commit():
            insert(store, "a")
            insert(store, "b")
            assert names_in(store) == ["a", "b"]
            with store.snapshot() as connection:
                assert connection.execute("SELECT count(*) FROM meta WHERE value = ''").fetchone() == (2,)
            assert names_in_another_thread(store) == []
        assert names_in_another_thread(store) == ["a", "b"]


def test_a_failed_write_in_a_group_commit_is_rolled_back_to_its_savepoint(store: Store) -> None:
    with store.group_commit():
        insert(store, "a")
        with pytest.raises(sqlite3.IntegrityError):
            insert_all(store, "half", "a")
        insert(store, "b")
    assert names_in(store) == ["a", "b"]


def test_a_group_commit_survives_a_write_without_savepoint_that_fails_before_a_change(store: Store) -> None:
    with store.group_commit():
        insert(store, "a")
        with pytest.raises(LookupError):
            insert_without_savepoint(store, LookupError())
        with pytest.raises(sqlite3.IntegrityError):
            insert_without_savepoint(store, None, "a")
        insert_without_savepoint(store, None, "b")
    assert names_in(store) == ["a", "b"]
    with pytest.raises(LookupError):  # outside a group, it is an ordinary write
        insert_without_savepoint(store, LookupError(), "c")
    assert names_in(store) == ["a", "b"]


def test_a_group_commit_rolls_back_if_a_write_without_savepoint_fails_after_a_change(store: Store) -> None:
    with pytest.raises(LookupError):
        fail_without_savepoint_in_a_group(store)
    assert names_in(store) == []
    insert(store, "later")
    assert names_in(store) == ["later"]


def insert_without_savepoint(store: Store, error: Exception | None, *names: str) -> None:
    with store.writing(savepoint=False) as connection:
        for name in names:
            connection.execute(INSERT, (name, ""))
        if error is not None:
            raise error


def fail_without_savepoint_in_a_group(store: Store) -> None:
    with store.group_commit():
        insert(store, "a")
        with pytest.raises(LookupError):
            insert_without_savepoint(store, LookupError(), "b")
        with pytest.raises(StoreRefused, match="an earlier write in the same group commit failed"):
            insert(store, "c")


def test_a_group_commit_block_that_raises_writes_nothing(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        insert_twice_in_a_group(store, "a")
    assert names_in(store) == []
    insert(store, "b")
    assert names_in(store) == ["b"]


def test_a_group_commit_of_reads_does_not_block_writers(store: Store) -> None:
    with store.group_commit():
        assert names_in(store) == []
        thread = threading.Thread(target=lambda: insert(store, "other"))
        thread.start()
        thread.join(timeout=30)
        assert not thread.is_alive()
        assert names_in(store) == ["other"]


def test_separate_commits_within_a_group_commit_are_visible_at_once(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        with store.group_commit():
            insert(store, "before")
            with store.separate_commits():
                assert names_in_another_thread(store) == ["before"]
                insert(store, "apart")
                assert names_in_another_thread(store) == ["apart", "before"]
            insert(store, "after")
            assert names_in_another_thread(store) == ["apart", "before"]
        assert names_in_another_thread(store) == ["after", "apart", "before"]
        with store.separate_commits():  # no effect outside a group
            insert(store, "alone")


def test_another_thread_writes_in_its_own_group_commit(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        done = threading.Event()

        def write() -> None:
            with store.group_commit():
                insert(store, "other")
            done.set()

        with store.group_commit():
            insert(store, "ours")
            thread = threading.Thread(target=write)
            thread.start()
            assert not done.wait(0.2)  # it waits for the write lock
        thread.join()
        assert names_in(store) == ["other", "ours"]


def test_a_full_disk_rolls_back_the_whole_group_commit(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        insert(store, "there")
        with pytest.raises(StoreRefused, match="the disk is full"):
            fill_up_in_a_group(store)
        with store.reading() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        assert names_in(store) == ["there"]
        insert(store, "later")
        assert names_in(store) == ["later", "there"]


def fill_up_in_a_group(store: Store) -> None:
    with store.group_commit():
        insert(store, "a")
        with pytest.raises(StoreRefused, match="the disk is full"):
            fill_up(store)
        with pytest.raises(StoreRefused, match="an earlier write in the same group commit failed"):
            insert(store, "b")


def fill_up(store: Store) -> None:
    with store.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        connection.execute(INSERT, ("large", "x" * 1_000_000))


def test_requests_in_a_group_commit_behave_as_usual_and_may_create_tables(tmp_path: Path) -> None:
    with Engine(f"file:{tmp_path}/store.db") as engine:
        with engine.group_commit():
            create(engine)
            put(engine, texts(pk="a", sk="1"))
            create(engine, "other")
            put(engine, texts(pk="b", sk="1"), "other")
            assert get(engine, texts(pk="a", sk="1")) == texts(pk="a", sk="1")
        assert get(engine, texts(pk="b", sk="1"), "other") == texts(pk="b", sk="1")
    with Engine(f"file:{tmp_path}/store.db") as engine:
        assert get(engine, texts(pk="a", sk="1")) == texts(pk="a", sk="1")
