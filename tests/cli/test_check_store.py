"""`singletable check-store`: a sentence for a sound store, a list for a damaged one, a message for what is none."""

import json
import sqlite3
from pathlib import Path

from singletable.engine.engine import Engine
from tests.cli.program import singletable
from tests.engine.tables import create_indexed, put, texts


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
        connection.execute("DELETE FROM t1_1_i2")
    connection.close()


def test_a_sound_store_is_called_sound(tmp_path: Path) -> None:
    path = _store(tmp_path, 3)
    done = singletable("check-store", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path} is sound: 1 table, 3 items, 3 index entries.\n"


def test_one_of_each_is_said_in_the_singular(tmp_path: Path) -> None:
    done = singletable("check-store", str(_store(tmp_path, 1)))
    assert done.stdout.endswith(" is sound: 1 table, 1 item, 1 index entry.\n")


def test_problems_are_listed_and_fail(tmp_path: Path) -> None:
    path = _store(tmp_path, 60)
    _damage(path)
    done = singletable("check-store", str(path))
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0] == "table/gsi: the entry of pk=p, sk=0 is missing"
    assert lines[-2:] == ["... and 10 more; --json has them all", f"{path} is damaged: 60 problems."]


def test_json_has_every_problem(tmp_path: Path) -> None:
    path = _store(tmp_path, 60)
    _damage(path)
    done = singletable("check-store", str(path), "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert (document["tables"], document["items"], document["entries"], len(document["problems"])) == (1, 60, 0, 60)


def test_a_path_without_a_store_is_a_message(tmp_path: Path) -> None:
    done = singletable("check-store", str(tmp_path / "none.db"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no store at ")
    assert list(tmp_path.iterdir()) == []
