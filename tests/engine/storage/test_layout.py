"""What is a store and what is not, said before anything is written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from singletable.engine.check_store import check_store
from singletable.engine.engine import Engine
from singletable.engine.storage import layout
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
from tests.engine.tables import create, get, put, texts


def rewritten(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store that has been closed."""
    Store.open(f"file:{tmp_path}/store.db").close()
    return tmp_path / "store.db"


def test_a_new_store_says_what_it_is(path: Path) -> None:
    head = path.read_bytes()[:100]
    assert head[:16] == b"SQLite format 3\x00"
    assert int.from_bytes(head[16:18], "big") == layout.PAGE_BYTES
    assert head[18:20] == b"\x02\x02"  # write-ahead log
    assert head[68:72] == b"STBL"
    connection = sqlite3.connect(path)
    facts = dict(connection.execute("SELECT name, value FROM meta"))
    assert len(bytes.fromhex(facts.pop("secret"))) == 32
    assert facts == {"format": "singletable", "version": "3"}
    connection.close()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    Store.open(f"file:{tmp_path}/store.db").close()
    assert (tmp_path / "store.db").read_bytes()[68:72] == b"STBL"


def test_a_newer_format_is_refused_and_left_as_it_is(path: Path) -> None:
    rewritten(path, "UPDATE meta SET value = '4' WHERE name = 'version'")
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match=r"has format 4, .* formats up to 3\.\n  Open it with a newer release"):
        Store.open(f"file:{path}")
    assert path.read_bytes() == before


def test_an_older_format_gets_what_it_lacks_and_keeps_what_it_has(path: Path) -> None:
    with Engine(f"file:{path}") as engine:
        create(engine)
        put(engine, texts(pk="a", sk="1"))
    rewritten(
        path,
        "UPDATE meta SET value = '1' WHERE name = 'version'",
        "DELETE FROM meta WHERE name = 'secret'",
        "DROP TABLE streams",
        "DROP TABLE backups",
        "DROP TABLE transfers",
    )
    assert check_store(path).problems == [], "a store of an older version is checked as it is"
    with Engine(f"file:{path}") as engine:
        assert get(engine, texts(pk="a", sk="1")) == texts(pk="a", sk="1")
        assert engine.call("ListStreams", {}) == {"Streams": []}
        assert engine.call("ListBackups", {}) == {"BackupSummaries": []}
        assert len(engine.store.secret()) == 32
    assert check_store(path).problems == []


def test_each_store_has_a_secret_of_its_own_which_stays(path: Path, tmp_path: Path) -> None:
    with Store.open(f"file:{path}") as store, Store.open(f"file:{tmp_path}/other.db") as other:
        secret = store.secret()
        assert secret != other.secret()
    with Store.open(f"file:{path}") as store:
        assert store.secret() == secret


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    rewritten(path, "CREATE TABLE t (a)")
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match="is a SQLite database of another program"):
        Store.open(f"file:{path}")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.db"]


@pytest.mark.parametrize("content", [b"{}", b"not a database, but long enough to be read as one" * 100])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreRefused, match="is no singletable store, nor any other SQLite database"):
        Store.open(f"file:{path}")
    assert path.read_bytes() == content


def test_a_store_without_its_version_is_refused(path: Path) -> None:
    rewritten(path, "DELETE FROM meta WHERE name = 'version'")
    with pytest.raises(StoreRefused, match="does not say which format it has"):
        Store.open(f"file:{path}")


def test_a_store_cut_short_is_refused(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: layout.PAGE_BYTES * 2])
    with pytest.raises(StoreRefused, match=r"is damaged or cut short .*\n  Bring it back from a copy"):
        Store.open(f"file:{path}")
