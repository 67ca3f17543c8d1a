"""The storage check finds problems in a damaged store, and none in an intact one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from singletable.engine.storage import catalog_rows, store_format
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.entry_keys import index_key, table_key
from singletable.engine.storage.storage_check import check_storage
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a closed store with one table, one index and 100 items."""
    with Store.open(f"file:{tmp_path}/store.db") as store, store.writing() as connection:
        catalog_rows.create(connection, "orders", b"{}", (1,))
        for number in range(100):
            key = table_key(b"partition", b"%d" % number)
            tree_of(1, 1).put(connection, key, b"{}" * 500, 1000)
            tree_of(1, 1, 1).put(connection, index_key([b"p"], [b"s"], key), b"{}", 2)
    return tmp_path / "store.db"


def problems_of(path: Path, *, quick: bool = False) -> list[str]:
    with Store.open(f"file:{path}", create=False) as store:
        return check_storage(store, quick=quick)


def rewrite(path: Path, statement: str, *arguments: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement, arguments)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("quick", [True, False])
def test_the_storage_check_finds_no_problems_in_an_intact_store(path: Path, quick: bool) -> None:
    assert problems_of(path, quick=quick) == []


def test_the_storage_check_accepts_an_in_memory_store() -> None:
    with Store.open("memory:") as store:
        assert check_storage(store) == []


def test_the_storage_check_reports_a_missing_tree(path: Path) -> None:
    rewrite(path, "DROP TABLE r1_1")
    assert problems_of(path, quick=True) == ["the items of orders are missing: r1_1 does not exist"]


def test_the_storage_check_reports_a_tree_without_a_table(path: Path) -> None:
    rewrite(path, f"CREATE TABLE r1_7_i1 ({store_format.TREE_COLUMNS})")
    assert problems_of(path, quick=True) == ["r1_7_i1 does not belong to a table in the catalog"]


def test_the_storage_check_reports_changed_columns(path: Path) -> None:
    rewrite(path, "ALTER TABLE tokens ADD COLUMN more")
    assert "tokens does not match format version 4" in problems_of(path, quick=True)[0]
    rewrite(path, "ALTER TABLE r1_1 ADD COLUMN more")
    assert "r1_1 does not match format version 4" in problems_of(path, quick=True)[1]


@pytest.mark.parametrize(
    ("statement", "argument", "problem"),
    [
        (
            "UPDATE r1_1 SET item = 'text' WHERE rowid = 7",
            None,
            "r1_1 has a row with wrong types (blob, text, integer)",
        ),
        ("UPDATE r1_1 SET size = 0 WHERE rowid = 7", None, "r1_1 has an item with the invalid size 0"),
        ("UPDATE r1_1 SET key = ? WHERE rowid = 7", b"xxxxxxxxx", "r1_1: the hash or the length of a key"),
        ("UPDATE r1_1_i1 SET key = ? WHERE rowid = 7", b"xxxxxxxxx", "r1_1_i1: the hash or the length of a key"),
    ],
)
def test_the_storage_check_reports_a_malformed_row(
    path: Path, statement: str, argument: bytes | None, problem: str
) -> None:
    rewrite(path, statement, *(() if argument is None else (argument,)))
    (found,) = problems_of(path)
    assert found.startswith(problem)


@pytest.mark.parametrize("pages", [slice(1, 3), slice(8, 12), slice(-4, None)], ids=["first", "middle", "last"])
def test_the_storage_check_reports_a_damaged_page(path: Path, pages: slice) -> None:
    content = bytearray(path.read_bytes())
    for page in range(len(content) // store_format.PAGE_BYTES)[pages]:
        start = page * store_format.PAGE_BYTES
        content[start : start + 4000] = b"\xee" * 4000
    path.write_bytes(content)
    try:
        found = problems_of(path)[0]
    except StoreRefused as error:
        found = str(error)
    assert any(words in found for words in ("reports a damaged database", "cannot read the database", "is corrupt"))
