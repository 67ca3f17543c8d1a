"""`check_store` reports every kind of damage, and nothing for a valid store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import IntegrityReport, check_store
from singletable.errors import StoreRefused
from tests.engine.table_requests import create, create_indexed, projection, put, texts

TREE, GSI, LSI = "r1_1", "r1_1_i2", "r1_1_i1"


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


def test_the_integrity_check_finds_no_problems_in_a_store_written_by_the_engine(store: Path) -> None:
    assert check_store(store) == IntegrityReport(tables=2, items=60, entries=15 + 6, problems=[])


def test_the_integrity_check_can_run_while_the_store_is_in_use(store: Path) -> None:
    with Engine(f"file:{store}") as engine:
        put(engine, texts(pk="new", sk="new", gsiPk="g1"))
        assert check_store(store) == IntegrityReport(tables=2, items=61, entries=16 + 6, problems=[])


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (f"DELETE FROM {GSI} WHERE key = (SELECT min(key) FROM {GSI})", "table/gsi: the entry of pk=p"),
        (f"UPDATE {LSI} SET item = CAST(replace(item, 'rest', 'tser') AS BLOB)", "differs from the item"),
        (f"UPDATE {GSI} SET size = size + 1", "differs from the item"),
        (f"DELETE FROM {TREE} WHERE key = (SELECT max(key) FROM {TREE})", "belongs to no item"),
        (f"UPDATE {TREE} SET size = size + 1", "bytes, but"),
        (f"UPDATE {TREE} SET item = CAST('no JSON' AS BLOB)", "is not valid JSON"),
        (f"UPDATE {TREE} SET item = CAST('{{}}' AS BLOB)", "has an invalid key or value"),
        (f"UPDATE {TREE} SET item = CAST(replace(item, 's00', 's99') AS BLOB)", "is stored under the wrong key"),
        (f"UPDATE {TREE} SET key = CAST('nothing' AS BLOB) WHERE key = (SELECT min(key) FROM {TREE})", "partition"),
        (f"DROP TABLE {TREE}", "the items of table are missing"),
        ("DELETE FROM catalog WHERE name = 'table'", "does not belong to a table in the catalog"),
    ],
)
def test_the_integrity_check_reports_damage(store: Path, statement: str, problem: str) -> None:
    problems = damaged(store, statement)
    assert any(problem in each for each in problems), problems


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE b1 SET size = size + 1", "bytes, but"),
        ("UPDATE b1 SET item = CAST('no JSON' AS BLOB)", "is not valid JSON"),
        ("UPDATE b1 SET key = CAST('nothing' AS BLOB) WHERE key = (SELECT min(key) FROM b1)", "partition"),
        ("DROP TABLE b1", "the items of backup 0"),
        ("DELETE FROM backups", "b1 does not belong to a backup"),
        ("ALTER TABLE b1 ADD COLUMN more", "b1 does not match format"),
    ],
)
def test_the_integrity_check_reports_damage_of_a_backup(store: Path, statement: str, problem: str) -> None:
    with Engine(f"file:{store}") as engine:
        engine.call("CreateBackup", {"TableName": "table", "BackupName": "backup"})
    assert check_store(store) == IntegrityReport(tables=2, items=60, entries=15 + 6, problems=[], backups=1)
    problems = damaged(store, statement)
    assert any(problem in each for each in problems), problems


def test_the_integrity_check_reports_a_damaged_file_as_a_problem(store: Path) -> None:
    content = bytearray(store.read_bytes())
    for page in range(3 * 8192, len(content), 8192):
        content[page : page + 64] = bytes(64)
    store.write_bytes(content)
    assert check_store(store).problems


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.write_bytes(b"x" * 9000), Path.mkdir])
def test_the_integrity_check_rejects_a_file_that_is_not_a_store_and_leaves_it_unchanged(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    path = tmp_path / "no store"
    make(path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreRefused):
        check_store(path)
    assert sorted(tmp_path.iterdir()) == before
