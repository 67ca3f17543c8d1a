"""The codec for tree paths."""

from __future__ import annotations

import pytest

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.path_codec import PathCodec
from singletable.model.regular_language import literal, overlap

CODEC = PathCodec("#")


@pytest.mark.parametrize(
    ("value", "text"),
    [(("root",), "root"), (("root", "eng"), "root#eng"), (("a#b", "c d"), "a%23b#c%20d"), (("%",), "%25")],
)
def test_a_path_codec_writes_one_segment_per_element(value: tuple[str, ...], text: str) -> None:
    assert CODEC.encode(value) == text
    assert CODEC.decode(text) == value


def test_a_path_codec_escapes_the_delimiter_in_elements() -> None:
    assert PathCodec("/").encode(("a/b", "c")) == "a%2Fb/c"
    assert PathCodec("/").decode("a%2Fb/c") == ("a/b", "c")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ((), "needs at least one"),
        (("a", ""), "has an empty element"),
        ("root", "pass a tuple of str"),
        (["root"], "pass a tuple of str"),
        (("a", 1), "pass a tuple of str"),
        (None, "pass a tuple of str"),
        (("\ud800",), "lone surrogate"),
    ],
)
def test_a_path_codec_rejects_a_value_that_is_not_a_path(value: object, message: str) -> None:
    with pytest.raises(KeyRefused, match=message):
        CODEC.encode(value)


@pytest.mark.parametrize("text", ["", "#", "a#", "#a", "a##b", "a b", "%2", "%41", "a%2f"])
def test_a_path_codec_rejects_a_text_that_is_not_an_encoded_path(text: str) -> None:
    with pytest.raises(KeyRefused, match=r"is not a path for {field:path}"):
        CODEC.decode(text)


def test_a_path_codec_writes_the_delimiter_and_must_be_last() -> None:
    assert CODEC.spans_segments
    assert overlap(CODEC.language, literal("root#eng"))
    assert not overlap(CODEC.language, literal("#eng"))


@pytest.mark.parametrize("delimiter", ["#", "|", "/"])
def test_a_path_codec_has_sorted_and_disjoint_characters_in_its_language(delimiter: str) -> None:
    for run in PathCodec(delimiter).language[0]:
        bounds = [bound for pair in run.characters for bound in pair]
        assert bounds == sorted(bounds)
        assert all(high < low for (_, high), (low, _) in zip(run.characters, run.characters[1:], strict=False))


def test_a_path_codec_preserves_order_only_with_the_hash_delimiter() -> None:
    assert CODEC.order is SortOrder.ASCENDING
    assert PathCodec("/").order is SortOrder.NONE
    assert "do not sort correctly; use the delimiter '#'" in PathCodec("/").unordered_reason
