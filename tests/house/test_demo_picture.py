"""The picture of the demo in the README shows what the demo prints today."""

from __future__ import annotations

import re

from tools.demo_picture import PICTURE, drawn, main, words


def test_the_picture_is_up_to_date() -> None:
    assert main(["--check"]) == 0, "The demo has changed; draw its picture anew with `make pictures`, and look at it."


def test_the_picture_is_the_same_every_time_and_loads_nothing() -> None:
    assert drawn() == drawn()
    assert not re.search(r"url\((?!#)|href|@import", PICTURE.read_text(encoding="utf-8"))


def test_the_words_of_a_picture_are_its_texts() -> None:
    assert words('<text x="1">a&#160;&amp;&#160;b</text><text> </text><text>c</text>') == ["a & b", "c"]
