"""Stores of every format version open with all their data. The commits that introduced the next version wrote them.

The files in `stores` were written by commits 7e232ef (format 1), 188b1a8 (format 2) and 36695fd (format 3).
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.engine.storage import store_format
from singletable.engine.storage.store import Store
from tests.engine.table_requests import get, put, query, scan, values

STORES = Path(__file__).parent / "stores"
FORMATS = range(1, store_format.VERSION + 1)


@pytest.fixture(params=FORMATS)
def version(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def path(version: int, tmp_path: Path) -> Path:
    (tmp_path / "store.db").write_bytes(gzip.decompress((STORES / f"format{version}.db.gz").read_bytes()))
    return tmp_path / "store.db"


def test_an_old_store_passes_the_integrity_check_and_keeps_its_format(path: Path, version: int) -> None:
    report = check_store(path)
    assert report.problems == []
    assert (report.tables, report.items, report.entries) == (1, 29, 58)
    assert report.backups == (1 if version >= store_format.BACKUPS_SINCE else 0)
    with Store.open(f"file:{path}", create=False) as store, store.reading() as connection:
        assert store_format.read_version(connection) == version


def test_an_old_store_returns_every_item_and_accepts_writes(path: Path) -> None:
    with Engine(f"file:{path}") as engine:
        items = {(each["pk"]["S"], each["sk"]["N"]): each for each in scan(engine)["Items"]}
        assert items.keys() == {(f"partition {n % 3}", f"{0 - n * 1.5:g}") for n in range(30) if n != 1}
        assert items["partition 0", "0"]["text"] == {"S": "changed"}
        for number in range(2, 30):
            assert items[f"partition {number % 3}", f"{0 - number * 1.5:g}"] == {
                "pk": {"S": f"partition {number % 3}"},
                "sk": {"N": f"{0 - number * 1.5:g}"},
                "gsiPk": {"S": f"group {number % 4}"},
                "lsiSk": {"B": "AP8="},
                "list": {"L": [{"NULL": True}, {"BOOL": False}, {"SS": ["a", "ü"]}]},
                "text": {"S": "x" * number},
            }
        assert query(engine, "gsiPk = :g", values(g="group 1"), IndexName="gsi")["Count"] == 7
        new = {"pk": {"S": "new"}, "sk": {"N": "1"}, "gsiPk": {"S": "group 1"}}
        put(engine, new)
        assert get(engine, {"pk": {"S": "new"}, "sk": {"N": "1"}}) == new
        assert query(engine, "gsiPk = :g", values(g="group 1"), IndexName="gsi")["Count"] == 8
    assert check_store(path).problems == []


def test_an_old_store_gets_the_newest_format_when_it_is_opened(path: Path) -> None:
    Engine(f"file:{path}").close()
    with Store.open(f"file:{path}", create=False) as store, store.reading() as connection:
        assert store_format.read_version(connection) == store_format.VERSION
