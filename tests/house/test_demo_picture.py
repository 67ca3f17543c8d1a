"""The picture of the demo in the README matches the output of the demo."""

from __future__ import annotations

import re

from tools.demo_picture import PICTURE, draw_demo, main, texts_of


def test_the_picture_is_up_to_date() -> None:
    assert main(["--check"]) == 0, "The demo has changed: run `make pictures` and look at the picture."


def test_the_picture_is_deterministic_and_loads_nothing() -> None:
    assert draw_demo() == draw_demo()
    assert not re.search(r"url\((?!#)|href|@import", PICTURE.read_text(encoding="utf-8"))


def test_texts_are_extracted_from_a_picture() -> None:
    assert texts_of('<text x="1">a&#160;&amp;&#160;b</text><text> </text><text>c</text>') == ["a & b", "c"]
