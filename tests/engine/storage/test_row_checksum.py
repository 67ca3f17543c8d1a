"""The checksum of a row changes with every bit of the row, and is the same with and without the compiled module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.engine.storage import row_checksum
from singletable.values.fast_path import NotOnFastPath

compiled: Any = row_checksum._fast_checksums

KEYS = st.binary(max_size=40)
ITEMS = st.binary(max_size=150)
SIZES = st.integers(0, 2**32 - 1)
ROWS = st.lists(st.tuples(KEYS, ITEMS, SIZES), min_size=1, max_size=4, unique_by=lambda row: row[0])


@pytest.fixture(scope="module", params=["compiled", "pure"])
def is_compiled(request: pytest.FixtureRequest) -> bool:
    if request.param == "compiled" and compiled is None:
        pytest.skip("the compiled module is not installed")
    return bool(request.param == "compiled")


def chosen(is_compiled: bool, name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(compiled, name) if is_compiled else getattr(row_checksum, f"_{name}")
    return function


@given(key=KEYS, item=ITEMS, size=SIZES, place=st.integers(0))
def test_a_row_checksum_detects_each_flipped_bit(
    is_compiled: bool, key: bytes, item: bytes, size: int, place: int
) -> None:
    checksum = chosen(is_compiled, "row_checksum")(key, item, size)
    assert checksum == row_checksum._row_checksum(key, item, size)
    verified_size = chosen(is_compiled, "verified_size")
    assert verified_size(key, item, checksum) == size
    row = bytearray(key + item + checksum)
    row[place // 8 % len(row)] ^= 1 << place % 8
    parts = bytes(row[: len(key)]), bytes(row[len(key) : len(key) + len(item)]), bytes(row[len(key) + len(item) :])
    with pytest.raises(NotOnFastPath):
        verified_size(*parts)


@pytest.mark.parametrize("length", [63, 64, 65, 79, 80, 127, 128, 143, 1000, 70_000])
def test_the_compiled_row_checksum_equals_zlib_for_long_items(length: int, is_compiled: bool) -> None:
    item = bytes(position * 7 % 251 for position in range(length))
    made = chosen(is_compiled, "row_checksum")
    assert made(item[:9], item, length) == row_checksum._row_checksum(item[:9], item, length)
    assert made(b"", item, 2**32 - 1) == row_checksum._row_checksum(b"", item, 2**32 - 1)


@given(rows=ROWS, descending=st.booleans(), place=st.integers(0))
def test_a_row_checksum_detects_each_flipped_bit_in_joined_rows(
    is_compiled: bool, rows: list[tuple[bytes, bytes, int]], descending: bool, place: int
) -> None:
    rows = sorted(rows, reverse=descending)
    items = b",".join([item for _, item, _ in rows])
    heads = b"".join([row_checksum.row_checksum(*row) + row[0] for row in rows])
    verified_join = chosen(is_compiled, "verified_join")
    total = sum(size for _, _, size in rows)
    assert verified_join(items, heads, descending) == (len(rows), total, len(rows[-1][1]), len(rows[-1][0]))
    joined = bytearray(items + heads)
    joined[place // 8 % len(joined)] ^= 1 << place % 8
    with pytest.raises(NotOnFastPath):
        verified_join(bytes(joined[: len(items)]), bytes(joined[len(items) :]), descending)
    for wrong in (items + b",", b"," + items):
        with pytest.raises(NotOnFastPath):
            verified_join(wrong, heads, descending)
    for wrong in (heads[:-1], heads + b"x", b""):
        with pytest.raises(NotOnFastPath):
            verified_join(items, wrong, descending)
    if len(rows) > 1:
        with pytest.raises(NotOnFastPath):
            verified_join(items, heads, not descending)


@given(rows=ROWS, count_max=st.integers(-1, 9).filter(bool), bytes_max=st.integers(1, 2**34))
def test_the_compiled_row_checksum_joins_rows_like_python(
    rows: list[tuple[bytes, bytes, int]], count_max: int, bytes_max: int
) -> None:
    if compiled is None:
        pytest.skip("the compiled module is not installed")
    rows = sorted(rows)
    expected: list[bytes] = []
    total, last = 0, None
    for _, item, size in rows:
        expected.append(item)
        total += size
        if len(expected) == count_max or total >= bytes_max:
            last = item
            break

    def stored() -> Iterator[tuple[bytes, bytes, bytes]]:
        return ((key, item, row_checksum.row_checksum(key, item, size)) for key, item, size in rows)

    assert compiled.joined_rows(stored(), count_max, bytes_max, False) == (
        b",".join(expected),
        len(expected),
        total,
        last,
    )
    for damaged in (("text", b"", b""), (b"", b"", None), (b"", b"", b"short"), (b"", b"")):
        with pytest.raises(NotOnFastPath):
            compiled.joined_rows(iter([*stored(), damaged]), -1, 2**62, False)
    with pytest.raises(ZeroDivisionError):
        compiled.joined_rows((1 // 0 for _ in "x"), -1, 1, False)
    for function, arguments in (
        (compiled.row_checksum, ("", b"", 1)),
        (compiled.verified_join, (b"", None, False)),
        (compiled.verified_join, (b"", b"", b"", False)),
    ):
        with pytest.raises(TypeError):
            function(*arguments)
    with pytest.raises(OverflowError):
        compiled.row_checksum(b"", b"", 2**32)


@given(columns=st.lists(st.none() | st.text(max_size=5) | st.binary(max_size=5) | st.floats(), min_size=1, max_size=4))
@settings(max_examples=20)
def test_a_record_checksum_differs_for_values_moved_between_columns(columns: list[Any]) -> None:
    assert row_checksum.record_checksum(*columns) == row_checksum.record_checksum(*columns)
    assert row_checksum.record_checksum("ab", "c") != row_checksum.record_checksum("a", "bc")
    assert row_checksum.record_checksum(*columns) != row_checksum.record_checksum(*columns, None)


def test_a_change_checksum_covers_each_column() -> None:
    change: tuple[int, float, int, bytes, bytes | None, bytes | None] = (7, 1.5, 0, b"key", b"before", None)
    others = [(8, *change[1:]), (7, 1.25, *change[2:]), (7, 1.5, 1, *change[3:]), (*change[:3], b"kez", *change[4:])]
    others += [(*change[:4], None, b"before"), (*change[:4], b"before", b"")]
    checksums = {row_checksum.change_checksum(*each) for each in (change, *others)}
    assert len(checksums) == 1 + len(others)
