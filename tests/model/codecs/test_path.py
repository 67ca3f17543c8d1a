"""Paths: one segment per element, none of them empty."""

from __future__ import annotations

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.path import PathCodec
from singletable.model.language import literal, overlap

CODEC = PathCodec("#")


@pytest.mark.parametrize(
    ("value", "text"),
    [(("root",), "root"), (("root", "eng"), "root#eng"), (("a#b", "c d"), "a%23b#c%20d"), (("%",), "%25")],
)
def test_a_path_is_its_elements_in_segments(value: tuple[str, ...], text: str) -> None:
    assert CODEC.encode(value) == text
    assert CODEC.decode(text) == value


def test_elements_are_escaped_for_their_own_delimiter() -> None:
    assert PathCodec("/").encode(("a/b", "c")) == "a%2Fb/c"
    assert PathCodec("/").decode("a%2Fb/c") == ("a/b", "c")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((), "needs one"),
        (("a", ""), "has an empty element"),
        ("root", "pass a tuple of texts"),
        (["root"], "pass a tuple of texts"),
        (("a", 1), "pass a tuple of texts"),
        (None, "pass a tuple of texts"),
        (("\ud800",), "half of a surrogate pair"),
    ],
)
def test_what_is_no_path_is_refused(value: object, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        CODEC.encode(value)


@pytest.mark.parametrize("text", ["", "#", "a#", "#a", "a##b", "a b", "%2", "%41", "a%2f"])
def test_a_text_that_no_path_makes_is_refused(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not the text of a path, {field:path}"):
        CODEC.decode(text)


def test_it_holds_the_delimiter_and_must_stand_last() -> None:
    assert CODEC.spans_segments
    assert overlap(CODEC.language, literal("root#eng"))
    assert not overlap(CODEC.language, literal("#eng"))


@pytest.mark.parametrize("delimiter", ["#", "|", "/"])
def test_the_characters_of_its_language_are_sorted_and_disjoint(delimiter: str) -> None:
    for run in PathCodec(delimiter).language[0]:
        bounds = [bound for pair in run.characters for bound in pair]
        assert bounds == sorted(bounds)
        assert all(high < low for (_, high), (low, _) in zip(run.characters, run.characters[1:], strict=False))


def test_it_sorts_behind_the_one_delimiter_that_sorts_first() -> None:
    assert CODEC.order is Order.ASCENDING
    assert PathCodec("/").order is Order.NONE
    assert "only '#' keeps their order" in PathCodec("/").unordered_reason
