"""Trees compared with a dict: after the same operations, both contain the same items in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.item_tree import Tree
from singletable.engine.storage.store import Store

keys = st.binary(min_size=1, max_size=2)
items = st.binary(max_size=40)
sizes = st.integers(1, 409_600)


class TreeAgainstDict(RuleBasedStateMachine):
    """Random writes, some of them rolled back, to a tree and to a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.store = Store.open("memory:")
        with self.store.writing() as connection:
            created = catalog_rows.create(connection, "table", b"", ())
        self.tree = tree_of(created.number, created.generation)
        self.plain: dict[bytes, tuple[bytes, int]] = {}

    def teardown(self) -> None:
        self.store.close()

    @rule(key=keys, item=items, size=sizes)
    def put(self, key: bytes, item: bytes, size: int) -> None:
        with self.store.writing() as connection:
            self.tree.put(connection, key, item, size)
        self.plain[key] = item, size

    @rule(rows=st.lists(st.tuples(keys, items, sizes), max_size=5))
    def put_many(self, rows: list[tuple[bytes, bytes, int]]) -> None:
        with self.store.writing() as connection:
            self.tree.put_many(connection, rows)
        self.plain.update({key: (item, size) for key, item, size in rows})

    @rule(key=keys)
    def delete(self, key: bytes) -> None:
        with self.store.writing() as connection:
            self.tree.delete(connection, key)
        self.plain.pop(key, None)

    @rule(rows=st.lists(st.tuples(keys, items, sizes), max_size=3), gone=keys)
    def write_and_roll_back(self, rows: list[tuple[bytes, bytes, int]], gone: bytes) -> None:
        with suppress(ZeroDivisionError), self.store.writing() as connection:
            self.tree.delete(connection, gone)
            self.tree.put_many(connection, rows)
            raise ZeroDivisionError

    @rule(key=keys)
    def get(self, key: bytes) -> None:
        with self.store.reading() as connection:
            assert self.tree.get(connection, key) == self.plain.get(key)

    @rule(low=keys, high=keys, descending=st.booleans(), stop=st.integers(0, 10))
    def read_a_range(self, low: bytes, high: bytes, descending: bool, stop: int) -> None:
        expected = [(key, *self.plain[key]) for key in sorted(self.plain, reverse=descending) if low <= key < high]
        with self.store.snapshot() as connection:
            assert list(self.tree.range(connection, low, high, descending)) == expected
            assert list(self.tree.items(connection, low, high, descending)) == [row[1:] for row in expected]
            assert self.tree.bytes_between(connection, low, high) == sum(size for _, _, size in expected)
            for row, expected_row in zip(
                self.tree.range(connection, low, high, descending), expected[:stop], strict=False
            ):
                assert row == expected_row

    @rule(key=keys, count=st.integers(0, 5))
    def read_after_a_key(self, key: bytes, count: int) -> None:
        expected = [(each, *self.plain[each]) for each in sorted(self.plain) if each > key][:count]
        with self.store.reading() as connection:
            assert self.tree.after(connection, key, count) == expected

    @invariant()
    def count(self) -> None:
        with self.store.reading() as connection:
            counted = self.tree.count(connection)
        assert counted == (len(self.plain), sum(size for _, size in self.plain.values()))


TestTreeAgainstDict = TreeAgainstDict.TestCase
TestTreeAgainstDict.settings = settings(stateful_step_count=20)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open("memory:") as opened:
        yield opened


@pytest.fixture
def tree(store: Store) -> Tree:
    with store.writing() as connection:
        catalog_rows.create(connection, "table", b"", ())
    return tree_of(1, 1)


def test_a_range_of_an_item_tree_cannot_be_read_after_its_session(store: Store, tree: Tree) -> None:
    with store.writing() as connection:
        tree.put_many(connection, [(b"a", b"", 1), (b"b", b"", 1)])
    with store.reading() as connection:
        rows = tree.range(connection, b"", b"z")
        next(rows)
    with pytest.raises(Exception, match="closed cursor"):
        next(rows)


def test_an_item_tree_stores_an_item_of_the_maximum_size_completely(store: Store, tree: Tree) -> None:
    item = bytes(range(256)) * 2400
    with store.writing() as connection:
        tree.put(connection, b"key", item, 409_600)
    with store.reading() as connection:
        assert tree.get(connection, b"key") == (item, 409_600)
