"""`singletable check-store` reports intact and damaged stores, and paths without a store."""

import json
import sqlite3
from pathlib import Path

from singletable.engine.engine import Engine
from tests.cli.program import singletable
from tests.engine.table_requests import create_indexed, put, texts


def _store(folder: Path, items: int) -> Path:
    path = folder / "store.db"
    with Engine(f"file:{path}") as engine:
        create_indexed(engine)
        for number in range(items):
            put(engine, texts(pk="p", sk=str(number), gsiPk="g"))
    return path


def _damage(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DELETE FROM r1_1_i2")
    connection.close()


def test_the_check_store_command_reports_an_intact_store(tmp_path: Path) -> None:
    path = _store(tmp_path, 3)
    done = singletable("check-store", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path} is intact: 1 table, 3 items, 3 index entries.\n"


def test_the_check_store_command_prints_counts_of_one_in_the_singular(tmp_path: Path) -> None:
    done = singletable("check-store", str(_store(tmp_path, 1)))
    assert done.stdout.endswith(" is intact: 1 table, 1 item, 1 index entry.\n")


def test_the_check_store_command_lists_problems_and_exits_with_1(tmp_path: Path) -> None:
    path = _store(tmp_path, 60)
    _damage(path)
    done = singletable("check-store", str(path))
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0] == "table/gsi: the entry of pk=p, sk=0 is missing"
    assert lines[-2:] == ["... and 10 more; --json lists all", f"{path} is damaged: 60 problems."]


def test_the_check_store_command_json_has_every_problem(tmp_path: Path) -> None:
    path = _store(tmp_path, 60)
    _damage(path)
    done = singletable("check-store", str(path), "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert (document["tables"], document["items"], document["entries"], len(document["problems"])) == (1, 60, 0, 60)


def test_the_check_store_command_reports_a_path_without_a_store(tmp_path: Path) -> None:
    done = singletable("check-store", str(tmp_path / "none.db"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no store at ")
    assert list(tmp_path.iterdir()) == []
