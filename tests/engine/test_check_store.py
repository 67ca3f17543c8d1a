"""`check_store` finds whatever is not as it should be, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from singletable.engine.check_store import Checked, check_store
from singletable.engine.engine import Engine
from singletable.errors import StoreRefused
from tests.engine.tables import create, create_indexed, projection, put, texts

TREE, GSI, LSI = "t1_1", "t1_1_i2", "t1_1_i1"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        create_indexed(engine, gsi=projection("proj"))
        create(engine, "other")
        for number in range(30):
            item = texts(pk=f"p{number % 3}", sk=f"s{number:02}", proj="p", rest="r")
            if number % 2:
                item |= texts(gsiPk=f"g{number % 4}")
            if number % 5 == 0:
                item |= texts(lsiSk=f"l{number}")
            put(engine, item)
            put(engine, texts(pk="o", sk=str(number)), "other")
    return path


def damaged(path: Path, statement: str) -> list[str]:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()
    return check_store(path).problems


def test_a_store_that_was_only_written_by_the_engine_is_sound(store: Path) -> None:
    assert check_store(store) == Checked(tables=2, items=60, entries=15 + 6, problems=[])


def test_a_store_can_be_checked_while_it_is_in_use(store: Path) -> None:
    with Engine(f"file:{store}") as engine:
        put(engine, texts(pk="new", sk="new", gsiPk="g1"))
        assert check_store(store) == Checked(tables=2, items=61, entries=16 + 6, problems=[])


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (f"DELETE FROM {GSI} WHERE key = (SELECT min(key) FROM {GSI})", "table/gsi: the entry of pk=p"),
        (f"UPDATE {LSI} SET item = CAST(replace(item, 'rest', 'tser') AS BLOB)", "is not what its item says"),
        (f"UPDATE {GSI} SET size = size + 1", "is not what its item says"),
        (f"DELETE FROM {TREE} WHERE key = (SELECT max(key) FROM {TREE})", "belongs to no item"),
        (f"UPDATE {TREE} SET size = size + 1", "bytes, and"),
        (f"UPDATE {TREE} SET item = CAST('no JSON' AS BLOB)", "is no JSON"),
        (f"UPDATE {TREE} SET item = CAST('{{}}' AS BLOB)", "has no key of its table"),
        (f"UPDATE {TREE} SET item = CAST(replace(item, 's00', 's99') AS BLOB)", "stands under another key"),
        (f"UPDATE {TREE} SET key = CAST('nothing' AS BLOB) WHERE key = (SELECT min(key) FROM {TREE})", "partition"),
        (f"DROP TABLE {TREE}", "the items of table are missing"),
        ("DELETE FROM catalog WHERE name = 'table'", "belongs to no table of the catalog"),
    ],
)
def test_damage_is_found(store: Path, statement: str, problem: str) -> None:
    problems = damaged(store, statement)
    assert any(problem in each for each in problems), problems


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE b1 SET size = size + 1", "bytes, and"),
        ("UPDATE b1 SET item = CAST('no JSON' AS BLOB)", "is no JSON"),
        ("UPDATE b1 SET key = CAST('nothing' AS BLOB) WHERE key = (SELECT min(key) FROM b1)", "partition"),
        ("DROP TABLE b1", "the items of backup 0"),
        ("DELETE FROM backups", "b1 belongs to no backup"),
        ("ALTER TABLE b1 ADD COLUMN more", "b1 is not what format"),
    ],
)
def test_damage_of_a_backup_is_found(store: Path, statement: str, problem: str) -> None:
    with Engine(f"file:{store}") as engine:
        engine.call("CreateBackup", {"TableName": "table", "BackupName": "backup"})
    assert check_store(store) == Checked(tables=2, items=60, entries=15 + 6, problems=[], backups=1)
    problems = damaged(store, statement)
    assert any(problem in each for each in problems), problems


def test_a_damaged_file_is_no_reason_to_stop(store: Path) -> None:
    content = bytearray(store.read_bytes())
    for page in range(3 * 8192, len(content), 8192):
        content[page : page + 64] = bytes(64)
    store.write_bytes(content)
    assert check_store(store).problems


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.write_bytes(b"x" * 9000), Path.mkdir])
def test_what_is_no_store_is_refused_and_left_as_it_is(tmp_path: Path, make: Callable[[Path], object]) -> None:
    path = tmp_path / "no store"
    make(path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreRefused):
        check_store(path)
    assert sorted(tmp_path.iterdir()) == before
