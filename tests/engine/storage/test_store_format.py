"""Opening a file: the test whether it is a store, and the errors that precede any write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest

from singletable.engine.engine import Engine
from singletable.engine.storage import store_format
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
from tests.engine.table_requests import create, put, texts


def rewrite(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed store."""
    Store.open(f"file:{tmp_path}/store.db").close()
    return tmp_path / "store.db"


def test_a_new_file_in_the_store_format_identifies_itself(path: Path) -> None:
    head = path.read_bytes()[:100]
    assert head[:16] == b"SQLite format 3\x00"
    assert int.from_bytes(head[16:18], "big") == store_format.PAGE_BYTES
    assert head[18:20] == b"\x02\x02"  # write-ahead log
    assert head[68:72] == b"STBL"
    connection = sqlite3.connect(path)
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    assert len(secret := bytes.fromhex(meta.pop("secret"))) == 32
    assert meta.pop("secret_checksum") == f"{crc32(secret):08x}"
    assert meta == {"format": "singletable", "version": "4"}
    connection.close()


def test_an_empty_file_gets_the_store_format(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    Store.open(f"file:{tmp_path}/store.db").close()
    assert (tmp_path / "store.db").read_bytes()[68:72] == b"STBL"


def test_a_newer_store_format_version_raises_and_leaves_the_file_unchanged(path: Path) -> None:
    rewrite(path, "UPDATE meta SET value = '5' WHERE name = 'version'")
    before = path.read_bytes()
    with pytest.raises(
        StoreRefused, match=r"has format version 5; .* versions up to 4\.\n  Open it with a newer release"
    ):
        Store.open(f"file:{path}")
    assert path.read_bytes() == before


def test_the_store_format_gives_each_store_its_own_permanent_secret(path: Path, tmp_path: Path) -> None:
    with Store.open(f"file:{path}") as store, Store.open(f"file:{tmp_path}/other.db") as other:
        secret = store.secret()
        assert secret != other.secret()
    with Store.open(f"file:{path}") as store:
        assert store.secret() == secret


def test_a_database_without_the_store_format_raises_and_stays_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    rewrite(path, "CREATE TABLE t (a)")
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match="is a SQLite database of another program"):
        Store.open(f"file:{path}")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.db"]


@pytest.mark.parametrize("content", [b"{}", b"not a database, but long enough to be read as one" * 100])
def test_the_store_format_check_raises_for_a_file_that_is_not_a_database_and_leaves_it_unchanged(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreRefused, match="is not a SQLite database"):
        Store.open(f"file:{path}")
    assert path.read_bytes() == content


def test_a_store_without_a_store_format_version_raises(path: Path) -> None:
    rewrite(path, "DELETE FROM meta WHERE name = 'version'")
    with pytest.raises(StoreRefused, match="does not contain its format version"):
        Store.open(f"file:{path}")


def test_the_store_format_check_raises_for_a_truncated_store(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: store_format.PAGE_BYTES * 2])
    with pytest.raises(StoreRefused, match=r"is corrupt or truncated .*\n  Restore the file from a copy"):
        Store.open(f"file:{path}")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = '0' WHERE name = 'version'",
        "UPDATE meta SET value = x'ff00' WHERE name = 'version'",
        "DROP TABLE meta",
        "ALTER TABLE meta RENAME COLUMN value TO other",
    ],
)
def test_a_store_with_an_invalid_store_format_version_raises_in_plain_words(path: Path, statement: str) -> None:
    rewrite(path, statement)
    with pytest.raises(StoreRefused, match=r"does not contain its format version\.\n  Restore the file from a copy"):
        Engine(f"file:{path}")


@pytest.mark.parametrize("definition", [b"", b"{}", b"\xff\xfe", b"[" * 100_000, 5])
def test_a_store_with_a_garbage_catalog_raises_in_plain_words(path: Path, definition: bytes | int) -> None:
    with Engine(f"file:{path}") as engine:
        create(engine)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE catalog SET definition = ?", (definition,))
    with pytest.raises(StoreRefused, match="table table in the catalog is damaged"):
        Engine(f"file:{path}")


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"[" * 100_000])
def test_the_store_format_reports_a_damaged_item_in_plain_words(path: Path, damage: bytes) -> None:
    with Engine(f"file:{path}") as engine:
        create(engine)
        put(engine, texts(pk="a", sk="1"))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE r1_1 SET item = ?", (damage,))
        update = {"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"S": "x"}}}
        with pytest.raises(
            StoreRefused, match=r"table table: the row .* is damaged.*\n  Run `singletable check-store`"
        ):
            engine.call("UpdateItem", {"TableName": "table", "Key": texts(pk="a", sk="1"), **update})
        put(engine, texts(pk="b", sk="1"))
