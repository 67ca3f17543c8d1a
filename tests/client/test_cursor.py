"""Cursors: each has one text, and an argument is never taken for another."""

from __future__ import annotations

import pytest

from singletable import CursorRefused
from singletable.client.cursor import Cursors

CURSORS = Cursors("s" * 32, seconds=None, now=lambda: 0.0)
CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.mark.parametrize("sort", ["a", "ab", "abc"])
def test_a_position_has_one_text_alone(sort: str) -> None:
    text = CURSORS.text("orders", {}, [{"SK": {"S": sort}}])
    assert CURSORS.place("orders", {}, text).positions == [{"SK": {"S": sort}}]
    others = [text[:-1] + each for each in CHARACTERS if each != text[-1]]
    for changed in (*others, text + "\n", text + "=", text[:7] + "!!!!" + text[7:], text + "\n\n\n\n", f" {text}"):
        with pytest.raises(CursorRefused):
            CURSORS.place("orders", {}, changed)


def test_nothing_is_not_the_text_that_shows_it() -> None:
    text = CURSORS.text("orders", {"status": None}, [True])
    assert CURSORS.place("orders", {"status": None}, text).positions == [True]
    for other in ("NoneType None", "None", ""):
        with pytest.raises(CursorRefused):
            CURSORS.place("orders", {"status": other}, text)
