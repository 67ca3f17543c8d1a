"""The catalog, and the detection of a change by another process."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import CatalogRow, tree_of
from singletable.engine.storage.store import StaleCatalog, Store


def test_catalog_rows_store_the_definition_of_a_new_table_and_create_its_trees() -> None:
    with Store.open("memory:") as store:
        with store.writing() as connection:
            created = catalog_rows.create(connection, "orders", b"definition", (1, 2))
        with store.reading() as connection:
            assert catalog_rows.row(connection, "orders") == created == CatalogRow("orders", 1, 1, b"definition")
            assert catalog_rows.row(connection, "others") is None
            for index in (None, 1, 2):
                assert tree_of(1, 1, index).count(connection) == (0, 0)


def test_catalog_rows_list_tables_by_name() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        for name in ("b", "a", "c"):
            catalog_rows.create(connection, name, b"", ())
        assert [row.name for row in catalog_rows.rows(connection)] == ["a", "b", "c"]


def test_changing_a_table_in_catalog_rows_keeps_its_items_and_updates_its_indexes() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        before = catalog_rows.create(connection, "orders", b"old", (1, 2))
        for index in (None, 1, 2):
            tree_of(1, 1, index).put(connection, b"key", b"item", 4)
        after = catalog_rows.change(connection, before, b"new", (1, 2), (2, 3))
        assert catalog_rows.rows(connection) == [after] == [CatalogRow("orders", 1, 2, b"new")]
        counts = {index: tree_of(1, 2, index).count(connection)[0] for index in (None, 2, 3)}
        assert counts == {None: 1, 2: 1, 3: 0}
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'r1%'")}
        assert names == {"r1_2", "r1_2_i2", "r1_2_i3"}


def test_dropping_a_table_from_catalog_rows_removes_its_trees_and_never_reuses_its_number() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        dropped = catalog_rows.create(connection, "orders", b"", (1,))
        catalog_rows.drop(connection, dropped, (1,))
        assert catalog_rows.rows(connection) == []
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'r1%'").fetchone() == (0,)
        assert catalog_rows.create(connection, "orders", b"", ()).number == 2


def test_changing_an_outdated_generation_of_catalog_rows_raises_stale_catalog() -> None:
    with Store.open("memory:") as store, store.writing() as connection:
        first = catalog_rows.create(connection, "orders", b"1", ())
        second = catalog_rows.change(connection, first, b"2", (), ())
        with pytest.raises(StaleCatalog, match="orders no longer has generation 1"):
            catalog_rows.change(connection, first, b"3", (), ())
        assert catalog_rows.rows(connection) == [second]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"file:{tmp_path / 'store.db'}"


def test_catalog_rows_raise_stale_catalog_in_other_processes_for_a_changed_table(url: str) -> None:
    with Store.open(url) as changer, Store.open(url) as other:
        with changer.writing() as connection:
            first = catalog_rows.create(connection, "orders", b"", ())
        old = tree_of(1, 1)
        with other.writing() as connection:
            old.put(connection, b"key", b"item", 4)
        with changer.writing() as connection:
            catalog_rows.change(connection, first, b"", (), ())
        with pytest.raises(StaleCatalog), other.reading() as connection:
            old.get(connection, b"key")
        with pytest.raises(StaleCatalog), other.snapshot() as connection:
            old.range(connection, b"", b"z")
        with pytest.raises(StaleCatalog), other.writing() as connection:
            old.put(connection, b"key", b"other", 5)
        with other.reading() as connection:
            assert tree_of(1, 2).get(connection, b"key") == (b"item", 4)


def test_a_write_for_which_catalog_rows_raise_stale_catalog_is_rolled_back(url: str) -> None:
    with Store.open(url) as changer, Store.open(url) as other:
        with changer.writing() as connection:
            catalog_rows.create(connection, "kept", b"", ())
            dropped = catalog_rows.create(connection, "dropped", b"", ())
        with changer.writing() as connection:
            catalog_rows.drop(connection, dropped, ())

        def write_to_both() -> None:
            with other.writing() as connection:
                tree_of(1, 1).put(connection, b"key", b"item", 4)
                tree_of(2, 1).put(connection, b"key", b"item", 4)

        with pytest.raises(StaleCatalog):
            write_to_both()
        with other.reading() as connection:
            assert tree_of(1, 1).get(connection, b"key") is None


def test_a_running_read_continues_while_catalog_rows_change_or_drop_its_table(url: str) -> None:
    with Store.open(url) as changer, Store.open(url) as reader:
        with changer.writing() as connection:
            first = catalog_rows.create(connection, "orders", b"", ())
            tree_of(1, 1).put_many(connection, [(bytes([number]), b"x" * 5000, 1) for number in range(100)])
        with reader.reading() as reading:
            rows = tree_of(1, 1).range(reading, b"", b"\xff")
            assert next(rows)[0] == b"\x00"
            with changer.writing() as connection:
                second = catalog_rows.change(connection, first, b"", (), ())
            assert next(rows)[0] == b"\x01"
            with changer.writing() as connection:
                catalog_rows.drop(connection, second, ())
            assert [row[0][0] for row in rows] == list(range(2, 100))
