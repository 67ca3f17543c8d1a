"""A page read in strides equals a page read item by item."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.items.page_reader import PageRange, StoredPage, read_page
from singletable.engine.storage import catalog_rows
from singletable.engine.storage.catalog_rows import tree_of
from singletable.engine.storage.entry_keys import EntryRange
from singletable.engine.storage.item_tree import Joined, Tree
from singletable.engine.storage.store import Store
from singletable.errors import StoreRefused
from singletable.values.limits import PAGE_BYTES_MAX

SIZES = st.one_of(
    st.lists(st.integers(1, 600), max_size=900),
    st.lists(st.integers(1, 409_600), max_size=40),
    st.tuples(st.lists(st.integers(1, 300), max_size=300), st.lists(st.integers(200_000, 409_600), max_size=9)).map(
        lambda parts: parts[0] + parts[1]
    ),
)


def _key(number: int) -> bytes:
    return number.to_bytes(2, "big") + b"k" * (number % 3)


def _body(number: int) -> bytes:
    return json.dumps({"n": {"N": str(number)}}).encode()


def _expected(sizes: list[int], first: int, last: int, *, descending: bool, limit: int | None) -> tuple[list[int], int]:
    """Return the counts of a page, and the items after it (none at the end of the range)."""
    numbers = list(range(first, last))
    if descending:
        numbers.reverse()
    sums = accumulate(sizes[number] for number in numbers)
    crossing = next((place for place, total in enumerate(sums) if total >= PAGE_BYTES_MAX), len(numbers)) + 1
    return numbers[: min(crossing, len(numbers) if limit is None else limit)], len(numbers)


@given(sizes=SIZES, data=st.data(), descending=st.booleans(), typical=st.sampled_from([0.0, 1.0, 150.0, 5e3, 4e5]))
def test_the_page_reader_returns_the_same_page_in_strides_as_item_by_item(
    sizes: list[int], data: st.DataObject, descending: bool, typical: float
) -> None:
    first = data.draw(st.integers(0, len(sizes)))
    last = data.draw(st.integers(first, len(sizes)))
    limit = data.draw(st.none() | st.integers(1, len(sizes) + 1))
    with Store.open("memory:") as store:
        tree = _filled(store, sizes)
        tree.typical_bytes, tree.typical_items = typical, 64
        low, high = _key(first), _key(last)
        with store.reading() as connection:
            page = read_page(connection, PageRange(tree, EntryRange(low, high), descending, limit))
    numbers, in_range = _expected(sizes, first, last, descending=descending, limit=limit)
    assert _numbers(page) == numbers
    assert (page.count, page.scanned) == (len(numbers), len(numbers))
    assert page.read_bytes == sum(sizes[number] for number in numbers)
    is_stopped = bool(numbers) and (page.read_bytes >= PAGE_BYTES_MAX or len(numbers) == limit)
    assert page.last_item == (_body(numbers[-1]) if is_stopped else None)
    assert is_stopped or len(numbers) == in_range


@pytest.mark.parametrize("descending", [False, True])
def test_the_page_reader_needs_few_statements_for_a_page_with_known_item_sizes(descending: bool) -> None:
    sizes = [300] * 1000
    with Store.open("memory:") as store:
        tree = _filled(store, sizes)
        tree.typical_bytes, tree.typical_items = 300, 1000
        statements: list[str] = []
        with store.reading() as connection:
            connection.set_trace_callback(statements.append)
            page = read_page(connection, PageRange(tree, EntryRange(b"", b"\xff" * 4), descending, None))
            connection.set_trace_callback(None)
    assert len(_numbers(page)) == 1000
    assert len(page.items) == 3
    # One each to start and end the snapshot, and one that verifies the end of an ascending page.
    assert len(statements) == 3 + 2 + (not descending)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("damaged", [0, 128, 500, 999])
def test_the_page_reader_does_not_end_a_page_before_a_damaged_key(
    tmp_path: Path, damaged: int, descending: bool
) -> None:
    path = tmp_path / "store"
    with Store.open(f"file:{path}") as store:
        tree = _filled(store, [])
        with store.writing() as connection:
            tree.put_many(connection, [(b"row %04d" % n, _body(n), 300) for n in range(1000)])
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("VACUUM")  # leaves one copy of the key in the index, and one in the table, before the item
    content, key = path.read_bytes(), b"row %04d" % damaged
    (place,) = (at.start() for at in re.finditer(key, content) if b"{" not in content[at.end() : at.end() + 4])
    path.write_bytes(content[:place] + bytes([key[0] ^ 2]) + content[place + 1 :])  # sorts before the others
    with Store.open(f"file:{path}") as store, store.reading() as connection:
        tree.typical_bytes, tree.typical_items = 300, 1000
        with pytest.raises(StoreRefused, match="is damaged"):
            read_page(connection, PageRange(tree, EntryRange(b"", b"\xff"), descending, None))


class Moving(Tree):
    """A tree whose first and last entries swap places after the first stride."""

    def __init__(self, name: str, store: Store, moves: list[tuple[bytes, bytes]]) -> None:
        super().__init__(name)
        self.store, self.moves = store, moves

    def joined(self, connection: sqlite3.Connection, low: bytes, high: bytes, descending: bool, count: int) -> Joined:
        stride = super().joined(connection, low, high, descending, count)
        with self.store.writing() as writer:
            for old, new in self.moves:
                item, size = self.get(writer, old) or (b"", 0)
                self.delete(writer, old)
                self.put(writer, new, item, size)
        self.moves.clear()
        return stride


@pytest.mark.parametrize("descending", [False, True])
def test_the_page_reader_returns_an_entry_that_moves_between_two_strides_once(tmp_path: Path, descending: bool) -> None:
    first, last = _key(0), _key(999)
    with Store.open(f"file:{tmp_path / 'store'}") as store:
        tree = Moving(_filled(store, [300] * 1000).name, store, [(first, b"\xfe"), (last, b"\x00")])
        tree.typical_bytes, tree.typical_items = 300, 1000
        reading = PageRange(tree, EntryRange(b"", b"\xff"), descending, None)
        with store.reading() as connection:
            page = read_page(connection, reading)
            assert not connection.in_transaction
            assert sorted(_numbers(page)) == list(range(1000))
            assert sorted(_numbers(read_page(connection, reading))) == list(range(1000))
            assert tree.get(connection, first) is None


@pytest.mark.parametrize("descending", [False, True])
def test_the_page_reader_needs_one_statement_for_a_small_page(descending: bool) -> None:
    with Store.open("memory:") as store:
        tree = _filled(store, [300] * 50)
        tree.typical_bytes = 300
        statements: list[str] = []
        with store.reading() as connection:
            connection.set_trace_callback(statements.append)
            page = read_page(connection, PageRange(tree, EntryRange(b"", b"\xff" * 4), descending, 20))
            connection.set_trace_callback(None)
    assert _numbers(page) == (list(range(49, 29, -1)) if descending else list(range(20)))
    assert page.last_item == _body(30 if descending else 19)
    assert len(statements) == 1


def _filled(store: Store, sizes: list[int]) -> Tree:
    with store.writing() as connection:
        created = catalog_rows.create(connection, "table", b"", ())
        tree = tree_of(created.number, created.generation)
        tree.put_many(connection, [(_key(n), _body(n), size) for n, size in enumerate(sizes)])
    return tree


def _numbers(page: StoredPage) -> list[int]:
    items = json.loads(b"[" + b",".join(bytes(raw) for raw in page.items) + b"]")
    return [int(item["n"]["N"]) for item in items]
