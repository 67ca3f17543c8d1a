"""Cursors: each position has one text, and different arguments have different cursors."""

from __future__ import annotations

import pytest

from singletable import CursorRefused
from singletable.client.reading.pagination import Cursors

CURSORS = Cursors("s" * 32, seconds=None, now=lambda: 0.0)
CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.mark.parametrize("sort", ["a", "ab", "abc"])
def test_pagination_has_exactly_one_cursor_for_a_position(sort: str) -> None:
    text = CURSORS.encode("orders", {}, [{"SK": {"S": sort}}])
    assert CURSORS.decode("orders", {}, text).positions == [{"SK": {"S": sort}}]
    others = [text[:-1] + each for each in CHARACTERS if each != text[-1]]
    for changed in (*others, text + "\n", text + "=", text[:7] + "!!!!" + text[7:], text + "\n\n\n\n", f" {text}"):
        with pytest.raises(CursorRefused):
            CURSORS.decode("orders", {}, changed)


def test_pagination_cursors_distinguish_none_from_its_repr() -> None:
    text = CURSORS.encode("orders", {"status": None}, [True])
    assert CURSORS.decode("orders", {"status": None}, text).positions == [True]
    for other in ("NoneType None", "None", ""):
        with pytest.raises(CursorRefused):
            CURSORS.decode("orders", {"status": other}, text)
