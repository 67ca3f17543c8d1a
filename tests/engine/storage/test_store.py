"""The data that read, snapshot and write sessions see, in several threads, until the store is closed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused

TREE = tree_of(1, 1)


def with_a_table(store: Store) -> Store:
    with store.writing() as connection:
        catalog_rows.create(connection, "table", b"", ())
    return store


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = "memory:" if request.param == "memory" else f"file:{tmp_path / 'store.db'}"
    with with_a_table(Store.open(url)) as opened:
        yield opened


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with with_a_table(Store.open(f"file:{tmp_path / 'store.db'}")) as opened:
        yield opened


def put(store: Store, key: bytes, item: bytes = b"item") -> None:
    with store.writing() as connection:
        TREE.put(connection, key, item, len(item))


def get(store: Store, key: bytes) -> bytes | None:
    with store.reading() as connection:
        row = TREE.get(connection, key)
    return row[0] if row is not None else None


def test_a_store_returns_what_was_written(store: Store) -> None:
    put(store, b"key", b"one")
    put(store, b"key", b"two")
    assert get(store, b"key") == b"two"
    assert get(store, b"other") is None


def test_a_store_rolls_back_a_failed_write(store: Store) -> None:
    with suppress(ZeroDivisionError), store.writing() as connection:
        TREE.put(connection, b"key", b"item", 4)
        raise ZeroDivisionError
    assert get(store, b"key") is None
    put(store, b"key")
    assert get(store, b"key") == b"item"


def test_a_store_shows_a_write_to_others_after_its_commit(file_store: Store) -> None:
    with file_store.writing() as connection:
        TREE.put(connection, b"key", b"item", 4)
        assert get(file_store, b"key") is None
    assert get(file_store, b"key") == b"item"


def test_a_snapshot_of_a_store_sees_one_moment(file_store: Store) -> None:
    put(file_store, b"key", b"before")
    with file_store.snapshot() as connection:
        assert TREE.get(connection, b"key") == (b"before", 6)
        put(file_store, b"key", b"after")
        assert TREE.get(connection, b"key") == (b"before", 6)
    assert get(file_store, b"key") == b"after"


def test_an_unfinished_range_does_not_keep_an_old_snapshot_of_a_store(store: Store) -> None:
    """The exception keeps the stack frame and its cursor alive. The next read must not use the cursor's snapshot."""
    for key in (b"a", b"b", b"c"):
        put(store, key, b"before")

    def fail_within_a_range() -> None:
        with store.reading() as connection:
            for _ in TREE.range(connection, b"", b"z"):
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_within_a_range()
    try:
        fail_within_a_range()
    except ZeroDivisionError:
        put(store, b"b", b"after")
        assert get(store, b"b") == b"after"


def test_consecutive_sessions_of_a_store_use_one_connection(file_store: Store) -> None:
    with file_store.reading() as first:
        pass
    with file_store.writing() as second:
        pass
    with file_store.snapshot() as third:
        pass
    assert first is second is third


def test_a_store_keeps_its_data_when_it_is_opened_again(tmp_path: Path) -> None:
    url = f"file:{tmp_path / 'store.db'}"
    with with_a_table(Store.open(url)) as store:
        put(store, b"key")
    with Store.open(url) as store:
        assert get(store, b"key") == b"item"
    assert [file.name for file in tmp_path.iterdir()] == ["store.db"]


def test_stores_in_memory_are_independent() -> None:
    with with_a_table(Store.open("memory:")) as one, with_a_table(Store.open("memory:")) as other:
        put(one, b"key")
        assert get(other, b"key") is None
        assert one.is_memory


def test_a_closed_store_raises(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreRefused, match="The store is closed"):
        get(store, b"key")
    with pytest.raises(StoreRefused, match="The store is closed"):
        put(store, b"key")


def test_closing_a_store_lets_a_running_read_finish(file_store: Store) -> None:
    put(file_store, b"key")
    with file_store.reading() as connection:
        file_store.close()
        assert TREE.get(connection, b"key") == (b"item", 4)
    assert file_store.path is not None
    assert [file.name for file in file_store.path.parent.iterdir()] == ["store.db"]


def test_threads_of_one_store_lose_no_update(store: Store) -> None:
    put(store, b"counter", b"0")

    def count() -> None:
        for _ in range(50):
            with store.writing() as connection:
                row = TREE.get(connection, b"counter")
                assert row is not None
                TREE.put(connection, b"counter", b"%d" % (int(row[0]) + 1), 1)

    run_in_threads(count, 8)
    assert get(store, b"counter") == b"400"


def test_threads_that_read_a_store_see_complete_transactions(store: Store) -> None:
    """Writers set two items to the same value. No reader may see different values."""
    put(store, b"a", b"0")
    put(store, b"b", b"0")
    differing: list[object] = []

    def write() -> None:
        for number in range(50):
            with store.writing() as connection:
                TREE.put_many(connection, [(b"a", b"%d" % number, 1), (b"b", b"%d" % number, 1)])

    def read() -> None:
        for _ in range(100):
            with store.snapshot() as connection:
                a, b = TREE.get(connection, b"a"), TREE.get(connection, b"b")
            with store.reading() as connection:
                rows = [item for _, item, _ in TREE.range(connection, b"a", b"c")]
            if a != b or rows[0] != rows[1]:
                differing.append((a, b, rows))

    run_in_threads(lambda: write() if threading.current_thread().name.endswith(("0", "1")) else read(), 8)
    assert differing == []


def run_in_threads(function: object, count: int) -> None:
    failures: list[BaseException] = []

    def safely() -> None:
        try:
            assert callable(function)
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=safely, name=f"worker {number}") for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("url", ["", "store.db", "memory", "file:", "dynamodb://eu-west-1"])
def test_an_invalid_store_url_raises(url: str) -> None:
    with pytest.raises(StoreRefused, match='Use "memory:" or "file:PATH"'):
        Store.open(url)


def test_the_path_of_a_store_may_start_with_a_tilde_or_be_a_symbolic_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with with_a_table(Store.open("file:~/store.db")) as store:
        put(store, b"key")
        assert store.path == tmp_path / "store.db"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.db").symlink_to(tmp_path / "store.db")
    with Store.open(f"file:{tmp_path}/elsewhere/link.db", sync="full") as store:
        assert get(store, b"key") == b"item"


@pytest.mark.parametrize("name", ["with space.db", "50%?#&x=1.db", "größe.db"])
def test_the_path_of_a_store_may_contain_any_character(tmp_path: Path, name: str) -> None:
    with with_a_table(Store.open(f"file:{tmp_path / name}")) as store:
        put(store, b"key")
        with store.reading(), store.reading():
            assert get(store, b"key") == b"item"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_folder_cannot_be_opened_as_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match=r"is a folder.\n  Use the path of a file in it, such as file:.*store\.db"):
        Store.open(f"file:{tmp_path}")


def test_a_store_in_a_missing_folder_raises_and_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match=r"There is no folder .*data\.\n  Create the folder"):
        Store.open(f"file:{tmp_path}/data/store.db")
    assert list(tmp_path.iterdir()) == []


def test_opening_a_store_without_create_never_creates_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="There is no store at"):
        Store.open(f"file:{tmp_path}/store.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_named_pipe_cannot_be_opened_as_a_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreRefused, match="is not a regular file"):
        Store.open(f"file:{tmp_path}/pipe")


def test_a_store_that_releases_memory_unmaps_the_file_and_reads_go_on(tmp_path: Path) -> None:
    with Store.open(f"file:{tmp_path / 'store.db'}") as store:
        with store.writing() as connection:
            connection.execute("CREATE TABLE probe (text TEXT)")
            connection.execute("INSERT INTO probe VALUES ('kept')")
        store.release_memory()
        with store.reading() as connection:
            assert connection.execute("SELECT text FROM probe").fetchall() == [("kept",)]
