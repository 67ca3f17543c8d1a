"""Rounds: the writes of several requests, committed at once, each undone alone when it fails."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
from tests.engine.tables import create, get, put, texts

KEEP = "INSERT INTO meta VALUES (?, ?)"


@pytest.fixture(params=["memory:", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = request.param if request.param == "memory:" else f"file:{tmp_path}/store.db"
    with Store.open(url) as opened:
        yield opened


def keep(store: Store, name: str) -> None:
    with store.writing() as connection:
        connection.execute(KEEP, (name, ""))


def keep_both(store: Store, *names: str) -> None:
    with store.writing() as connection:
        connection.executemany(KEEP, [(name, "") for name in names])


def keep_twice_in_a_round(store: Store, name: str) -> None:
    with store.together():
        keep(store, name)
        keep(store, name)


def kept(store: Store) -> list[str]:
    with store.reading() as connection:
        found = connection.execute("SELECT name FROM meta WHERE value = '' ORDER BY name")
        return [row[0] for row in found]


def by_another_thread(store: Store) -> list[str]:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(kept(store)))
    thread.start()
    thread.join()
    return found


def test_a_round_sees_what_it_wrote_and_others_see_it_at_its_end(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        with store.together():
            keep(store, "a")
            keep(store, "b")
            assert kept(store) == ["a", "b"]
            with store.snapshot() as connection:
                assert connection.execute("SELECT count(*) FROM meta WHERE value = ''").fetchone() == (2,)
            assert by_another_thread(store) == []
        assert by_another_thread(store) == ["a", "b"]


def test_what_fails_is_undone_alone(store: Store) -> None:
    with store.together():
        keep(store, "a")
        with pytest.raises(sqlite3.IntegrityError):
            keep_both(store, "half", "a")
        keep(store, "b")
    assert kept(store) == ["a", "b"]


def test_a_certain_write_that_changed_nothing_leaves_the_round_as_it_is(store: Store) -> None:
    with store.together():
        keep(store, "a")
        with pytest.raises(LookupError):
            certainly(store, LookupError())
        with pytest.raises(sqlite3.IntegrityError):
            certainly(store, None, "a")
        certainly(store, None, "b")
    assert kept(store) == ["a", "b"]
    with pytest.raises(LookupError):  # outside of a round it is a write as any other
        certainly(store, LookupError(), "c")
    assert kept(store) == ["a", "b"]


def test_a_certain_write_that_raises_after_a_change_takes_the_whole_round(store: Store) -> None:
    with pytest.raises(LookupError):
        fail_certainly_in_a_round(store)
    assert kept(store) == []
    keep(store, "later")
    assert kept(store) == ["later"]


def certainly(store: Store, error: Exception | None, *names: str) -> None:
    with store.writing(certain=True) as connection:
        for name in names:
            connection.execute(KEEP, (name, ""))
        if error is not None:
            raise error


def fail_certainly_in_a_round(store: Store) -> None:
    with store.together():
        keep(store, "a")
        with pytest.raises(LookupError):
            certainly(store, LookupError(), "b")
        with pytest.raises(StoreRefused, match="an earlier write of the same round failed"):
            keep(store, "c")


def test_a_round_that_raises_has_written_nothing(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        keep_twice_in_a_round(store, "a")
    assert kept(store) == []
    keep(store, "b")
    assert kept(store) == ["b"]


def test_a_round_of_reads_takes_nobodys_turn(store: Store) -> None:
    with store.together():
        assert kept(store) == []
        thread = threading.Thread(target=lambda: keep(store, "other"))
        thread.start()
        thread.join(timeout=30)
        assert not thread.is_alive()
        assert kept(store) == ["other"]


def test_what_is_done_apart_is_there_at_once(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        with store.together():
            keep(store, "before")
            with store.apart():
                assert by_another_thread(store) == ["before"]
                keep(store, "apart")
                assert by_another_thread(store) == ["apart", "before"]
            keep(store, "after")
            assert by_another_thread(store) == ["apart", "before"]
        assert by_another_thread(store) == ["after", "apart", "before"]
        with store.apart():  # outside of a round it is nothing
            keep(store, "alone")


def test_another_thread_writes_by_itself_meanwhile(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        done = threading.Event()

        def write() -> None:
            with store.together():
                keep(store, "other")
            done.set()

        with store.together():
            keep(store, "ours")
            thread = threading.Thread(target=write)
            thread.start()
            assert not done.wait(0.2)  # it waits for its turn to write
        thread.join()
        assert kept(store) == ["other", "ours"]


def test_a_full_disk_takes_the_whole_round_and_says_so(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path}/store.db") as store:
        keep(store, "there")
        with pytest.raises(StoreRefused, match="the disk is full"):
            fill_up_in_a_round(store)
        with store.reading() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        assert kept(store) == ["there"]
        keep(store, "later")
        assert kept(store) == ["later", "there"]


def fill_up_in_a_round(store: Store) -> None:
    with store.together():
        keep(store, "a")
        with pytest.raises(StoreRefused, match="the disk is full"):
            fill_up(store)
        with pytest.raises(StoreRefused, match="an earlier write of the same round failed"):
            keep(store, "b")


def fill_up(store: Store) -> None:
    with store.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        connection.execute(KEEP, ("large", "x" * 1_000_000))


def test_requests_in_a_round_are_answered_as_alone_and_tables_can_be_made_in_it(tmp_path: Path) -> None:
    with Engine(f"file:{tmp_path}/store.db") as engine:
        with engine.together():
            create(engine)
            put(engine, texts(pk="a", sk="1"))
            create(engine, "other")
            put(engine, texts(pk="b", sk="1"), "other")
            assert get(engine, texts(pk="a", sk="1")) == texts(pk="a", sk="1")
        assert get(engine, texts(pk="b", sk="1"), "other") == texts(pk="b", sk="1")
    with Engine(f"file:{tmp_path}/store.db") as engine:
        assert get(engine, texts(pk="a", sk="1")) == texts(pk="a", sk="1")
