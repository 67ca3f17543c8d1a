"""Columns fit the terminal, and break between words or not at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from singletable.cli.column_widths import GAP, WORD_CHARACTERS_MAX, column_widths

_CELLS = st.lists(st.text("ab", max_size=WORD_CHARACTERS_MAX), max_size=4).map(" ".join)
_LINES = st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(_CELLS, min_size=n, max_size=n), min_size=1, max_size=4))


def test_what_fits_is_as_wide_as_its_widest_cell() -> None:
    assert column_widths([("pattern", "one call"), ("customers_by_signup", "115 RRU")], 80) == [19, 8]


def test_the_column_with_most_to_give_is_broken_first() -> None:
    lines = [("pattern", "what it is for"), ("orders", "Get all orders of a customer, the newest first")]
    assert column_widths(lines, 40) == [7, 31]


def test_words_that_do_not_fit_beside_each_other_have_no_columns() -> None:
    assert column_widths([("operation", "transaction"), ("GetItem", "2")], 21) is None
    assert column_widths([("operation", "transaction"), ("GetItem", "2")], 22) == [9, 11]


def test_one_long_word_does_not_undo_a_table() -> None:
    assert column_widths([("key", "of"), ("K" * 100, "table")], 60) == [53, 5]


@given(_LINES, st.integers(1, 120))
def test_columns_fit_and_hold_every_word_whenever_there_is_a_way(lines: list[list[str]], room: int) -> None:
    widths = column_widths(lines, room)
    words = [
        max((len(word) for cell in column for word in cell.split()), default=0) for column in zip(*lines, strict=True)
    ]
    gaps = GAP * (len(words) - 1)
    if widths is None:
        assert sum(words) + gaps > room
    else:
        assert sum(widths) + gaps <= room
        assert all(width >= word for width, word in zip(widths, words, strict=True))
