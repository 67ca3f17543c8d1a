"""A check finds what is wrong with a store, and nothing where nothing is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from singletable.engine.storage import catalog_rows, layout
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.check import check
from singletable.engine.storage.entry_key import index_key, table_key
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of one table and one index, with a hundred items, that has been closed."""
    with Store.open(f"file:{tmp_path}/store.db") as store, store.writing() as connection:
        catalog_rows.create(connection, "orders", b"{}", (1,))
        for number in range(100):
            key = table_key(b"partition", b"%d" % number)
            tree_of(1, 1).put(connection, key, b"{}" * 500, 1000)
            tree_of(1, 1, 1).put(connection, index_key([b"p"], [b"s"], key), b"{}", 2)
    return tmp_path / "store.db"


def problems_of(path: Path, *, quick: bool = False) -> list[str]:
    with Store.open(f"file:{path}", create=False) as store:
        return check(store, quick=quick)


def rewritten(path: Path, statement: str, *arguments: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement, arguments)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("quick", [True, False])
def test_a_sound_store_has_no_problems(path: Path, quick: bool) -> None:
    assert problems_of(path, quick=quick) == []


def test_a_store_in_memory_can_be_checked() -> None:
    with Store.open("memory:") as store:
        assert check(store) == []


def test_a_table_without_its_items_is_found(path: Path) -> None:
    rewritten(path, "DROP TABLE t1_1")
    assert problems_of(path, quick=True) == ["the items of orders are missing: there is no t1_1"]


def test_a_tree_that_belongs_to_nobody_is_found(path: Path) -> None:
    rewritten(path, f"CREATE TABLE t1_7_i1 ({layout.TREE_COLUMNS})")
    assert problems_of(path, quick=True) == ["t1_7_i1 belongs to no table of the catalog"]


def test_another_layout_is_found(path: Path) -> None:
    rewritten(path, "ALTER TABLE tokens ADD COLUMN more")
    assert "tokens is not what format 3 has there" in problems_of(path, quick=True)[0]
    rewritten(path, "ALTER TABLE t1_1 ADD COLUMN more")
    assert "t1_1 is not what format 3 has there" in problems_of(path, quick=True)[1]


@pytest.mark.parametrize(
    ("statement", "argument", "problem"),
    [
        ("UPDATE t1_1 SET item = 'text' WHERE rowid = 7", None, "t1_1 has a row of blob, text and integer"),
        ("UPDATE t1_1 SET size = 0 WHERE rowid = 7", None, "t1_1 has an item of 0 bytes"),
        ("UPDATE t1_1 SET key = ? WHERE rowid = 7", b"xxxxxxxxx", "t1_1: the hash or the length of a key"),
        ("UPDATE t1_1_i1 SET key = ? WHERE rowid = 7", b"xxxxxxxxx", "t1_1_i1: the hash or the length of a key"),
    ],
)
def test_a_row_that_breaks_the_rules_is_found(path: Path, statement: str, argument: bytes | None, problem: str) -> None:
    rewritten(path, statement, *(() if argument is None else (argument,)))
    (found,) = problems_of(path)
    assert found.startswith(problem)


@pytest.mark.parametrize("pages", [slice(1, 3), slice(8, 12), slice(-4, None)], ids=["first", "middle", "last"])
def test_damage_is_found(path: Path, pages: slice) -> None:
    content = bytearray(path.read_bytes())
    for page in range(len(content) // layout.PAGE_BYTES)[pages]:
        start = page * layout.PAGE_BYTES
        content[start : start + 4000] = b"\xee" * 4000
    path.write_bytes(content)
    try:
        found = problems_of(path)[0]
    except StoreRefused as refused:
        found = str(refused)
    assert any(words in found for words in ("finds the database damaged", "cannot read the database", "is damaged"))
