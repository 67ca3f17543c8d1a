"""An in-memory store: one connection, for one thread at a time."""

from __future__ import annotations

import threading

from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.store import Store

TREE = tree_of(1, 1)


def test_a_thread_reads_its_own_uncommitted_writes_from_an_in_memory_sqlite_connection() -> None:
    with Store.open("memory:") as store, store.writing() as writing:
        catalog_rows.create(writing, "table", b"", ())
        TREE.put_many(writing, [(b"a", b"", 1), (b"b", b"", 1)])
        rows = TREE.range(writing, b"", b"z")
        assert next(rows)[0] == b"a"
        with store.reading() as reading:
            assert TREE.get(reading, b"a") == (b"", 1)
        # The inner read session ends; the range of the outer session stays open.
        assert next(rows)[0] == b"b"


def test_another_thread_waits_for_the_in_memory_sqlite_connection() -> None:
    with Store.open("memory:") as store:
        seen: list[int] = []

        def look() -> None:
            with store.reading() as connection:
                seen.append(len(catalog_rows.rows(connection)))

        thread = threading.Thread(target=look)
        with store.writing() as connection:
            thread.start()
            thread.join(0.05)
            assert seen == []
            catalog_rows.create(connection, "table", b"", ())
        thread.join()
        assert seen == [1]


def test_flushing_an_in_memory_sqlite_connection_does_nothing() -> None:
    with Store.open("memory:", sync="full") as store:
        store.flush()
