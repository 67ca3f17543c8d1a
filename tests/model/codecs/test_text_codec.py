"""The codec for text: escaping is injective and keeps the order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import SortOrder
from singletable.model.codecs.text_codec import TextCodec, range_end

HASH = TextCodec("#")
PIPE = TextCodec("|")
# Texts that look like escape sequences are the ones that a wrong implementation confuses.
BITING = st.lists(st.sampled_from(["%", "%23", "%25", "23", "25", "#", "$", " ", "a", "\x00", "|"])).map("".join)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("c1", "c1"),
        ("", ""),
        ("a#b", "a%23b"),
        ("100%", "100%25"),
        ("%23", "%2523"),
        ("a b", "a%20b"),
        ("$", "%24"),
        ("\x00", "%00"),
        ("é~|", "é~|"),
    ],
)
def test_a_text_codec_escapes_every_character_up_to_the_percent_sign(text: str, written: str) -> None:
    assert HASH.encode(text) == written
    assert HASH.decode(written) == text


def test_a_text_codec_escapes_another_delimiter_too() -> None:
    assert PIPE.encode("a|b#") == "a%7Cb%23"
    assert PIPE.order is SortOrder.NONE


@given(BITING, BITING)
def test_a_text_codec_escapes_injectively_and_preserves_the_order(first: str, second: str) -> None:
    ours, theirs = HASH.encode(first), HASH.encode(second)
    assert (ours == theirs) == (first == second)
    assert (ours < theirs) == (first < second)
    assert HASH.decode(ours) == first
    assert PIPE.decode(PIPE.encode(first)) == first


@pytest.mark.parametrize("text", ["a#b", "%", "%2", "%2a", "%61", "a b", "$"])
def test_a_text_codec_rejects_a_text_that_escape_never_produces(text: str) -> None:
    with pytest.raises(KeyRefused, match="not escaped correctly"):
        HASH.decode(text)


@pytest.mark.parametrize("value", [5, None, b"a", "\ud800"])
def test_a_text_codec_rejects_a_value_that_is_not_text(value: object) -> None:
    with pytest.raises(KeyRefused):
        HASH.encode(value)


def test_a_text_codec_has_a_range_end_that_is_never_part_of_a_key() -> None:
    assert range_end("#") == "$"
    assert range_end("|") == "|\U0010ffff"
    with pytest.raises(KeyRefused, match="reserved for ranges"):
        PIPE.encode("\U0010ffff")
