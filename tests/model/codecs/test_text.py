"""Text in keys: what is escaped, what is not, and that no two texts are written alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import KeyRefused
from singletable.model.codecs.codec import Order
from singletable.model.codecs.text import TextCodec, range_end

HASH = TextCodec("#")
PIPE = TextCodec("|")
# Texts that look like escapes themselves are the ones that a careless escape takes for another.
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
def test_every_character_up_to_the_percent_sign_is_escaped(text: str, written: str) -> None:
    assert HASH.encode(text) == written
    assert HASH.decode(written) == text


def test_another_delimiter_is_escaped_too() -> None:
    assert PIPE.encode("a|b#") == "a%7Cb%23"
    assert PIPE.order is Order.NONE


@given(BITING, BITING)
def test_two_texts_are_never_written_alike_and_sort_as_they_did(first: str, second: str) -> None:
    ours, theirs = HASH.encode(first), HASH.encode(second)
    assert (ours == theirs) == (first == second)
    assert (ours < theirs) == (first < second)
    assert HASH.decode(ours) == first
    assert PIPE.decode(PIPE.encode(first)) == first


@pytest.mark.parametrize("text", ["a#b", "%", "%2", "%2a", "%61", "a b", "$"])
def test_what_is_never_written_is_not_read(text: str) -> None:
    with pytest.raises(KeyRefused, match="not escaped the way keys are"):
        HASH.decode(text)


@pytest.mark.parametrize("value", [5, None, b"a", "\ud800"])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(KeyRefused):
        HASH.encode(value)


def test_a_range_ends_at_what_is_never_written() -> None:
    assert range_end("#") == "$"
    assert range_end("|") == "|\U0010ffff"
    with pytest.raises(KeyRefused, match="ends ranges"):
        PIPE.encode("\U0010ffff")
