"""One flipped bit in a store: no read returns altered data, and `check_store` finds every change of data.

FLIPS=5000 flips more bits. docs/explanation/reliability.md shows the results.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from singletable.engine.engine import Engine
from singletable.engine.integrity_check import check_store
from singletable.errors import StoreRefused
from tests.engine.bit_flips import ITEMS, FlippedStore, fill_indexed, fill_plain, key
from tests.engine.table_requests import get, put, texts

FLIPS = int(os.environ.get("FLIPS", "25"))


@pytest.mark.parametrize("fill", [fill_plain, fill_indexed])
def test_store_checksums_find_every_flipped_bit_of_the_file(tmp_path: Path, fill: Callable[[Engine], None]) -> None:
    store = FlippedStore(tmp_path, fill)
    problems = [problem for seed in range(FLIPS) for problem in store.flip(seed)]
    assert problems == []
    assert store.counts["changed data"] > FLIPS // 20
    print(fill.__name__, dict(store.counts))  # pytest -s shows the figures


def test_row_checksums_find_every_flipped_bit_of_a_row(tmp_path: Path) -> None:
    store = FlippedStore(tmp_path, fill_indexed)
    problems = [problem for seed in range(FLIPS) for problem in store.flip_in_row(seed)]
    assert problems == []
    assert store.counts["found by check-store"] == store.counts["changed data"] > FLIPS * 0.9
    print(dict(store.counts))


def test_row_checksums_detect_a_row_stored_under_the_key_of_another_row(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        fill_plain(engine)
    with closing(sqlite3.connect(path)) as connection, connection:
        item, checksum = connection.execute("SELECT item, checksum FROM r1_1 ORDER BY key LIMIT 1").fetchone()
        connection.execute("UPDATE r1_1 SET item = ?, checksum = ?", (item, checksum))
    with Engine(f"file:{path}") as engine:
        damaged = 0
        for number in range(ITEMS):
            with suppress(StoreRefused):
                get(engine, key(number))
                damaged -= 1
            damaged += 1
        assert damaged == ITEMS - 1
    assert sum("does not match its checksum" in problem for problem in check_store(path).problems) == ITEMS - 1


def test_row_checksums_name_the_table_and_the_key_of_a_damaged_row(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Engine(f"file:{path}") as engine:
        fill_indexed(engine)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE r1_4 SET item = CAST(replace(item, 'group', 'grouq') AS BLOB)")
        connection.execute("UPDATE r1_4_i2 SET item = CAST(replace(item, 'group', 'grouq') AS BLOB)")
    with Engine(f"file:{path}") as engine:
        with pytest.raises(
            StoreRefused, match=r"table table: the row with the key b'partition 1', b'0001' \(.*\) is damaged"
        ):
            get(engine, key(1))
        condition = {"KeyConditionExpression": "gsiPk = :g", "ExpressionAttributeValues": {":g": {"S": "group 1"}}}
        with pytest.raises(
            StoreRefused, match=r"index gsi of table table: the row .*\n  Run `singletable check-store`"
        ):
            engine.call("Query", {"TableName": "table", "IndexName": "gsi", **condition})
        with pytest.raises(StoreRefused, match="is damaged"):
            put(engine, key(1))  # a write reads the item that it replaces
        put(engine, texts(pk="new", sk="1"))
        assert get(engine, texts(pk="new", sk="1")) is not None
